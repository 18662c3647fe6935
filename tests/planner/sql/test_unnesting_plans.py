"""Which way a subquery takes: what of it becomes a join, and which one."""

from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe.planner.relations import Aggregate, Distinct, Filter, Join, Plan, Project, Scan, Shared, Sort, Window

OUTER = lf.from_dict({"k": [1, 2, 3], "v": [10, 20, 30]})
INNER = lf.from_dict({"k": [1, 1, 2], "w": [1, 5, 6]})


def outline(plan: Plan) -> str:
    """The operators of a plan without its projections."""
    below = ", ".join([outline(child) for child in plan.children()])
    match plan:
        case Project():
            return below
        case Scan():
            return "i" if "w" in plan.schema else "o"
        case Join():
            return f"{plan.kind}({below})"
        case Aggregate():
            return f"group by {len(plan.keys)}({below})"
        case Filter() | Distinct() | Shared() | Sort() | Window():
            return f"{type(plan).__name__.lower()}({below})"
    raise AssertionError(f"{type(plan).__name__} is not expected here")


DOMAIN = "distinct(shared(o))"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select v from o where exists (select 1 from i where i.k = o.k)", "semi(o, i)"),
        ("select v from o where exists (select 1 from i where i.k = o.k and i.w < 5)", "semi(o, filter(i))"),
        ("select v from o where not exists (select 1 from i where i.k = o.k and i.w > o.v)", "anti(o, i)"),
        ("select v from o where k in (select k from i)", "semi(o, i)"),
        ("select v from o where k in (select i.k from i where i.w = o.v)", "semi(o, i)"),
        ("select v, exists (select 1 from i where i.k = o.k) from o", "mark(o, i)"),
        ("select v, (select w from i where i.k = o.k) from o", "single(o, i)"),
        # An equality to the key of a grouping is met by one group at most, so the join cannot find two.
        ("select v, (select sum(w) from i where i.k = o.k) from o", "left(o, group by 1(i))"),
        ("select v, (select count(*) from i where i.k = o.k and i.w > 1) from o", "left(o, group by 1(filter(i)))"),
        ("select v from o where v > (select sum(w) from i where i.k = o.k)", "filter(left(o, group by 1(i)))"),
        # What depends on nothing is computed once, and has one row.
        ("select v, (select max(w) from i) from o", "cross(o, group by 0(i))"),
        # A limit of each group is a filter on the number of the row in it.
        ("select v, (select w from i where i.k = o.k order by w limit 1) from o", "single(o, filter(window(sort(i))))"),
        # Of nothing but the outer row, the rows are made of it.
        ("select v, x from o, lateral (select o.v + 1 as x)", "o"),
        ("select v, n from o, lateral (select w as n from i where i.k = o.k)", "inner(o, i)"),
        # An inequality is no key to group by: the domain goes down to where it is asked for.
        (
            "select v, (select sum(w) from i where i.w < o.v) from o",
            f"single(shared(o), left({DOMAIN}, group by 1(filter(cross({DOMAIN}, i)))))",
        ),
        # Nor can an aggregate be grouped before it knows the outer value in it.
        (
            "select v, (select sum(w + o.v) from i where i.k = o.k) from o",
            f"single(shared(o), left({DOMAIN}, group by 2(filter(cross({DOMAIN}, i)))))",
        ),
    ],
)
def test_way_of_a_subquery(query: str, expected: str) -> None:
    assert outline(lf.sql(query, o=OUTER, i=INNER)._plan) == expected


def test_joins_of_subqueries_promise_no_order() -> None:
    plan = lf.sql("select v from o where exists (select 1 from i where i.k = o.k)", o=OUTER, i=INNER)._plan
    while not isinstance(plan, Join):
        (plan,) = plan.children()
    assert not plan.ordered


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select (select sum(w) from i where i.w < o.v) as s from o order by v", [12, 12, 12]),
        ("select (select sum(w + o.v) from i where i.k = o.k) as s from o order by v", [26, 26, None]),
        ("select (select count(*) from i where i.k = o.k) as s from o order by v", [2, 1, 0]),
        ("select (select w from i where i.k = o.k order by w desc limit 1) as s from o order by v", [5, 6, None]),
    ],
)
def test_answers_of_both_ways(query: str, expected: list[int | None]) -> None:
    assert lf.sql(query, o=OUTER, i=INNER).collect().to_arrow().column("s").to_pylist() == expected
