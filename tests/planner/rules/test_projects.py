"""Projections that merge or go, and the columns that are read."""

from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe.frame import concat
from lazyframe.planner.optimizer import optimize
from tests.planner.rules.harness import Case, alone, cases, check, lists, plan_of, rows, s, t, u

col = lf.col


@cases(
    Case(
        "computed of computed",
        lambda: t.select("a", x=col("b") + 1.0).select(y=col("x") * col("x"), a=col("a")),
        """
        Project (b + 1.0) * (b + 1.0) as y, a
          Scan t [a, b, c, d]
        """,
    ),
    Case(
        "swapped names",
        lambda: t.select(a=col("d"), d=col("a")).select(a=col("d") + 1, d=col("a")),
        """
        Project a + 1 as a, d
          Scan t [a, b, c, d]
        """,
    ),
    Case("volatile below", lambda: t.select(r=lf.random()).select(x=col("r"), y=col("r")), runs=False),
    Case(
        "volatile above",
        lambda: t.select(x=col("a") + 1).select(r=lf.random(), x=col("x")),
        """
        Project random() as r, a + 1 as x
          Scan t [a, b, c, d]
        """,
        runs=False,
    ),
    Case(
        "into a guarded branch",
        lambda: t.select("d", x=col("a") + 1).select(y=lf.when(col("d") != 0).then(col("x") // col("d")).otherwise(0)),
    ),
    Case(
        "into a branch that needs no guard",
        lambda: t.select("d", x=col("b") + 1.0).select(y=lf.when(col("d") > 0).then(col("x")).otherwise(0.0)),
        """
        Project case when d > 0 then b + 1.0 else 0.0 end as y
          Scan t [a, b, c, d]
        """,
    ),
)
def test_merge_projects(case):
    check("merge_projects", case)


def test_guarded_branches_over_each_other_are_not_put_into_each_other():
    # Put into each other, thirty of them would be evaluated a thousand million times.
    query = t.select("a")
    for _ in range(30):
        query = query.with_columns(a=lf.when(col("a") > 1).then(col("a") // 2 + 1).otherwise(col("a")))
    assert query.collect().to_dicts() == [{"a": 1}, {"a": 2}, {"a": 2}, {"a": 2}, {"a": 2}]


@cases(
    Case("all columns in order", lambda: t.select("a", "b", "c", "d"), "Scan t [a, b, c, d]"),
    Case("a scan gives any", lambda: t.select("d", "a"), "Scan t [d, a] 2 of 4 columns"),
    Case("a rename", lambda: t.rename({"a": "z"})),
    Case("another order over a filter", lambda: t.filter(col("a") > 1).select("d", "c", "b", "a")),
)
def test_remove_trivial_project(case):
    check("remove_trivial_project", case)


@cases(
    Case(
        "through a filter",
        lambda: t.filter(col("b") > 1.0).select("a"),
        """
        Project a
          Filter b > 1.0
            Scan t [a, b] 2 of 4 columns
        """,
    ),
    Case(
        "an expression nobody uses",
        lambda: t.select("a", x=col("b") + 1.0, y=col("c")).select("x"),
        """
        Project x
          Project b + 1.0 as x
            Scan t [b] 1 of 4 columns
        """,
    ),
    Case(
        "an aggregate nobody uses; keys stay",
        lambda: t.group_by("c").agg(n=col("a").sum(), m=col("b").max()).select("n"),
        """
        Project n
          Aggregate sum(a) as n by c
            Scan t [a, c] 2 of 4 columns
        """,
    ),
    Case(
        "a count reads no column",
        lambda: t.select(n=lf.len()),
        """
        Aggregate len() as n
          Scan t [] 0 of 4 columns
        """,
    ),
    Case(
        "both sides of a join; a column for the filter below goes no further",
        lambda: t.filter(col("d") > 0).join(u, left_on="a", right_on="k", coalesce=False).select("c", "w"),
        """
        Project c, w
          Join inner on a == k
            Project a, c
              Filter d > 0
                Scan t [a, c, d] 3 of 4 columns
            Scan u [k, w] 2 of 3 columns
        """,
    ),
    Case(
        "the right side of a semi join gives keys only",
        lambda: t.join(u, left_on="a", right_on="k", how="semi").select("b"),
        """
        Project b
          Join semi on a == k
            Scan t [a, b] 2 of 4 columns
            Scan u [k] 1 of 3 columns
        """,
    ),
    Case(
        "inputs of a union stay alike",
        lambda: concat([t.filter(col("a") > 1), s.filter(col("b") > 1.0)]).select("c"),
        """
        Project c
          Union
            Project c
              Filter a > 1
                Scan t [a, c] 2 of 4 columns
            Project c
              Filter b > 1.0
                Scan s [b, c] 2 of 4 columns
        """,
    ),
    Case(
        "distinct needs its subset",
        lambda: t.unique(["c"]).select("a"),
        """
        Project a
          Distinct on c keep first
            Scan t [a, c] 2 of 4 columns
        """,
    ),
    Case(
        "a row index nobody uses",
        lambda: t.with_row_index().select("a"),
        """
        Project a
          Scan t [a] 1 of 4 columns
        """,
    ),
    Case(
        "a sort needs its keys",
        lambda: t.sort("b").select("a"),
        """
        Project a
          Sort by b
            Scan t [a, b] 2 of 4 columns
        """,
    ),
    Case(
        "lists make rows though nobody uses the items",
        lambda: lists.with_columns(j=col("i") + 1).explode("xs").select("i"),
        """
        Project i
          Explode xs
            Project i, xs
              Scan lists [i, xs]
        """,
    ),
)
def test_push_projection(case):
    check("push_projection", case)


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


@pytest.mark.parametrize(
    "build",
    [
        lambda x: x.unique(),
        lambda x: x.intersect(x.head(2)),
        lambda x: x.map_batches(lambda table: table, schema=x.schema),
        lambda x: x.cache(),
        lambda x: concat([x, u], how="horizontal"),
    ],
    ids=["distinct rows", "set operation", "batch function", "cache", "side by side"],
)
def test_what_needs_all_columns_gets_them(build):
    plan = plan_of(build(t).select("a"))
    result, _ = alone("push_projection", plan)
    assert "of 4 columns" not in repr(result)
    assert rows(result) == rows(plan) == rows(optimize(plan, check=True))


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
def test_columns_of_joins(how):
    plan = plan_of(t.filter(col("d") < 4).join(u, left_on="a", right_on="k", how=how, coalesce=False).select("a", "c"))
    assert rows(optimize(plan, check=True)) == rows(plan)
