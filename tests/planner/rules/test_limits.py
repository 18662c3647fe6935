"""Limits on their way down, sorts that become smaller, duplicates of what has none."""

from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe.frame import concat
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Limit
from lazyframe.planner.rules.merge_limits import merge_limits, remaining
from tests.planner.rules.harness import plan_of, t, u


@pytest.mark.parametrize("inner", [(None, 0), (0, 1), (2, 0), (3, 2), (9, 1)])
@pytest.mark.parametrize("outer", [(None, 0), (None, 2), (0, 0), (2, 1), (5, 3)])
def test_merged_limits_choose_the_same_rows(inner, outer):
    plan = Limit(Limit(t._plan, *inner), *outer)
    merged = merge_limits.apply(plan)
    rows = list(range(5))
    stepwise = rows[inner[1] :][: inner[0]][outer[1] :][: outer[0]]
    assert rows[merged.offset :][: merged.count] == stepwise
    assert remaining(inner[0], plan) == merged.count


def test_no_sort_is_lost():
    """A sort below groups orders them."""
    plan = optimize(plan_of(t.sort("a", descending=True).group_by("c").agg(n=lf.len())), check=True)
    assert "Sort" in repr(plan)


def test_shared_inputs_of_a_union_stay_shared():
    joined = t.join(u, left_on="a", right_on="k")
    assert repr(optimize(plan_of(concat([joined, joined]).head(2)), check=True)).count("Join inner") == 1
