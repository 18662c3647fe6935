"""The driver: phases, fixed points, sharing, sites, what it costs."""

from __future__ import annotations

import time

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.frame import concat
from lazyframe.planner import optimizer
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.graph import postorder, replace
from lazyframe.planner.invariants import check
from lazyframe.planner.optimizer import Firing, Phase, optimize, rule_names
from lazyframe.planner.relations import Distinct, Filter, Join, Limit, Plan, Project, Scan, Sort
from lazyframe.planner.rules import PHASES
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Call, Column, Literal, SortKey
from lazyframe.planner.site import Site
from tests.planner.rules.harness import frame, t, u

col = lf.col


def test_a_query_becomes_what_a_person_would_write():
    query = (
        t.join(u, left_on="a", right_on="k")
        .with_columns(x=col("b") * 2.0)
        .filter(col("x") > 1.0, col("w") > 7)
        .group_by("c")
        .agg(n=col("x").sum(), m=col("d").max())
        .filter(col("c") != "z")
        .select("c", "n")
        .sort("n")
        .head(3)
    )
    assert repr(optimize(query._plan, check=True)) == (
        "TopK 3 by n\n"
        "  Aggregate sum(x) as n by c\n"
        "    Project c, b * 2.0 as x\n"
        "      Join inner on a == k\n"
        "        Scan t [a, b, c] 3 of 4 columns where b * 2.0 > 1.0 & c != 'z'\n"
        "        Scan u [k] 1 of 3 columns where w > 7"
    )


def test_the_trace_tells_each_step():
    trace: list[Firing] = []
    optimize(t.filter(col("a") > 1).select("a")._plan, trace=trace)
    assert [firing.rule for firing in trace] == ["push_filter_into_scan", "remove_trivial_project"]
    assert repr(trace[0].before) == "Filter a > 1\n  Scan t [a, b, c, d]"
    assert repr(trace[0].after) == "Scan t [a, b, c, d] where a > 1"


def test_each_rule_can_be_switched_off():
    query = concat([t.filter(col("a") > 1).filter(col("b") > 1.0).select("a", "c").head(3), t.select("a", "c")]).sort(
        "a"
    )
    for name in rule_names():
        trace: list[Firing] = []
        optimize(query._plan, disable=[name], trace=trace, check=True)
        assert name not in {firing.rule for firing in trace}


def test_a_rule_that_does_not_exist_is_an_error_with_the_nearest_names():
    with pytest.raises(InvalidArgumentError, match="push_filter_below_join"):
        optimize(t._plan, disable=["push_filter_belw_join"])


def test_rules_are_named_after_what_they_do_and_documented():
    for phase in PHASES:
        for each in phase.rules:
            assert each.apply.__name__ == each.name
            assert "Sound" in (each.apply.__doc__ or ""), f"{each.name} does not say why it is sound"


def test_optimising_twice_changes_nothing_more():
    query = t.join(u, left_on="a", right_on="k").filter(col("b") > 1.0).group_by("c").agg(n=lf.len()).sort("n").head(2)
    once = optimize(query._plan, check=True)
    assert optimize(once, check=True) == once


def test_rules_that_undo_each_other_are_named(monkeypatch):
    @rule(Limit)
    def grow(plan: Limit) -> Plan | None:
        return Limit(plan.input, 2) if plan.count == 1 else None

    @rule(Limit)
    def shrink(plan: Limit) -> Plan | None:
        return Limit(plan.input, 1) if plan.count == 2 else None

    monkeypatch.setattr(optimizer, "PHASES", (Phase("circle", (grow, shrink)),))
    with pytest.raises(AssertionError, match=r"'circle' does not converge: (grow|shrink) .*(grow|shrink)"):
        optimize(Limit(t._plan, 1))


def test_a_rule_that_changes_the_schema_is_caught(monkeypatch):
    @rule(Filter)
    def lose_columns(plan: Filter) -> Plan | None:
        return replace(plan.input, columns=("a",)) if isinstance(plan.input, Scan) else None

    monkeypatch.setattr(optimizer, "PHASES", (Phase("wrong", (lose_columns,)),))
    with pytest.raises(AssertionError, match="lose_columns changes the schema"):
        optimize(t.filter(col("a") > 1)._plan, check=True)


def test_what_a_rule_makes_stands_where_the_user_wrote_it():
    plan = t.select(x=col("a") + 1).sort("x").filter(col("x") > 2)._plan
    site = plan.site
    assert isinstance(site, Site)
    result = optimize(plan, disable=["push_filter_into_scan"])
    (made,) = [node for node in postorder(result) if isinstance(node, Filter)]
    assert made.site is site
    assert isinstance(result, Sort)
    assert result.site == plan.input.site


def test_a_ladder_of_shared_plans_is_rewritten_once_a_step():
    query = t.select("a", "b")
    for _ in range(40):
        query = concat([query.filter(col("a") > 0), query.filter(col("b") > 0.0)]).group_by("a").agg(b=col("b").sum())
    trace: list[Firing] = []
    plan = optimize(query._plan, trace=trace)
    assert len(trace) < 1000
    assert len(postorder(plan)) < 250


SECONDS = 15.0
"""Far more than a chain takes, far less than it would if each verb walked those before it."""


def filters(plan: Plan, number: int) -> Plan:
    return Filter(plan, Call("greater", (column(plan, "a"), Literal(pa.scalar(number)))))


def exceptions(plan: Plan, number: int) -> Plan:
    return Filter(plan, Call("not_equal", (column(plan, "a"), Literal(pa.scalar(number)))))


def alternatives(plan: Plan, number: int) -> Plan:
    differs = Call("not_equal", (column(plan, "a"), Literal(pa.scalar(number))))
    return Filter(plan, Call("or", (differs, Call("greater", (column(plan, "b"), Literal(pa.scalar(number)))))))


def additions(plan: Plan, number: int) -> Plan:
    return Project(plan, (("a", Call("add", (column(plan, "a"), Literal(pa.scalar(1))))), ("b", column(plan, "b"))))


def renames(plan: Plan, number: int) -> Plan:
    return Project(plan, (("a", column(plan, "b")), ("b", column(plan, "a"))))


def sorts(plan: Plan, number: int) -> Plan:
    return Sort(plan, (SortKey(column(plan, "b")),))


def limits(plan: Plan, number: int) -> Plan:
    return Limit(plan, 10**6 - number)


def uniques(plan: Plan, number: int) -> Plan:
    return Distinct(plan, ("a",))


def column(plan: Plan, name: str) -> Column:
    field = plan.schema.field(name)
    return Column(name, field.dtype, field.nullable)


@pytest.mark.parametrize(
    ("steps", "count"),
    [
        ((renames, filters, limits, sorts, additions), 20_000),
        ((filters,), 10_000),
        ((exceptions,), 2_000),
        ((alternatives,), 2_000),
        ((additions,), 10_000),
        ((uniques, filters), 5_000),
        ((uniques, filters, additions), 5_000),
    ],
    ids=[
        "mixed",
        "filters",
        "exceptions",
        "alternatives",
        "additions",
        "uniques and filters",
        "uniques, filters and additions",
    ],
)
def test_a_long_chain_of_verbs(steps, count):
    plan: Plan = frame("numbers", {"a": pa.array([1, 2]), "b": pa.array([3, 4])})._plan
    for number in range(count):
        plan = steps[number % len(steps)](plan, number)
    started = time.process_time()
    result = optimize(plan)
    assert time.process_time() - started < SECONDS
    assert result.schema == plan.schema


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Filter(t._plan, Call("greater", (Column("a", pa.int64(), False), Literal(pa.scalar(1))))),
        lambda: Filter(t._plan, Call("greater", (Column("a", pa.int32(), True), Literal(pa.scalar(1))))),
        lambda: Project(t._plan, (("x", SortKey(column(t._plan, "a"))),)),
    ],
    ids=["counts on no nulls", "of another type", "a sort key in a projection"],
)
def test_broken_plans_are_seen(wrong):
    with pytest.raises(AssertionError):
        check(wrong())


def test_a_join_whose_sides_share_a_name_cannot_be_made():
    with pytest.raises(AssertionError):
        Join(t._plan, t._plan, "cross")
