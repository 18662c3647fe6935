"""Long plans and deep expressions: an answer or a refusal, never a stack that overflows."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col

TABLE = pa.table({"x": [1, 2, 3]})
F = lf.from_arrow(TABLE).lazy()


def chained(count, step):
    frame = F
    for index in range(count):
        frame = step(frame, index)
    return frame


@pytest.mark.parametrize("optimized", [False, True])
@pytest.mark.parametrize(
    ("step", "count"),
    [
        (lambda f, i: f.filter(col("x") % (i + 2) >= 0), 1_500),
        (lambda f, i: f.with_columns(x=col("x") + 1), 1_500),
        (lambda f, i: f.sort("x").head(100), 500),
        (lambda f, i: f.join(F.select("x", **{f"y{i}": col("x")}), on="x"), 60),
    ],
)
def test_long_chains(step, count, optimized):
    assert chained(count, step).to_sql(optimized=optimized).count("\n") >= count / 10


def deep(count, step):
    expression = col("x")
    for _ in range(count):
        expression = step(expression)
    return F.select(r=expression)


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (deep(40, lambda e: e % 7 + 1), [(6,), (7,), (1,)]),
        (deep(200, lambda e: e + 1), [(201,), (202,), (203,)]),
        (deep(25, lambda e: e + e), [(1 << 25,), (2 << 25,), (3 << 25,)]),
        (chained(100, lambda f, i: f.with_columns(x=col("x") + 1)), [(101,), (102,), (103,)]),
        (chained(100, lambda f, i: f.filter(col("x") > -i)), [(1,), (2,), (3,)]),
        (chained(25, lambda f, i: lf.concat([f, f]).unique()), [(1,), (2,), (3,)]),
    ],
)
def test_what_deep_plans_give(frame, expected):
    with duckdb.connect() as connection:
        connection.register("frame_1", TABLE)
        for optimized in (False, True):
            assert sorted(connection.sql(frame.to_sql(optimized=optimized)).fetchall()) == sorted(expected)


def test_long_conditions_are_flat():
    condition = col("x") > 0
    for index in range(2_000):
        condition = condition & (col("x") > -index)
    text = F.filter(condition).to_sql()
    assert text.count("AND") == 2_000
    assert "(" not in text


def test_an_expression_without_end_is_refused():
    expression = col("x")
    for _ in range(7):
        expression = lf.max_horizontal(*[expression] * 10)
    frame = F.group_by("x").agg(expression.sum().alias("r"))
    with pytest.raises(lf.errors.UnsupportedError, match="too long"):
        frame.to_sql()
