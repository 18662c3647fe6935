"""Moments and quantiles by kernels, beside the vectorized ones (bits) and other implementations (values)."""

from __future__ import annotations

import datetime as dt
import math

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import lazyframe as lf

ROWS = 200_000


@pytest.fixture(autouse=True, params=["0", "1"])
def _everything_by_kernels(request, monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    monkeypatch.setenv("LAZYFRAME_CHECKED", request.param)


def found(sql, threads=2, **tables):
    with lf.config(threads=threads):
        return lf.sql(sql, **tables).collect().to_arrow().combine_chunks()


def vectorized(monkeypatch, sql, **tables):
    with monkeypatch.context() as patch:
        patch.setenv("LAZYFRAME_COMPILED", "off")
        return found(sql, **tables)


def bits(table):
    columns = []
    for column in table.columns:
        if pa.types.is_float64(column.type):
            valid = column.is_valid()
            words = column.combine_chunks().fill_null(0.0).to_numpy().view(np.int64)
            column = pa.array(words, mask=~valid.combine_chunks().to_numpy(zero_copy_only=False))
        columns.append(column.to_pylist())
    return columns


def drawn(groups, rows=ROWS):
    random = np.random.default_rng(groups)
    x = random.normal(1e6, 3, rows)
    return pa.table(
        {
            "k": pa.array(random.integers(0, groups, rows), mask=random.random(rows) < 0.01),
            "x": pa.array(x, mask=random.random(rows) < 0.1),
            "y": pa.array(0.3 * x + random.normal(0, 1, rows)),
            "i": pa.array(random.integers(-(10**6), 10**6, rows).astype(np.int32), mask=random.random(rows) < 0.2),
            "d": pa.array(random.integers(0, 10**9, rows)).cast(pa.decimal128(21, 2)).cast(pa.decimal128(12, 2)),
            "t": pa.array(random.integers(0, 10**9, rows), pa.timestamp("us")),
            "flag": pa.array(random.random(rows) < 0.5),
        }
    )


QUESTIONS = (
    "SELECT k, stddev(x) AS s, var_pop(i) AS v, skewness(x) AS w, kurtosis(y) AS q, count(*) AS n, sum(x) AS t FROM x GROUP BY k",
    "SELECT k, flag, corr(x, y) AS r, covar_samp(i, y) AS c, avg(x) AS a FROM x WHERE i > 0 GROUP BY k, flag",
    "SELECT k, median(x) AS m, quantile_cont(i, 0.25) AS q, stddev(x) FILTER (WHERE flag) AS s, min(y) AS y FROM x GROUP BY k",
    "SELECT k, quantile_disc(x, 0.9) AS a, quantile_disc(d, 0.1) AS b, median(d) AS e, median(t) AS f, count(x) AS n FROM x GROUP BY k",
    "SELECT stddev(x) AS s, corr(x, y) AS r, median(y) AS m, skewness(i) AS w, kurtosis(x) FILTER (WHERE flag) AS q FROM x",
    "SELECT flag, median(x) FILTER (WHERE i > 0) AS m, corr(y, x) FILTER (WHERE i < 0) AS r FROM x GROUP BY flag",
    "SELECT stddev(x) AS s, corr(x, y) AS r, median(y) AS m FROM x WHERE y < 0",
)


@pytest.mark.parametrize("groups", [1, 300, 10**6])
@pytest.mark.parametrize("sql", QUESTIONS)
def test_bits_and_order_are_those_of_the_vectorized_path(monkeypatch, groups, sql):
    x = drawn(groups)
    expected = bits(vectorized(monkeypatch, sql, x=x))
    for threads in (1, 3):
        assert bits(found(sql, threads, x=x)) == expected


@pytest.mark.parametrize("sql", QUESTIONS)
def test_values_are_those_of_duckdb(sql):
    x = drawn(1500)
    theirs = duckdb.connect()
    theirs.register("x", x)
    expected = theirs.sql(sql).fetchall()
    mine = list(zip(*[column.to_pylist() for column in found(sql, x=x).columns], strict=True))

    def key(row):
        return [str(value) for value in row[:2] if isinstance(value, int | bool | None)]

    for a, b in zip(sorted(mine, key=key), sorted(expected, key=key), strict=True):
        for u, v in zip(a, b, strict=True):
            if isinstance(v, float) and u is not None:
                # DuckDB's moments of higher orders are sums of powers, which lose digits far from 0.
                assert math.isclose(float(u), v, rel_tol=1e-6, abs_tol=1e-6) or "kurtosis" in sql
            elif isinstance(v, dt.datetime):
                # It rounds what lies between two of them up.
                assert v - u in (dt.timedelta(0), dt.timedelta(microseconds=1))
            elif v is not None:
                # Its medians of decimals are decimals, ours lie between two of them.
                assert abs(u - float(v)) <= 0.01 if isinstance(u, float) else u == v


@pytest.mark.parametrize("keys", [1, 50_000])
def test_equal_values_do_not_vary_however_many_batches_they_are_in(keys):
    n = 400_000
    x = pa.table({"k": np.arange(n) % keys, "x": np.full(n, 0.1), "y": np.arange(n, dtype=np.float64)})
    answer = found("SELECT k, var_samp(x) AS v, corr(x, y) AS r FROM x GROUP BY k", x=x)
    assert set(answer["v"].to_pylist()) == {0.0}
    assert all(math.isnan(r) for r in answer["r"].to_pylist())


def test_variance_of_values_far_from_zero():
    values = np.random.default_rng(5).integers(0, 4, ROWS)
    answer = found(
        "SELECT var_pop(x) AS v, var_pop(x) FILTER (WHERE x > 1e12) AS w FROM x", x=pa.table({"x": 1e12 + values})
    )
    assert answer["v"].to_pylist() == [pytest.approx(np.var(values), rel=1e-9)]
    assert answer["w"].to_pylist() == [pytest.approx(np.var(values[values > 0]), rel=1e-9)]


def test_groups_with_nan_and_infinities_have_no_number_for_a_variance():
    n = 200_000
    x = np.random.default_rng(6).normal(size=n)
    k = np.arange(n) % 4
    x[n // 2 + 1], x[3 * n // 4 + 2] = np.nan, np.inf
    answer = found(
        "SELECT k, var_samp(x) AS v, median(x) AS m FROM x GROUP BY k", x=pa.table({"k": k, "x": x})
    ).to_pydict()
    by_key = dict(zip(answer["k"], zip(answer["v"], answer["m"], strict=True), strict=True))
    assert math.isnan(by_key[1][0])
    assert math.isnan(by_key[2][0])
    for key in (0, 3):
        assert by_key[key][0] == pytest.approx(np.var(x[k == key], ddof=1), rel=1e-12)
    # NaN is the greatest.
    for key in range(4):
        part = np.sort(x[k == key])
        assert by_key[key][1] == (part[len(part) // 2 - 1] + part[len(part) // 2]) / 2


def test_a_median_of_zeros_is_zero(monkeypatch):
    x = pa.table({"k": np.arange(120_000) % 3, "x": np.full(120_000, -0.0)})
    sql = "SELECT k, median(x) AS m, quantile_disc(x, 0.5) AS q FROM x GROUP BY k"
    for answer in (found(sql, x=x), vectorized(monkeypatch, sql, x=x)):
        for name in ("m", "q"):
            assert [math.copysign(1, value) for value in answer[name].to_pylist()] == [1.0] * 3


def test_rows_of_a_join_may_be_more_than_those_of_a_batch():
    random = np.random.default_rng(8)
    x = pa.table({"k": random.integers(0, 50, 150_000), "x": random.normal(size=150_000)})
    other = pa.table({"k": np.repeat(np.arange(50), 7), "g": np.arange(350) % 11})
    sql = "SELECT g, median(x) AS m, var_samp(x) AS v FROM x JOIN o ON x.k = o.k GROUP BY g"
    answer = found(sql, x=x, o=other)
    theirs = duckdb.connect()
    theirs.register("x", x)
    theirs.register("o", other)
    expected = {g: (m, v) for g, m, v in theirs.sql(sql).fetchall()}
    for g, m, v in zip(*[column.to_pylist() for column in answer.columns], strict=True):
        assert m == expected[g][0]
        assert v == pytest.approx(expected[g][1], rel=1e-9)
