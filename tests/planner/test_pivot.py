"""Values of rows as columns: the plan."""

from __future__ import annotations

import duckdb
import pyarrow as pa

import lazyframe as lf
from lazyframe.frame import LazyFrame
from lazyframe.planner.build.pivot import Cell, pivoted
from lazyframe.planner.invariants import check
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import AggregateCall, Literal, null_of
from lazyframe.planner.types import INT64, STRING

ROWS = pa.table(
    {
        "k": ["a", "b", "a", "a", "c"],
        "y": [2000, 2000, 2010, 2010, 2020],
        "s": ["p", "q", "p", None, "p"],
        "x": [1, 2, 4, 8, 16],
    }
)
PLAN = lf.from_arrow(ROWS).lazy()._plan
K, Y, S, X = (column(PLAN.schema, name) for name in "kysx")
SUM, COUNT = AggregateCall("sum", (X,)), AggregateCall("len", ())


def of(value, dtype=INT64):
    return Literal(pa.scalar(value, dtype))


def rows(plan):
    check(plan)
    check(optimize(plan, check=True))
    return LazyFrame(plan).to_dicts()


def test_as_duckdb_has_it():
    cells = [Cell(f"{y}_{name}", (of(y),), n) for y in (2000, 2010) for n, name in enumerate(("t", "n"))]
    found = rows(pivoted(PLAN, [("k", K)], [Y], [SUM, COUNT], cells))
    con = duckdb.connect()
    con.register("rows", ROWS)
    wanted = con.sql(
        "select * from (select k, y, x from rows) pivot (sum(x) as t, count(*) as n for y in (2000, 2010) group by k) order by k"
    )
    assert sorted([tuple(row.values()) for row in found]) == wanted.fetchall()
    # c has no row of these years.
    assert found[2] == {"k": "c", "2000_t": None, "2000_n": 0, "2010_t": None, "2010_n": 0}


def test_several_expressions_and_a_null():
    cells = [Cell("p", (of(2010), of("p", STRING)), 0), Cell("null", (of(2010), null_of(STRING)), 0)]
    assert rows(pivoted(PLAN, [("k", K)], [Y, S], [SUM], cells)) == [
        {"k": "a", "p": 4, "null": 8},
        {"k": "b", "p": None, "null": None},
        {"k": "c", "p": None, "null": None},
    ]


def test_without_an_index_there_is_one_row():
    cells = [Cell("t", (of(2010),), 0), Cell("n", (of(1990),), 1)]
    assert rows(pivoted(PLAN, [], [Y], [SUM, COUNT], cells)) == [{"t": 12, "n": 0}]
    nothing = LazyFrame(PLAN).head(0)._plan
    assert rows(pivoted(nothing, [], [Y], [SUM, COUNT], cells)) == [{"t": None, "n": 0}]
    assert rows(pivoted(nothing, [("k", K)], [Y], [SUM, COUNT], cells)) == []


def test_names_may_be_any():
    cells = [Cell("on", (of(2000),), 0), Cell("value", (of(2010),), 0), Cell("y", (of(2020),), 0)]
    assert rows(pivoted(PLAN, [("x", S)], [Y], [SUM], cells)) == [
        {"x": "p", "on": 1, "value": 4, "y": 16},
        {"x": "q", "on": 2, "value": None, "y": None},
        {"x": None, "on": None, "value": 8, "y": None},
    ]
