"""Projections that merge or go, and the columns that are read."""

from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe.frame import concat
from lazyframe.planner.optimizer import optimize
from tests.planner.rules.harness import plan_of, rows, t, u

col = lf.col


def test_guarded_branches_over_each_other_are_not_put_into_each_other():
    # Put into each other, thirty of them would be evaluated a thousand million times.
    query = t.select("a")
    for _ in range(30):
        query = query.with_columns(a=lf.when(col("a") > 1).then(col("a") // 2 + 1).otherwise(col("a")))
    assert query.collect().to_dicts() == [{"a": 1}, {"a": 2}, {"a": 2}, {"a": 2}, {"a": 2}]


def test_a_shared_subplan_stays_shared_and_gives_what_both_need():
    joined = t.join(u, left_on="a", right_on="k", coalesce=False)
    both = concat([joined.select(x=col("d")), joined.select(x=col("w"))])
    plan = optimize(both._plan, check=True)
    text = repr(plan)
    assert text.count("Join inner") == 1
    assert text.count("see #") == 1
    assert "Scan t [a, d]" in text
    assert "Scan u [k, w]" in text


def test_an_aggregate_over_all_rows_beside_each_row_reads_two_narrow_scans():
    plan = optimize(t.select("a", share=col("b") / col("b").sum())._plan, check=True)
    text = repr(plan)
    assert "Scan t [a, b] 2 of 4 columns" in text
    assert "Scan t [b] 1 of 4 columns" in text


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
def test_columns_of_joins(how):
    plan = plan_of(t.filter(col("d") < 4).join(u, left_on="a", right_on="k", how=how, coalesce=False).select("a", "c"))
    assert rows(optimize(plan, check=True)) == rows(plan)
