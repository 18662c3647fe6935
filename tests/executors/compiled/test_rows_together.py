"""Sums without keys, for which kernels take several rows at a time: their bits beside the vectorized ones, their values beside `fsum`."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.planner.errors import EvaluationError

TOGETHER = "each 8 rows"


@pytest.fixture(autouse=True)
def checked(monkeypatch):
    monkeypatch.setenv("LAZYFRAME_CHECKED", "1")
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")


def drawn(rows, *, nulls):
    random = np.random.default_rng(rows)

    def mask():
        return random.random(rows) < 0.2 if nulls else None

    return pa.table(
        {
            "x": pa.array(random.normal(size=rows) * 10.0 ** random.integers(-8, 8, rows), mask=mask()),
            "y": pa.array(random.normal(size=rows), mask=mask()),
            "f": pa.array(random.normal(size=rows).astype(np.float32), mask=mask()),
            "i": pa.array(random.integers(-(10**9), 10**9, rows), mask=mask()),
            "s": pa.array(random.integers(-11, 12, rows).astype(np.int8), mask=mask()),
            "b": pa.array(random.random(rows) < 0.5, mask=mask()),
        }
    )


def row_of(sql, x):
    return lf.sql(sql, x=x).collect().to_dicts()[0]


def by_vectors(monkeypatch, sql, x):
    with monkeypatch.context() as patch:
        patch.setenv("LAZYFRAME_COMPILED", "off")
        return row_of(sql, x)


def same(a, b):
    return {name: repr(value) for name, value in a.items()} == {name: repr(value) for name, value in b.items()}


QUESTIONS = (
    "SELECT sum(x) AS a, sum(x * y) AS b, avg(y) AS c, count(x) AS d, count(*) AS e FROM x",
    "SELECT sum(f) AS a, sum(CAST(i AS DOUBLE) * y) AS b, avg(CAST(s AS DOUBLE) / 3.0e0) AS c FROM x",
    "SELECT sum(CASE WHEN b THEN x END) AS a, sum(CASE WHEN y > 0 AND NOT b THEN y ELSE -1e0 END) AS b FROM x",
    "SELECT sum(abs(x)) AS a, sum(sqrt(abs(y))) AS b, sum(coalesce(x, y, 2e0)) AS c FROM x",
    "SELECT sum(CASE WHEN x IS NULL THEN 1e0 ELSE 0e0 END) AS a, count(CASE WHEN b THEN y END) AS b FROM x",
    "SELECT sum(CAST(i + s AS DOUBLE)) AS a, sum(CAST(s * s AS DOUBLE)) AS b FROM x",
)


@pytest.mark.parametrize("sql", QUESTIONS)
@pytest.mark.parametrize("nulls", [False, True])
def test_any_number_of_rows_gives_the_bits_of_the_vectorized_executor(monkeypatch, sql, nulls):
    assert TOGETHER in lf.sql(sql, x=drawn(10, nulls=nulls)).explain(code=True)
    for rows in (0, 1, 7, 8, 9, 16, 23, 1000, 5003):
        x = drawn(rows, nulls=nulls)
        assert same(row_of(sql, x), by_vectors(monkeypatch, sql, x)), rows


@pytest.mark.parametrize("start", range(9))
def test_columns_that_begin_anywhere(monkeypatch, start):
    x = drawn(203, nulls=True).slice(start)
    for sql in QUESTIONS:
        assert same(row_of(sql, x), by_vectors(monkeypatch, sql, x))


def test_what_kernels_do_not_take_together_has_the_same_bits(monkeypatch):
    # Little that is computed of the rows that a filter keeps, a state that is no sum, a condition of one aggregate.
    x = drawn(1003, nulls=True)
    for sql in (
        "SELECT sum(x) AS a FROM x WHERE b",
        "SELECT sum(x) AS a, max(y) AS b FROM x",
        "SELECT sum(x) AS a, sum(y) FILTER (WHERE b) AS b FROM x",
        "SELECT sum(exp(x) + 1) FILTER (WHERE s > 3) AS a FROM x WHERE b",
        "SELECT sum(x) AS a, stddev(y) AS b, sum(DISTINCT f) AS c FROM x",
    ):
        assert same(row_of(sql, x), by_vectors(monkeypatch, sql, x))
        assert TOGETHER not in lf.sql(sql, x=x).explain(code=True)


BUFFERED = (
    "SELECT sum({e}) AS a, sum({e} * 3) AS b, count(x) AS c FROM x WHERE b",
    "SELECT sum({e}) AS a, avg({e} + 1) AS b FROM x JOIN d ON x.s = d.k WHERE y > -1",
    "SELECT sum(z) AS a, count(z) AS b FROM (SELECT {e} * CASE WHEN b THEN y END AS z FROM x WHERE x > 0) WHERE z < 1",
    "SELECT sum(CASE WHEN c THEN {e} ELSE -{e} END) AS a FROM (SELECT *, x > y AS c FROM x LEFT JOIN d ON x.s = d.k)",
)


@pytest.mark.parametrize("coded", [False, True])
def test_what_is_asked_of_strings_is_buffered(monkeypatch, coded):
    random = np.random.default_rng(7)
    words = pa.array(random.choice(["red", "green", "blue", ""], 1003), mask=random.random(1003) < 0.1)
    x = drawn(1003, nulls=True).append_column("w", words.dictionary_encode() if coded else words)
    sql = """SELECT sum(exp(y) * CASE WHEN w = 'red' THEN x WHEN w LIKE '%e%' THEN y ELSE length(w) END) AS a,
        sum(ln(abs(y) + 1) * CASE WHEN w IS NULL OR w <> 'blue' THEN 1e0 ELSE 0e0 END) AS b FROM x"""
    assert "there are 8" in lf.sql(sql, x=x).explain(code=True)
    assert same(row_of(sql, x), by_vectors(monkeypatch, sql, x))
    # A cast may fail, and is asked for in some of the rows only.
    numbers = drawn(1003, nulls=False).append_column("w", pa.array(["1", "x"] * 501 + ["2"]))
    sql = "SELECT sum(exp(y) * CASE WHEN w <> 'x' THEN CAST(w AS DOUBLE) ELSE 0e0 END) AS a FROM x"
    assert same(row_of(sql, numbers), by_vectors(monkeypatch, sql, numbers))


@pytest.mark.parametrize("sql", BUFFERED)
@pytest.mark.parametrize("nulls", [False, True])
def test_rows_behind_filters_and_joins_are_buffered_where_much_is_computed_of_them(monkeypatch, sql, nulls):
    sql = sql.format(e="exp(-abs(x * 1e-9)) / (1 + exp(-y)) * sqrt(abs(y) + 1)")
    d = pa.table({"k": pa.array(range(-11, 12, 2), pa.int8())})

    def run(x):
        return lf.sql(sql, x=x, d=d).collect().to_dicts()[0]

    assert "there are 8" in lf.sql(sql, x=drawn(10, nulls=nulls), d=d).explain(code=True)
    for rows in (0, 1, 7, 8, 9, 31, 1000, 5003):
        x = drawn(rows, nulls=nulls)
        with monkeypatch.context() as patch:
            patch.setenv("LAZYFRAME_COMPILED", "off")
            expected = run(x)
        assert same(run(x), expected), rows


def test_values():
    x = drawn(5003, nulls=True)
    found = row_of(QUESTIONS[0], x)
    pairs = [(a, b) for a, b in zip(x["x"].to_pylist(), x["y"].to_pylist(), strict=True) if a is not None]
    known = [a for a, _ in pairs]
    scale = math.fsum(map(abs, known))
    assert abs(found["a"] - math.fsum(known)) <= 1e-13 * scale
    assert abs(found["b"] - math.fsum([a * b for a, b in pairs if b is not None])) <= 1e-12 * scale
    assert found["d"] == len(known)
    assert found["e"] == 5003


def test_infinities_and_no_numbers_go_into_sums_unless_they_stand_at_nulls():
    values = pa.array([1.0, math.nan, 2.0, math.inf] * 4, mask=np.array([False, True, False, True] * 4))
    x = pa.table({"x": values})
    assert row_of("SELECT sum(x) AS a FROM x", x) == {"a": 12.0}
    assert math.isnan(row_of("SELECT sum(x) AS a FROM x", pa.table({"x": [1.0] * 20 + [math.nan]}))["a"])
    assert row_of("SELECT sum(x) AS a FROM x", pa.table({"x": [math.inf] + [1.0] * 20}))["a"] == math.inf


def test_a_row_without_an_answer_is_an_error():
    x = pa.table({"i": [1] * 13 + [2**63 - 1] + [1] * 9})
    with pytest.raises(EvaluationError, match="9223372036854775807"):
        lf.sql("SELECT sum(CAST(i + 1 AS DOUBLE)) AS a FROM x", x=x).collect()
    fits = pa.table({"i": [1] * 13 + [2**63 - 2] + [1] * 9})
    assert row_of("SELECT sum(CAST(i + 1 AS DOUBLE)) AS a FROM x", fits) == {"a": 2.0**63 + 44}


def test_an_expression_may_be_deep():
    expression = lf.col("x")
    for number in range(1, 700):
        expression = expression * 0.5 + number
    frame = lf.from_arrow(pa.table({"x": [1.0] * 20})).select(expression.sum().alias("a"))
    assert TOGETHER in frame.explain(code=True)
    value = 1.0
    for number in range(1, 700):
        value = value * 0.5 + number
    assert frame.item() == 20 * value


def test_what_only_a_condition_of_an_aggregate_asks_for_is_there():
    x = lf.from_arrow(pa.table({"is": [True, False, None] * 10, "v": [1.0] * 30}))
    sums = [lf.lit(0.5).sum().filter(lf.max_horizontal(lf.col("is"), False)).alias("a"), lf.lit(0.25).sum().alias("b")]
    assert x.select(*sums).to_dicts() == [{"a": 5.0, "b": 7.5}]
    assert x.filter(lf.col("v") > 0).select(*sums).to_dicts() == [{"a": 5.0, "b": 7.5}]
