from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.executors.compiled.keys.firsts import MOST_KEPT, first_rows


@pytest.fixture(autouse=True, params=["0", "1"])
def _everything_by_kernels(request, monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    monkeypatch.setenv("LAZYFRAME_CHECKED", request.param)


@pytest.mark.parametrize("count", [1, 2, 5, MOST_KEPT])
@pytest.mark.parametrize("groups", [1, 7, 300])
@pytest.mark.parametrize("with_ties", [False, True])
def test_rows_are_those_that_sorting_finds(count, groups, with_ties):
    n = 20_000
    random = np.random.default_rng(count)
    for values in (random.integers(0, 50, n), random.integers(0, 1 << 63, n), np.arange(n), -np.arange(n) + n):
        codes, words = random.integers(0, groups, n), values.astype(np.uint64)
        found = first_rows(codes, groups, words, count, with_ties=with_ties)
        assert found is not None
        expected = np.zeros(n, dtype=bool)
        for group in range(groups):
            (rows,) = np.nonzero(codes == group)
            best = rows[np.argsort(words[rows], kind="stable")][:count]
            expected[rows[words[rows] <= words[best[-1]]] if with_ties else best] = True
        assert found.tolist() == expected.tolist()


def test_partitions_without_rows():
    found = first_rows(np.array([3, 3, 1, 3]), 4, np.array([5, 4, 9, 6], dtype=np.uint64), 2, with_ties=True)
    assert found is not None
    assert found.tolist() == [True, True, True, False]


def test_more_rows_than_are_kept_are_sorted():
    codes, words = np.zeros(1000, dtype=np.int64), np.arange(1000, dtype=np.uint64)
    assert first_rows(codes, 1, words, MOST_KEPT + 1, with_ties=False) is None
    assert first_rows(np.arange(1000), 1000, words, 3, with_ties=False) is None


@pytest.mark.parametrize("function", ["row_number", "rank"])
@pytest.mark.parametrize("order", ["a", "a desc", "a desc nulls first, b", "f desc", "f desc nulls last", "s, a"])
def test_queries_answer_as_duckdb_does(function, order):
    import duckdb

    random = np.random.default_rng(5)
    n = 9000
    rows = pa.table(
        {
            "g": random.integers(0, 90, n),
            "a": pa.array([None if k == 0 else int(k) for k in random.integers(0, 20, n)], pa.int32()),
            "b": random.integers(-5, 5, n),
            "f": pa.array(np.where(random.random(n) < 0.1, np.nan, random.normal(size=n).round(1))),
            "s": pa.array([f"text {k}" for k in random.integers(0, 30, n)]),
            "i": np.arange(n),
        }
    )
    tie = ", i" if function == "row_number" else ""
    query = f"select g, i from (select *, {function}() over (partition by g order by {order}{tie}) as n from rows) where n <= 3"
    ours = lf.sql(query, rows=rows).collect().to_arrow().to_pylist()
    theirs = duckdb.sql(query).to_arrow_table().to_pylist()
    key = lambda row: row["i"]  # noqa: E731
    assert sorted(ours, key=key) == sorted(theirs, key=key)
