"""Limits on their way down, sorts that become smaller, duplicates of what has none."""

from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe.frame import concat
from lazyframe.planner.relations import Limit
from lazyframe.planner.rules.merge_limits import merge_limits, remaining
from tests.planner.rules.harness import Case, cases, check, s, t, u

col = lf.col


@cases(
    Case("the smaller", lambda: t.head(4).head(2), "Limit 2\n  Scan t [a, b, c, d]"),
    Case("after an offset", lambda: t.slice(1, 3).slice(1, 5), "Limit 2 after 2\n  Scan t [a, b, c, d]"),
    Case("past the end", lambda: t.head(2).slice(3), "Limit 0 after 3\n  Scan t [a, b, c, d]"),
    Case("no count", lambda: t.slice(1).slice(2), "Limit all after 3\n  Scan t [a, b, c, d]"),
)
def test_merge_limits(case):
    check("merge_limits", case)


@pytest.mark.parametrize("inner", [(None, 0), (0, 1), (2, 0), (3, 2), (9, 1)])
@pytest.mark.parametrize("outer", [(None, 0), (None, 2), (0, 0), (2, 1), (5, 3)])
def test_merged_limits_choose_the_same_rows(inner, outer):
    plan = Limit(Limit(t._plan, *inner), *outer)
    merged = merge_limits.apply(plan)
    rows = list(range(5))
    stepwise = rows[inner[1] :][: inner[0]][outer[1] :][: outer[0]]
    assert rows[merged.offset :][: merged.count] == stepwise
    assert remaining(inner[0], plan) == merged.count


@cases(
    Case("the first of a sort", lambda: t.sort("b").head(2), "TopK 2 by b\n  Scan t [a, b, c, d]"),
    Case("a slice", lambda: t.sort("b").slice(1, 2), "TopK 2 by b after 1\n  Scan t [a, b, c, d]"),
    Case("of a top k", lambda: t.bottom_k(4, by="d").slice(1, 2), "TopK 2 by d after 1\n  Scan t [a, b, c, d]"),
    Case("all but the first", lambda: t.sort("b").slice(1)),
    Case("ties stay in input order", lambda: t.sort("c").head(1), "TopK 1 by c\n  Scan t [a, b, c, d]"),
)
def test_merge_limit_into_sort(case):
    check("merge_limit_into_sort", case)


@cases(
    Case(
        "head",
        lambda: t.select(x=col("a") + 1).head(2),
        """
        Project a + 1 as x
          Limit 2
            Scan t [a, b, c, d]
        """,
    ),
    Case(
        "tail",
        lambda: t.select(x=col("a") + 1).tail(2),
        """
        Project a + 1 as x
          Tail 2
            Scan t [a, b, c, d]
        """,
    ),
    Case("volatile", lambda: t.select(r=lf.random()).head(2), runs=False),
    Case("a filter stops it", lambda: t.filter(col("a") > 2).head(1)),
)
def test_push_limit_below_project(case):
    check("push_limit_below_project", case)


@cases(
    Case(
        "each input",
        lambda: concat([t, s]).slice(1, 5),
        """
        Limit 5 after 1
          Union
            Limit 6
              Scan t [a, b, c, d]
            Limit 6
              Scan s [a, b, c, d]
        """,
    ),
    Case(
        "not what is short",
        lambda: concat([t.head(2), s.filter(col("a") > 5)]).head(3),
        """
        Limit 3
          Union
            Limit 2
              Scan t [a, b, c, d]
            Limit 3
              Filter a > 5
                Scan s [a, b, c, d]
        """,
    ),
    Case("no count", lambda: concat([t, s]).slice(2)),
    Case("one row each", lambda: concat([t.select(n=col("a").sum()), s.select(n=col("a").sum())]).head(1)),
)
def test_push_limit_below_union(case):
    check("push_limit_below_union", case)


@cases(
    Case("the scan is told", lambda: t.slice(1, 2), "Limit 2 after 1\n  Scan t [a, b, c, d] limit 3"),
    Case("no count", lambda: t.slice(2)),
    Case("a filter between", lambda: t.filter(col("a") > 2).head(1)),
)
def test_push_limit_into_scan(case):
    check("push_limit_into_scan", case)


def test_a_limit_is_not_told_to_a_scan_with_a_predicate():
    from lazyframe.planner.optimizer import optimize

    plan = optimize(t.filter(col("a") > 2).head(1)._plan, check=True)
    assert repr(plan) == "Limit 1\n  Scan t [a, b, c, d] where a > 2"


@cases(
    Case("all", lambda: t.slice(0), "Scan t [a, b, c, d]"),
    Case("none, after some", lambda: t.slice(3, 0), "Limit 0\n  Scan t [a, b, c, d]"),
    Case("the last none", lambda: t.tail(0), "Limit 0\n  Scan t [a, b, c, d]"),
    Case("the last of the last", lambda: t.tail(3).tail(2), "Tail 2\n  Scan t [a, b, c, d]"),
    Case("the last of the first", lambda: t.head(3).tail(2)),
)
def test_simplify_limit(case):
    check("simplify_limit", case)


@cases(
    Case(
        "the inner orders the ties",
        lambda: t.sort("a", descending=True).sort("c"),
        "Sort by c, a desc\n  Scan t [a, b, c, d]",
    ),
    Case("the same column", lambda: t.sort("d", descending=True).sort("d"), "Sort by d\n  Scan t [a, b, c, d]"),
    Case("a limit between", lambda: t.sort("d").head(3).sort("a")),
)
def test_merge_sorts(case):
    check("merge_sorts", case)


@cases(
    Case(
        "the same",
        lambda: t.unique(["c"]).unique(["c"], keep="none"),
        "Distinct on c keep first\n  Scan t [a, b, c, d]",
    ),
    Case("more columns", lambda: t.unique(["c"]).unique(), "Distinct on c keep first\n  Scan t [a, b, c, d]"),
    Case("fewer columns", lambda: t.unique(["c", "d"]).unique(["d"])),
)
def test_merge_distincts(case):
    check("merge_distincts", case)


@cases(
    Case(
        "a sort below groups orders them",
        lambda: t.sort("a", descending=True).group_by("c").agg(n=lf.len()),
    ),
)
def test_no_sort_is_lost(case):
    check("merge_sorts", case)
    from lazyframe.planner.optimizer import optimize

    assert "Sort" in repr(optimize(case.build()._plan))


@cases(
    Case(
        "a limit over a union of shared inputs",
        lambda: concat([t.join(u, left_on="a", right_on="k"), t.join(u, left_on="a", right_on="k")]).head(2),
    ),
)
def test_shared_inputs_stay_shared(case):
    from lazyframe.planner.optimizer import optimize

    assert repr(optimize(case.build()._plan, check=True)).count("Join inner") == 1
