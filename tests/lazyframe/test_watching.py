"""Watching: every action with its line and what it read, and what was done twice."""

from __future__ import annotations

import inspect
import re
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


def test_nothing_is_advised_where_it_saves_nothing(rows):
    with lf.watch() as watched:
        rows.count()
        rows.count()  # from metadata
        rows.filter(col("k") > 5000).collect()
        rows.filter(col("k") > 5000).collect()  # no row group can hold any
        wrong = rows.select(1 // (col("k") - col("k")))
        for _ in range(2):
            with pytest.raises(lf.errors.EvaluationError):
                wrong.collect()
    assert watched.advice == []


def test_the_first_rows_of_a_large_file(tmp_path):
    path = tmp_path / "large.parquet"
    pq.write_table(pa.table({"k": range(400_000)}), path, row_group_size=50_000)
    large = lf.scan_parquet(str(path))
    with lf.config(threads=1), lf.watch() as watched:
        large.head(5).collect()
        large.head(3).collect()
    assert watched.advice == []


def test_two_scans_of_one_file(rows):
    again = lf.scan_parquet(rows._sources()[0])
    with lf.watch() as watched:
        rows.select(col("v").sum()).collect()
        again.select(col("v").max(), col("k").sum()).collect()
    (advice,) = watched.advice
    assert re.search(
        r"cache\(\) after test_watching.py:\d+, and that frame at test_watching.py:\d+, would save", advice
    )


def test_queries_in_sql(rows):
    with lf.watch() as watched:
        for _ in range(2):
            lf.sql("select sum(v) as s from rows where k % 2 = 0").collect()
            line = here(1)
    (advice,) = watched.advice
    assert advice.startswith(f"{line}, 2 times, read ")
    assert "one frame of the query in SQL, with cache(), would save" in advice


def test_prepared_and_trained(rows):
    query = lf.prepare(rows.filter(col("k") % 3 == 0).select((col("v") + lf.param("n", dtype="int64")).sum()))
    w = lf.param("w", 0.0)
    with lf.watch() as watched:
        query.collect(n=1)
        query.collect(n=2)
    (advice,) = watched.advice
    assert "would save" in advice
    kept = rows.filter(col("k") < 10)
    loss = kept.select(((col("v") * w - col("k")) ** 2).mean())
    with lf.watch() as watched:
        lf.fit(loss, [w], lf.optim.SGD([w], lr=1e-3), steps=3, progress=False)
    (advice,) = watched.advice
    assert f"3 times, read {rows._sources()[0]}" in advice
    better = kept.cache().select(((col("v") * w - col("k")) ** 2).mean())
    with lf.watch() as watched:
        lf.fit(better, [w], lf.optim.SGD([w], lr=1e-3), steps=3, progress=False)
    assert watched.advice == []
    assert sum(action.rows_read for action in watched.actions) == 1000


def test_batches_that_are_not_wanted_to_the_end(rows):
    with lf.watch() as watched:
        batches = rows.collect_batches()
        next(batches)
        batches.close()
    assert [action.rows for action in watched.actions] == [1000]
    assert "failed" not in repr(watched)


def test_one_watch_twice(rows):
    watched = lf.watch()
    with watched, watched:
        rows.select("k").collect()
    rows.select("k").collect()
    assert len(watched.actions) == 1


def test_verbs_that_run_at_once(rows):
    with lf.watch() as watched, lf.eager():
        big = rows.filter(col("v") > 500)
        line = here(1)
        big.select(col("v").max())
        big.select(col("v").min())
    assert watched.actions[0].line == line
    assert len(watched.actions) == 3
    assert watched.advice == []


def test_a_loop_is_one_line_of_the_report(rows):
    with lf.watch() as watched:
        for least in (1, 2, 3):
            rows.filter(col("k") >= least).count()
            line = here(1)
        rows.count()
    assert len(watched.actions) == 4
    _, loop, last = repr(watched).splitlines()[:3]
    assert loop.startswith(f"  {line}: 3 times 1 row in ")
    assert f"read {sum(action.rows_read for action in watched.actions[:3]):,} rows" in loop
    assert "times" not in last
