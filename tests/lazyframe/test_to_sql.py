"""`to_sql()` and the tables that its text reads."""

from __future__ import annotations

import datetime as dt

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col


@pytest.fixture
def frame():
    return lf.from_dict({"k": ["a", "b", "a"], "x": [1, 2, None]}).lazy()


def test_tables_are_handed_back_by_name(frame):
    other = lf.from_dict({"k": ["a"], "w": [2.5]}).lazy()
    query = frame.join(other, on="k").select("x", "w")
    assert list(query.sql_tables()) == ["frame_1", "frame_2"]
    assert lf.sql(query.to_sql(), **query.sql_tables()).to_dicts() == [{"x": 1, "w": 2.5}, {"x": None, "w": 2.5}]


def test_the_names_are_the_same_when_optimized(frame):
    other = lf.from_dict({"k": ["z"]}).lazy()
    query = lf.concat([other.head(0), frame.select("k")]).filter(col("k") == "b")
    for optimized in (False, True):
        found = lf.sql(query.to_sql(optimized=optimized), **query.sql_tables())
        assert found.to_dicts() == [{"k": "b"}]


def test_small_tables_as_values(frame):
    text = frame.filter(col("x") > 1).to_sql(inline_rows=3, pretty=False)
    assert text == (
        "WITH frame_1(k, x) AS (VALUES ('a', CAST(1 AS BIGINT)), ('b', CAST(2 AS BIGINT)), ('a', CAST(NULL AS BIGINT)))"
        " SELECT * FROM frame_1 WHERE x > 1"
    )
    assert duckdb.sql(text).fetchall() == [("b", 2)]
    assert lf.sql(text).to_dicts() == [{"k": "b", "x": 2}]
    assert "VALUES" not in frame.to_sql(inline_rows=2)


def test_values_read_twice_are_written_once(frame):
    text = frame.join(frame.select("x", y="k"), on="x").to_sql(inline_rows=3)
    assert text.count("VALUES") == 1
    assert duckdb.sql(text).fetchall() == [("a", 1, "a"), ("b", 2, "b")]


def test_an_empty_table_as_values():
    text = lf.from_arrow(pa.table({"x": pa.array([], pa.int32())})).lazy().to_sql(inline_rows=1)
    assert duckdb.sql(text).fetchall() == []


def test_parquet_files_by_path_or_by_name(tmp_path):
    path = tmp_path / "trips.2024.parquet"
    pq.write_table(pa.table({"x": [1, 2]}), path)
    query = lf.scan_parquet(path).select(col("x").sum())
    assert query.to_sql(pretty=False) == f"SELECT SUM(x) AS x FROM READ_PARQUET('{path}')"
    assert duckdb.sql(query.to_sql()).fetchall() == [(3,)]
    assert query.to_sql(files=False, pretty=False) == "SELECT SUM(x) AS x FROM trips"
    assert query.to_sql("postgres", pretty=False) == "SELECT SUM(x) AS x FROM trips"
    assert lf.sql(query.to_sql(files=False), **query.sql_tables()).to_dicts() == [{"x": 3}]


def test_partitioned_and_other_files_by_name(tmp_path):
    (tmp_path / "year=2024").mkdir()
    pq.write_table(pa.table({"x": [1]}), tmp_path / "year=2024" / "a.parquet")
    (tmp_path / "sales.csv").write_text("x\n1\n")
    assert "READ_PARQUET" not in lf.scan_parquet(tmp_path).to_sql()
    assert lf.scan_csv(tmp_path / "sales.csv").to_sql(pretty=False) == "SELECT * FROM sales"


def test_nothing_runs():
    def fail(table):
        raise AssertionError("the query ran")

    query = lf.from_dict({"x": [1]}).lazy().map_batches(fail, schema={"x": "int64"})
    with pytest.raises(lf.errors.UnsupportedError, match="runs Python"):
        query.to_sql()


def test_a_wrong_number_of_rows(frame):
    with pytest.raises(lf.errors.InvalidArgumentError, match="inline_rows"):
        frame.to_sql(inline_rows=-1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select string_agg(distinct s, ',' order by s) from f", "a,b"),
        ("select count(*) from f where (t - timestamp '2024-01-01') > interval '30 hours'", 1),
        ("select min(t at time zone 'America/New_York')::varchar from f", "2024-01-01 05:00:00+00"),
    ],
)
def test_what_sql_made_is_written_as_it_was(text, expected):
    frame = lf.from_dict({"s": ["b", "a", "b"], "t": [dt.datetime(2024, 1, day) for day in (1, 2, 3)]})  # noqa: DTZ001
    query = lf.sql(text, f=frame)
    assert query.item() == expected
    assert lf.sql(query.to_sql(), **query.sql_tables()).item() == expected
