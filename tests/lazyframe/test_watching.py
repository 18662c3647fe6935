"""Watching: every action with its line and what it read, and what was done twice."""

from __future__ import annotations

import inspect
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "orders.parquet"
    pq.write_table(pa.table({"k": range(1000), "v": range(1000)}), path)
    return lf.scan_parquet(str(path))


def here(back: int) -> str:
    frame = inspect.currentframe().f_back
    return f"test_watching.py:{frame.f_lineno - back}"


def test_actions(rows, tmp_path):
    with lf.watch() as watched:
        rows.filter(col("k") < 10).collect()
        line = here(1)
        rows.select("k").sink_parquet(tmp_path / "out.parquet")
        lf.collect_all([rows.head(2), rows.tail(3)])
        with rows.collect_batches() as batches:
            list(batches)
        rows.submit().result()
        submitted = here(1)
        lf.prepare(rows.filter(col("k") < lf.param("n"))).collect(n=5)
    assert [action.rows for action in watched.actions] == [10, 1000, 5, 1000, 1000, 5]
    first = watched.actions[0]
    assert first.line == line
    assert first.rows_read == 1000
    assert first.bytes_read > 0
    assert first.seconds > 0
    assert [name.rpartition("/")[2] for name in first.sources] == ["orders.parquet"]
    assert watched.actions[4].line == submitted
    rows.collect()
    assert len(watched.actions) == 6
    assert "6 actions in" in repr(watched)
    assert f"{line}: 10 rows in " in repr(watched)


def test_work_done_twice(rows):
    with lf.watch() as watched:
        big = rows.filter(col("v") % 2 == 0)
        after = here(1)
        assert big.count() == 500
        first = here(1)
        assert big.select(col("v").max()).item() == 998
        second = here(1)
    (advice,) = watched.advice
    assert advice.startswith(f"{first} and {second} read ")
    assert f"orders.parquet: cache() after {after} would save up to " in advice


def test_the_advice_is_good(rows):
    with lf.watch() as watched:
        big = rows.filter(col("v") % 2 == 0).cache()
        assert big.count() == 500
        assert big.select(col("v").max()).item() == 998
    assert watched.advice == []
    assert [action.rows_read for action in watched.actions] == [1000, 0]


def test_a_loop(rows):
    with lf.watch() as watched:
        for n in range(3):
            rows.filter(col("k") == n).count()
            line = here(1)
    (advice,) = watched.advice
    assert advice.startswith(f"{line}, 3 times, read ")


def test_nothing_is_advised_for_rows_in_memory_or_of_different_values():
    frame = lf.from_dict({"x": [1, 2, 3]})
    w = lf.param("w", 1)
    with lf.watch() as watched:
        frame.filter(col("x") > 1).count()
        frame.filter(col("x") > 2).count()
        frame.select(col("x") * w).collect()
        frame.select(col("x") * w).collect(w=2)
    assert watched.advice == []


def test_an_action_that_fails():
    frame = lf.from_dict({"x": [1, 0]}).select(1 // col("x"))
    with lf.watch() as watched, pytest.raises(lf.errors.EvaluationError):
        frame.collect()
    assert [action.rows for action in watched.actions] == [None]
    assert "failed" in repr(watched)


def test_watches_within_each_other_and_threads(rows):
    with lf.watch() as outer:
        rows.count()
        with lf.watch() as inner:
            threads = [threading.Thread(target=rows.count) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert (len(outer.actions), len(inner.actions)) == (5, 4)
