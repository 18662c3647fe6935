"""Bloom filters leave out row groups, and never one that holds a value that is asked for: those that pyarrow and DuckDB write."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.executors.sources.bloom_filter import BloomFilter, read_filter, xxh64

XXH64 = {  # of the reference implementation
    b"": 0xEF46DB3751D8E999, b"a": 0xD24EC4F1A98C6E5B, b"abc": 0x44BC2CF5AD770999,
    b"Nobody inspects the spammish repetition": 0xFBCEA83C8A378BF1,
}  # fmt: skip


def test_the_hash():
    assert {data: xxh64(data) for data in XXH64} == XXH64


def needs_offsets() -> None:
    if not hasattr(pq.ColumnChunkMetaData, "bloom_filter_offset"):
        pytest.skip("this release of pyarrow does not tell where Bloom filters stand")


def written(path: Path, table: pa.Table, group: int) -> lf.LazyFrame:
    needs_offsets()
    filters = {name: {"ndv": group, "fpp": 0.001} for name in table.column_names}
    try:
        pq.write_table(table, path, row_group_size=group, bloom_filter_options=filters)
    except TypeError:
        pytest.skip("this release of pyarrow writes no Bloom filters")
    return lf.scan_parquet(path)


def scattered(rows: int) -> pa.Table:
    """Values of which each row group holds every tenth from another start, so that bounds say nothing of them."""
    numbers = [(row % 100) * 10 + row // 100 for row in range(rows)]
    day = dt.date(1969, 6, 1)
    return pa.table({
        "i": pa.array(numbers, pa.int64()),
        "small": pa.array([n - 500 for n in numbers], pa.int16()),
        "big": pa.array([2**64 - 1 - n for n in numbers], pa.uint64()),
        "s": [f"a text of more than thirty-two bytes, {n}" if n % 2 else f"é{n}" for n in numbers],
        "d": [day + dt.timedelta(days=n) for n in numbers],
    })  # fmt: skip


@pytest.mark.parametrize("name", ["i", "small", "big", "s", "d"])
def test_every_value_is_found_in_its_group(tmp_path, name):
    table = scattered(1000)
    scan = written(tmp_path / "x.parquet", table, 100)
    for row in range(0, 1000, 37):
        value = table[name][row].as_py()
        query = scan.filter(col(name) == value)
        assert query.to_arrow()[name].to_pylist() == [value]
        skipped = query.explain().split(" of 10 row groups skipped")
        assert len(skipped) == 2
        assert int(skipped[0].rpartition("(")[2]) >= 8


def test_lists_and_what_is_nowhere(tmp_path):
    scan = written(tmp_path / "x.parquet", scattered(1000).slice(0, 900), 100)
    assert "9 of 9 row groups skipped)" in scan.filter(col("i") == 9).explain()
    assert scan.filter(col("i") == 9).to_dicts() == []
    assert scan.filter(col("i").is_in([11, 9, 22])).select("i").to_dicts() == [{"i": 11}, {"i": 22}]
    assert "7 of 9 row groups" in scan.filter(col("i").is_in([11, 9, 22])).explain()
    assert scan.filter((col("i") == 9) | (col("small") == -489)).select("i").to_dicts() == [{"i": 11}]
    assert scan.filter(col("i") != 9).select(lf.len()).item() == 900
    assert scan.filter(col("i").is_null()).to_dicts() == []


def test_those_of_duckdb(tmp_path):
    path = tmp_path / "x.parquet"
    duckdb.sql(
        "copy (select (i % 200) * 50 + i // 2048 as a, 'x' || ((i % 200) * 50 + i // 2048) as s from range(100000) r(i)) "
        f"to '{path}' (row_group_size 2048)"
    )
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(0)
    if getattr(chunk, "bloom_filter_offset", None) is None:
        pytest.skip("no Bloom filters, or they are not told")
    scan = lf.scan_parquet(path)
    for value in (0, 17, 9948, 5033):
        for query in (scan.filter(col("a") == value), scan.filter(col("s") == f"x{value}")):
            wanted = duckdb.sql(f"select a from '{path}' where a = {value}").fetchall()
            assert query.select(lf.len()).item() == len(wanted)
            assert "row groups skipped" in query.explain()


def test_a_header_that_is_none():
    data = bytes(range(64))
    assert read_filter(0, lambda place, size: data[place : place + size]) is None
    assert read_filter(0, lambda place, size: b"") is None
    assert BloomFilter(0, 1).may_hold([1], lambda place, size: b"")
