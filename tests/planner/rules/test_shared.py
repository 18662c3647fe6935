"""Rows that several readers share."""

from __future__ import annotations

from textwrap import dedent

import pyarrow as pa

import lazyframe as lf
from lazyframe import col
from lazyframe.frame import LazyFrame, concat
from lazyframe.planner.graph import postorder
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Shared
from lazyframe.planner.relations.values import ONE_ROW
from tests.planner.rules.harness import NAMES, shared, t

totals = NAMES["totals"]


def test_nothing_passes_it_and_columns_that_no_reader_uses_go():
    query = concat([totals.filter(col("d") > 0).select("d", "n"), totals.sort("d").head(1).select("d", "n")])
    plan = optimize(query._plan, check=True)
    wanted = """
    Union
      Filter d > 0
        #1 Shared
          Aggregate len() as n by d
            Scan t [d] 1 of 4 columns
      TopK 1 by d
        see #1
    """
    assert repr(plan) == dedent(wanted).strip()
    assert len([node for node in postorder(plan) if isinstance(node, Shared)]) == 1
    assert query.to_dicts() == [{"d": 1, "n": 1}, {"d": 2, "n": 1}, {"d": 4, "n": 1}, {"d": 0, "n": 2}]


def test_readers_get_the_columns_that_each_asks_for():
    query = concat([totals.select(x="n"), totals.filter(col("m") > 3).select(x="m")])
    # Groups of d: 0 (a 1, 4), 1 (2), 2 (3), 4 (5).
    assert query.to_dict() == {"x": [2, 1, 1, 1, 4, 5]}
    assert query.explain().count("Aggregate") == 1


def test_random_numbers_are_drawn_once():
    one = shared(LazyFrame(ONE_ROW).select(r=lf.random()))
    (first, second) = concat([one, one.select("r")]).to_dict()["r"]
    assert first == second
    (row,) = one.select(a="r", b="r").to_dicts()
    assert row["a"] == row["b"]
    joined = one.join(one.rename({"r": "s"}), how="cross").filter(col("r") == col("s"))
    assert joined.count() == 1
    many = shared(t.select("a", r=lf.random()))
    low, high = many.filter(col("r") < 0.5), many.filter(col("r") >= 0.5)
    for _ in range(5):
        assert sorted(concat([low, high]).to_dict()["a"]) == [1, 2, 3, 4, 5]


def test_each_reader_has_its_own_filter():
    base = shared(lf.from_arrow(pa.table({"x": list(range(10))})).lazy().with_columns(y=col("x") % 3))
    query = concat([base.filter(col("y") == 0), base.filter(col("y") == 1), base.filter(col("x") > 8)])
    assert query.to_dict()["x"] == [0, 3, 6, 9, 1, 4, 7, 9]


def test_computed_once():
    calls = []

    def counted(table):
        calls.append(table.num_rows)
        return table

    once = shared(t.select("a").map_batches(counted, schema={"a": "int64"}))
    query = concat([once.filter(col("a") > 3), once.head(1), once.filter(col("a") < 2)])
    assert query.to_dict() == {"a": [4, 5, 1, 1]}
    assert sum(calls) == 5


def test_shared_within_shared():
    inner = shared(t.group_by("d").agg(n=lf.len()))
    outer = shared(concat([inner.filter(col("d") > 0), inner.filter(col("d") == 0)]))
    query = concat([outer.select("n"), outer.filter(col("n") > 1).select("n"), inner.head(1).select("n")])
    assert query.to_dict() == {"n": [1, 1, 1, 2, 2, 2]}
    assert query.explain().count("Aggregate") == 1


def test_what_all_readers_leave_out_is_not_read():
    """Each branch of the union is asked for what all readers want of it; the branch that nobody wants is gone."""
    scans = concat([t.select("a", "d", kind=lf.lit(kind)) for kind in ("x", "y", "z")])
    both = shared(scans.group_by("kind", "d").agg(s=col("a").sum()))
    first = both.filter(col("kind") == "x", col("d") == 0).select("kind", "s")
    second = both.filter(col("kind") == "y", col("d") == 4).select("kind", "s")
    query = concat([first, second])
    plan = repr(optimize(query._plan, check=True))
    assert plan.count("where d in (0, 4)") == 2
    assert plan.count("Scan") == 2
    assert "'x' ==" not in plan
    # d is 0 for the a 1 and 4, and 4 for the a 5.
    assert query.to_dict() == {"kind": ["x", "y"], "s": [5, 5]}


def test_random_rows_are_those_that_were_drawn():
    drawn = shared(t.select("a", r=lf.random()))
    query = drawn.filter(col("r") < 0.5).join(drawn.filter(col("r") < 0.5), on="a", how="full", coalesce=True)
    plan = repr(optimize(query._plan, check=True))
    assert plan.count("random") == 1
    for _ in range(5):
        rows = query.to_dicts()
        assert all(row["r"] == row["r_right"] for row in rows)
