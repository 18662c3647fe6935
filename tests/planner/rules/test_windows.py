"""Window functions in a plan: filters that pass them, windows that merge, calls that nobody uses."""

from __future__ import annotations

import lazyframe as lf
from lazyframe.planner.functions.definition import lookup_window
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.statistics import estimate
from tests.planner.rules.harness import plan_of, t

col = lf.col
ranked = t.with_columns(n=col("d").sum().over("c", order_by="a"))


def test_calls_that_nobody_uses_go():
    plan = optimize(plan_of(ranked.with_columns(m=col("a").rank("min")).select("n", "a")), check=True)
    assert repr(plan).splitlines() == [
        "Project sum as n, a",
        "  Window sum(d) over (partition by c order by a) as sum",
        "    Scan t [a, c, d] 3 of 4 columns",
    ]
    alone = optimize(plan_of(ranked.select("a")), check=True)
    assert repr(alone) == "Scan t [a] 1 of 4 columns"


def test_columns_that_nobody_uses_are_not_kept():
    plan = optimize(plan_of(t.filter(col("b") > 0).with_columns(n=lf.row_number().over("c")).select("n")), check=True)
    assert repr(plan).splitlines() == [
        "Project row_number as n",
        "  Window row_number() over (partition by c) as row_number",
        "    Scan t [c] 1 of 4 columns where b > 0.0",
    ]


def test_a_window_gives_as_many_rows_as_it_gets():
    assert estimate(plan_of(ranked)) == estimate(plan_of(t))


def test_every_aggregate_is_a_window_function():
    assert lookup_window("sum").is_aggregate
    assert lookup_window("sum").framed
    assert not lookup_window("rank").is_aggregate
