"""What `explain(verbose=True)` shows of the rules: each step, with what it changed and nothing else."""

from __future__ import annotations

from textwrap import dedent

import pyarrow as pa

import lazyframe as lf
from lazyframe import col
from lazyframe.planner.optimizer import Firing, optimize
from lazyframe.planner.relations import Limit, Sort
from lazyframe.planner.tracing import changed, format_trace
from tests.planner.rules.harness import frame, plan_of, t, u

wide = frame("wide", {f"column_with_a_long_name_{n}": pa.array([n]) for n in range(12)})


def trace_of(query: lf.LazyFrame, *without: str) -> list[Firing]:
    found: list[Firing] = []
    optimize(plan_of(query), trace=found, disable=without)
    return found


def test_each_step_shows_what_it_changed():
    query = t.join(u.sort("w"), left_on="a", right_on="k", coalesce=False).filter(col("d") > 1).head(2)
    assert format_trace(trace_of(query)) == dedent(
        """\
        2 steps: push_filter_below_join, push_filter_into_scan

        1. push_filter_below_join
          before
            Filter d > 1
              Join inner on a == k
                Scan t …
                Sort by w …
          after
            Join inner on a == k
              Filter d > 1
                Scan t …
              Sort by w …

        2. push_filter_into_scan
          before
            Filter d > 1
              Scan t [a, b, c, d]
          after
            Scan t [a, b, c, d] where d > 1"""
    )


def test_steps_are_counted_by_rule():
    query = t.filter(col("a") > 1).filter(col("a") < 5).filter(col("d") > 1)
    first, *_ = format_trace(trace_of(query)).splitlines()
    assert first == "3 steps: push_filter_into_scan (3 times)"
    assert format_trace([]) == "No rule changed the plan."
    assert t.explain(verbose=True).splitlines()[0] == "No rule changed the plan."


def test_a_rule_that_sees_the_whole_plan_shows_one_corner():
    before = plan_of(t.sort("a").head(2).filter(col("a") > 1))
    after = before.with_children([Limit(Sort(plan_of(t.reverse()), before.input.input.keys), 2)])
    assert changed(before, after) == (plan_of(t), plan_of(t.reverse()))
    other = plan_of(t.sort("a").head(3).filter(col("a") > 1))
    assert changed(before, other) == (before.input, other.input)


def test_two_corners_are_shown_under_what_joins_them():
    query = t.join(u, left_on="a", right_on="k", coalesce=False).select("a", "w")
    (firing,) = trace_of(query)
    assert format_trace([firing]).splitlines()[2:] == [
        "1. push_projection",
        "  before",
        "    Project a, w",
        "      Join inner on a == k",
        "        Scan t [a, b, c, d]",
        "        Scan u [k, v, w]",
        "  after",
        "    Project a, w",
        "      Join inner on a == k",
        "        Scan t [a] 1 of 4 columns",
        "        Scan u [k, w] 2 of 3 columns",
    ]


def test_long_labels_of_what_stays_are_cut():
    query = wide.with_row_index().select(wide.columns).sort(wide.columns).head(1).head(5)
    text = format_trace(trace_of(query, "push_projection", "push_limit_below_project"))
    assert max(map(len, text.splitlines()[3:])) < 600
    cut = [line.strip() for line in text.splitlines() if line.strip().startswith("Project") and line.endswith("…")]
    assert cut
    assert all(len(line) <= 75 for line in cut)


def test_the_plan_itself_comes_last():
    shown = t.filter(col("a") > 1).explain(verbose=True)
    assert shown.endswith("\n\n" + t.filter(col("a") > 1).explain())
