"""Window functions in a plan: filters that pass them, windows that merge, calls that nobody uses."""

from __future__ import annotations

import lazyframe as lf
from lazyframe.planner.functions.definition import lookup_window
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Window
from lazyframe.planner.rules.push_filter_below_window import push_filter_below_window
from lazyframe.planner.statistics import estimate
from tests.planner.rules.harness import Case, cases, check, plan_of, t

col = lf.col
ranked = t.with_columns(n=col("d").sum().over("c", order_by="a"))


def window(**calls):
    """`t` with window functions under these names, and no projection above them."""
    plan = plan_of(t.select(**calls))
    return lf.LazyFrame(plan.input)


@cases(
    Case(
        "by a column of the partition",
        lambda: window(n=col("d").sum().over("c")).filter((col("c") == "x") & (col("sum") > 1)),
        """
        Filter sum > 1
          Window sum(d) over (partition by c) as sum
            Filter c == "x"
              Scan t [a, b, c, d]
        """.replace('"x"', "'x'"),
    ),
    Case(
        "by one of several",
        lambda: window(n=col("d").sum().over("c", "a")).filter(col("a") > 1),
        """
        Window sum(d) over (partition by c, a) as sum
          Filter a > 1
            Scan t [a, b, c, d]
        """,
    ),
    Case("by no column of the partition", lambda: window(n=col("d").lag().over("c")).filter(col("a") > 1)),
    Case("by the order", lambda: window(n=col("d").lag().over("c", order_by="a")).filter(col("a") > 1)),
    Case("by the value", lambda: window(n=col("d").lag().over("c")).filter(col("lag") > 1)),
    Case(
        "by what one of two is partitioned by",
        lambda: window(n=col("d").sum().over("c"), m=col("d").max().over("a")).filter(col("c") == "x"),
    ),
    Case("over all rows", lambda: window(n=col("d").sum().over()).filter(col("c") == "x")),
    Case("by an expression", lambda: window(n=col("d").sum().over(col("a") % 2)).filter(col("a") > 1)),
    Case("what may raise", lambda: window(n=col("d").sum().over("d")).filter(6 // col("d") > 1), runs=False),
    Case("what tells zeros apart", lambda: window(n=col("d").sum().over("b")).filter(1 / col("b") < 0)),
    Case("volatile", lambda: window(n=col("d").sum().over("d")).filter(lf.random() * col("d") < 9), runs=False),
    Case("volatile below", lambda: window(n=lf.random().sum().over("d")).filter(col("d") > 0), runs=False),
    Case("a part without columns", lambda: window(n=col("d").sum().over("d")).filter(lf.lit(None, "bool"))),
)
def test_push_filter_below_window(case):
    check(push_filter_below_window.name, case)


@cases(
    Case(
        "of different orders",
        lambda: lf.LazyFrame(
            Window(plan_of(window(n=col("d").sum().over("c"))), plan_of(t.select(m=lf.row_number())).input.calls)
        ),
        """
        Window sum(d) over (partition by c) as sum, row_number() over () as row_number
          Scan t [a, b, c, d]
        """,
    ),
    Case(
        "volatile",
        lambda: lf.LazyFrame(
            Window(plan_of(window(n=lf.random().sum().over("c"))), plan_of(t.select(m=lf.row_number())).input.calls)
        ),
        runs=False,
    ),
    Case("one over the other", lambda: lf.LazyFrame(plan_of(t.select(m=col("d").cum_count().cum_count())).input)),
)
def test_merge_windows(case):
    check("merge_windows", case)


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
