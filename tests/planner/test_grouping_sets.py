"""Grouping by several sets of keys."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.frame import LazyFrame
from lazyframe.planner.build.grouping_sets import cube_sets, grouping_sets, rollup_sets
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.graph import postorder
from lazyframe.planner.invariants import check
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Aggregate, Shared
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import AggregateCall, Call, Literal

ROWS = pa.table(
    {"a": ["p", "p", None, "q", "q", "p"], "b": [1, 2, 1, None, 1, 1], "x": [1, 2, 4, 8, 16, None], "y": [1.0] * 6}
)
PLAN = lf.from_arrow(ROWS).lazy().filter(col("y") > 0)._plan
A, B, X = (column(PLAN.schema, name) for name in "abx")
SUM = ("s", AggregateCall("sum", (X,)))


def rows(plan):
    check(plan)
    check(optimize(plan, check=True))
    return [tuple(row.values()) for row in LazyFrame(plan).to_dicts()]


def test_sets_of_rollup_and_cube():
    assert rollup_sets(2) == [(0, 1), (0,), ()]
    assert cube_sets(2) == [(0, 1), (0,), (1,), ()]
    with pytest.raises(InvalidArgumentError, match="8,192 sets"):
        cube_sets(13)


@pytest.mark.parametrize("form", ["rollup", "cube"])
def test_as_duckdb_has_it(form):
    sets = {"rollup": rollup_sets, "cube": cube_sets}[form](2)
    asked = {"g": (0, 1), "ga": (0,), "back": (1, 0)}
    plan = grouping_sets(PLAN, [("a", A), ("b", B)], [SUM, ("n", AggregateCall("len", ()))], sets, asked)
    con = duckdb.connect()
    con.register("rows", ROWS)
    wanted = con.execute(
        f"select a, b, sum(x), count(*), grouping(a, b), grouping(a), grouping(b, a) from rows group by {form} (a, b)"
    ).fetchall()
    assert sorted(rows(plan), key=repr) == sorted(wanted, key=repr)


def test_sets_come_in_their_order_and_as_often_as_they_are_written():
    plan = grouping_sets(PLAN, [("a", A)], [SUM], [(), (0,), ()], {"g": (0,)})
    assert rows(plan) == [(None, 31, 1), ("p", 3, 0), (None, 4, 0), ("q", 24, 0), (None, 31, 1)]


def test_the_empty_set_has_a_row_for_no_rows():
    nothing = lf.from_arrow(ROWS.slice(0, 0)).lazy()._plan
    plan = grouping_sets(nothing, [("a", A)], [SUM, ("n", AggregateCall("count", (X,)))], [(0,), ()])
    assert rows(plan) == [(None, None, 0)]


def test_keys_that_are_computed():
    key = Call("add", (B, Literal(pa.scalar(1, pa.int64()))))
    plan = grouping_sets(PLAN, [("b", key), ("one", Literal(pa.scalar(1, pa.int64())))], [SUM], [(0,), (1,)])
    assert rows(plan) == [(2, None, 21), (3, None, 2), (None, None, 8), (None, 1, 31)]


def test_an_aggregate_of_a_key_sees_its_values():
    plan = grouping_sets(PLAN, [("b", B)], [("most", AggregateCall("max", (B,)))], [(0,), ()])
    assert rows(plan) == [(1, 1), (2, 2), (None, None), (None, 2)]


def test_the_rows_are_computed_once():
    calls = []

    def counted(table):
        calls.append(table.num_rows)
        return table

    once = lf.from_arrow(ROWS).lazy().map_batches(counted, schema={"a": "string", "b": "int64", "x": "int64"})._plan
    plan = grouping_sets(once, [("a", A), ("b", B)], [SUM], cube_sets(2))
    assert len(rows(plan)) == 5 + 3 + 3 + 1
    assert calls == [6]
    assert any(isinstance(node, Shared) for node in postorder(plan))


def test_one_set_is_a_plain_grouping():
    plan = grouping_sets(PLAN, [("a", A)], [SUM], [(0,)])
    assert not any(isinstance(node, Shared) for node in postorder(plan))
    assert rows(plan) == [("p", 3), (None, 4), ("q", 24)]


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InvalidArgumentError, match="at least one set"):
        grouping_sets(PLAN, [("a", A)], [SUM], [])
    with pytest.raises(InvalidArgumentError, match="at most 63 keys, not 64"):
        grouping_sets(PLAN, [("a", A)], [SUM], [()], {"g": (0,) * 64})
    whole = grouping_sets(PLAN, [("a", A)], [], [()], {"g": (0,) * 63})
    assert rows(whole) == [(None, 2**63 - 1)]


CALLS = [
    ("s", AggregateCall("sum", (X,))),
    ("n", AggregateCall("len", ())),
    ("c", AggregateCall("count", (X,), where=Call("equal", (B, Literal(pa.scalar(1, pa.int64())))))),
    ("low", AggregateCall("min", (X,), distinct=True)),
    ("high", AggregateCall("max", (A,))),
]


def reads_rows(plan):
    """How many aggregates read the rows themselves."""
    return sum(isinstance(node, Aggregate) and isinstance(node.input, Shared) for node in postorder(plan))


@pytest.mark.parametrize("sets", [[(0, 1), (0,), ()], [(), (1,), (0, 1), (0,)], [(1,), (0,), ()], [(0,), (1,)]])
def test_groups_made_of_groups_are_those_made_of_rows(sets):
    merged = grouping_sets(PLAN, [("a", A), ("b", B)], CALLS, sets, {"g": (0, 1)})
    assert reads_rows(merged) == sum(not any(set(each) < set(other) for other in sets) for each in sets)
    # Each set for itself is a plain grouping.
    wanted = [
        row for each in sets for row in rows(grouping_sets(PLAN, [("a", A), ("b", B)], CALLS, [each], {"g": (0, 1)}))
    ]
    assert rows(merged) == wanted
    nothing = LazyFrame(PLAN).head(0)._plan
    assert rows(grouping_sets(nothing, [("a", A), ("b", B)], CALLS, sets)) == [
        (None, None, None, 0, 0, None, None) for each in sets if each == ()
    ]


@pytest.mark.parametrize(
    "call",
    [
        AggregateCall("mean", (X,)),
        AggregateCall("sum", (column(PLAN.schema, "y"),)),
        AggregateCall("count", (X,), distinct=True),
        AggregateCall("first", (X,)),
    ],
)
def test_what_groups_do_not_tell_is_computed_of_the_rows(call):
    plan = grouping_sets(PLAN, [("a", A), ("b", B)], [SUM, ("other", call)], rollup_sets(2))
    assert reads_rows(plan) == 3
    wanted = [
        row
        for each in rollup_sets(2)
        for row in rows(grouping_sets(PLAN, [("a", A), ("b", B)], [SUM, ("other", call)], [each]))
    ]
    assert rows(plan) == wanted
