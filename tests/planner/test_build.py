"""What verbs build: the plans themselves."""

from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.planner.bind import bind
from lazyframe.planner.build.grouping_sets import cube_sets, rollup_sets
from lazyframe.planner.build.joins import split_equalities
from lazyframe.planner.formatting import format_plan
from lazyframe.planner.graph import postorder
from lazyframe.planner.invariants import check
from lazyframe.planner.relations import Aggregate, Join, Project, Scan
from lazyframe.planner.scalars import conjuncts
from lazyframe.planner.schema import Schema

A = lf.from_dict({"k": [1], "x": [2]})
B = lf.from_dict({"k": [1], "x": [3], "y": [4]})
X = col("x")


def lines(frame):
    return format_plan(frame._plan).split("\n")


def test_one_verb_is_one_node():
    assert lines(A.filter(X > 1)) == ["Filter x > 1", "  Scan in memory [k, x]"]
    assert lines(A.select("x")) == ["Project x", "  Scan in memory [k, x]"]
    assert lines(A.group_by("k").agg(X.sum())) == ["Aggregate sum(x) as x by k", "  Scan in memory [k, x]"]
    assert lines(A.drop()) == ["Scan in memory [k, x]"]
    assert lines(A.rename({})) == ["Scan in memory [k, x]"]
    assert lines(A.sort()) == ["Scan in memory [k, x]"]
    assert lines(A.filter()) == ["Scan in memory [k, x]"]


def test_what_stands_around_aggregates_is_computed_after_them():
    assert lines(A.group_by("k").agg(r=X.max() - X.min(), n=X.max()))[:2] == [
        "Project k, agg - `agg:1` as r, agg as n",
        "  Aggregate max(x) as agg, min(x) as `agg:1` by k",
    ]  # fmt: skip


def test_an_aggregate_is_computed_once_however_often_it_is_written():
    plan = A.group_by("k").agg(a=X.sum(), b=X.sum() + 1, c=X.sum() * 2)._plan
    (aggregate,) = [node for node in postorder(plan) if isinstance(node, Aggregate)]
    assert len(aggregate.aggregates) == 1


def test_aggregates_beside_rows_are_joined_to_every_row():
    plan = A.with_columns(total=X.sum())._plan
    kinds = [type(node) for node in postorder(plan)]
    assert kinds == [Scan, Aggregate, Join, Project]
    (join,) = [node for node in postorder(plan) if isinstance(node, Join)]
    assert join.kind == "cross"


def test_the_sides_of_a_join_share_no_name():
    for how in ("inner", "left", "right", "full", "semi", "anti"):
        plan = A.join(B, on="k", how=how)._plan
        (join,) = [node for node in postorder(plan) if isinstance(node, Join)]
        assert not set(join.left.schema.names) & set(join.right.schema.names)
        check(plan)


def test_equalities_of_a_condition_become_keys():
    left, right = A.schema, B.rename({"k": "k2", "x": "x2"}).schema
    both = Schema([*left, *right])
    condition = (
        (col("k") == col("k2"))
        & (col("x2") + 1 == X)
        & (col("x") < col("y"))
        & (X == 3)
        & (col("k") == X)
        & (col("k") + col("k2") == 3)
    )
    keys, rest = split_equalities(conjuncts(bind(condition._node, both)), left, right)
    assert [(repr(a), repr(b)) for a, b in keys] == [("k", "k2"), ("x", "x2 + 1")]
    assert [repr(part) for part in rest] == ["x < y", "x == 3", "k == x", "k + k2 == 3"]


def test_sets_of_keys():
    assert rollup_sets(2) == [(0, 1), (0,), ()]
    assert cube_sets(2) == [(0, 1), (0,), (1,), ()]
    assert rollup_sets(0) == cube_sets(0) == [()]


@pytest.mark.parametrize(
    "frame",
    [
        A.select(X, X.sum().alias("s")), A.filter(X.mean() < X), A.group_by(q=X % 2).agg("k", r=X.max() - X.min()), A.rollup("k").agg(X.sum()),
        A.cube("k", "x").agg(lf.len()), A.join(B, on="k"), A.join(B, on=col("x_right") > X, how="full"), lf.concat([A, B], how="diagonal"),
        A.union(A), A.except_(A), A.unpivot(["k", "x"], index="k"), A.describe(), A.value_counts(), A.interpolate(), A.fill_null(0), A.slice(-3, 2),
    ],
    ids=lambda frame: format_plan(frame._plan).split("\n")[0][:60],
)  # fmt: skip
def test_plans_hold_their_invariants(frame):
    check(frame._plan)


def test_a_chain_of_20_000_verbs_is_built():
    frame = A.lazy()
    for n in range(10_000):
        frame = frame.filter(-n < X).with_columns(x=X + 0)
    assert frame.columns == ["k", "x"]
    assert len(postorder(frame._plan)) == 20_001


def test_shared_diamonds_stay_small():
    frame = A.lazy()
    for _ in range(40):
        frame = lf.concat([frame, frame])
    assert len(postorder(frame._plan)) == 41
    assert frame._plan == frame.lazy()._plan


def test_conditions_and_sums_of_themselves_stay_small():
    # Sixty doublings share one node each: a walk that visited every path would never end.
    condition, total = col("x") > 1, col("x").sum()
    for _ in range(60):
        condition, total = condition & condition, total + total
    frame = lf.from_dict({"x": [1, 2]})
    assert frame.filter(condition).explain(optimized=False).startswith("Filter x > 1")
    assert frame.select(total.cast("float64")).columns == ["x"]
