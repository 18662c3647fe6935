"""Chains of 20,000 verbs plan, explain and run; fewer where each step is dear, but more than any recursion could take."""

from __future__ import annotations

import time

import pytest

import lazyframe as lf
from lazyframe import col

VERBS = 20_000
SECONDS = 60
"""Of the processor, so that a busy machine does not matter. What is quadratic takes minutes; a few seconds are usual."""

frame = lf.from_dict({"x": [3, 1, 2], "y": ["a", "b", "c"]})


def filters(df: lf.LazyFrame) -> tuple[lf.LazyFrame, list]:
    for n in range(VERBS):
        df = df.filter(col("x") > -n)
    return df, [(3, "a"), (1, "b"), (2, "c")]


def additions(df: lf.LazyFrame) -> tuple[lf.LazyFrame, list]:
    for _ in range(VERBS):
        df = df.with_columns(x=col("x") + 1)
    return df, [(20_003, "a"), (20_001, "b"), (20_002, "c")]


def choices(df: lf.LazyFrame) -> tuple[lf.LazyFrame, list]:
    for _ in range(VERBS // 8):
        df = df.with_columns(x=lf.when(col("x") > 2).then(col("x") - 1).otherwise(col("x") + 1)).filter(col("x") > 0)
    # 3 goes to 2, 3, 2, ...; 1 to 2, 3, 2, ...; 2 to 3, 2, ...: an even number of steps ends where two of them do.
    return df, [(3, "a"), (3, "b"), (2, "c")]


def mixed(df: lf.LazyFrame) -> tuple[lf.LazyFrame, list]:
    for n in range(VERBS // 8):
        df = (
            df.select("y", "x")
            .rename({"x": "z"})
            .filter(col("z") >= n)
            .with_columns(x=col("z") + 1)
            .head(10)
            .sort("x", descending=n % 2 == 0)
            .select("x", "y")
            .filter(col("y") != "q")
        )
    # The last of an even number of sorts is ascending.
    return df, [(2_501, "b"), (2_502, "c"), (2_503, "a")]


def concatenations(df: lf.LazyFrame) -> tuple[lf.LazyFrame, list]:
    for _ in range(VERBS // 10):
        df = lf.concat([df, df.head(1)]).unique().head(3)
    return df, [(3, "a"), (1, "b"), (2, "c")]


def joins(df: lf.LazyFrame) -> tuple[lf.LazyFrame, list]:
    keep = lf.from_dict({"x": [1, 2, 3, 4]}).lazy()
    for _ in range(300):
        df = df.join(keep, on="x")
    return df, [(3, "a"), (1, "b"), (2, "c")]


def groups(df: lf.LazyFrame) -> tuple[lf.LazyFrame, list]:
    for _ in range(1_000):
        df = df.group_by("x", "y").agg(n=lf.len()).select("x", "y")
    return df, [(3, "a"), (1, "b"), (2, "c")]


@pytest.mark.parametrize("build", [filters, additions, choices, mixed, concatenations, joins, groups])
def test_deep_chain(build):
    started = time.process_time()
    df, expected = build(frame.lazy())
    assert len(df.explain(optimized=False).splitlines()) > 100
    assert df.explain()
    table = df.to_arrow()
    assert list(zip(*table.to_pydict().values(), strict=True)) == expected
    assert table.schema == df.schema.to_arrow()
    assert time.process_time() - started < SECONDS


def sums() -> tuple[lf.Expr, list]:
    e = col("x")
    for _ in range(VERBS):
        e = e + 1
    return e, [20_003, 20_001, 20_002]


def alternatives() -> tuple[lf.Expr, list]:
    e = col("x") == 0
    for n in range(2, 5_000):
        e = e | (col("x") == n)
    return e, [True, False, True]


def cases_without_errors() -> tuple[lf.Expr, list]:
    e = lf.lit(0)
    for n in range(3_000):
        e = lf.when(col("x") == n).then(10 * n).otherwise(e)
    return e, [30, 10, 20]


def cases_with_guards() -> tuple[lf.Expr, list]:
    e = col("x")
    for n in range(1_000):
        e = lf.when(col("x") > n).then(e // 2 + 1).otherwise(col("x"))
    return e, [3, 1, 2]


@pytest.mark.parametrize("build", [sums, alternatives, cases_without_errors, cases_with_guards])
def test_deep_expression(build):
    expression, expected = build()
    assert frame.select(expression.alias("e")).to_dict()["e"] == expected
