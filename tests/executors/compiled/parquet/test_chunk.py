"""Chunks decoded by kernels of our own, against what pyarrow reads of the same files."""

from __future__ import annotations

import datetime as dt
import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from lazyframe.executors.batch import decoded
from lazyframe.executors.compiled.machine import why_not
from lazyframe.executors.compiled.parquet.chunk import read_column
from lazyframe.executors.compiled.parquet.kernels import ask_for
from lazyframe.executors.compiled.parquet.workspace import Workspace
from lazyframe.executors.sources.files import DataFile, open_file
from lazyframe.executors.sources.parquet_decoding import _stored_column, chunk_place
from lazyframe.executors.sources.parquet_metadata import Footer

pytestmark = pytest.mark.skipif(why_not() is not None, reason="nothing can be compiled here")

ROWS = 5_000


def footer_of(content: bytes) -> Footer:
    return Footer(DataFile("<bytes>", "<bytes>", len(content), 0, content=pa.py_buffer(content)))


def ours(footer: Footer, name: str, space: Workspace | None = None) -> pa.Array | None:
    """A whole column as our kernels read it; None where they do not."""
    found = _stored_column(footer, footer.fields[name])
    if found is None:
        return None
    leaf, column = found
    places = [chunk_place(footer, group, leaf) for group in range(len(footer.groups))]
    assert None not in places
    for kernel in ask_for([column.form]):
        kernel.wait()
    arrays = read_column(space or Workspace(), open_file(footer.file), places, footer.groups, column)  # type: ignore[arg-type]
    if arrays is None:
        return None
    for array in arrays:
        # Nobody looks at each byte of a string that stands in no dictionary, as pyarrow's reader does not.
        (array.cast(pa.binary()) if array.type == pa.string() else array).validate(full=True)
    return pa.concat_arrays([decoded(array, footer.fields[name].dtype) for array in arrays])


def written(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def numbers(count: int, different: int) -> np.ndarray:
    return np.random.default_rng(different).integers(0, different, count)


def sample(rows: int, different: int, *, nulls: bool) -> pa.Table:
    """Columns of every kind that the kernels know, some with nulls."""
    n = numbers(rows, different)
    missing = (np.arange(rows) * 7 % 11 < 4) if nulls else np.zeros(rows, bool)

    def column(values: Any, dtype: pa.DataType) -> pa.Array:
        return pa.array(values, dtype, mask=missing)

    floats = n * 0.5 - 3
    floats[: min(rows, 3)] = (np.nan, -0.0, np.inf)[: min(rows, 3)]
    decimals = [Decimal(int(v) - different // 2) / 100 for v in n]
    return pa.table(
        {
            "i": column(n - different // 2, pa.int64()),
            "i32": column(n % (1 << 31), pa.int32()),
            "u32": column(n % (1 << 32), pa.uint32()),
            "u64": column(n, pa.uint64()),
            "i16": column((n % 65_536 - 32_768).astype("i2"), pa.int16()),
            "u8": column((n % 256).astype("u1"), pa.uint8()),
            "truth": column(n % 3 == 1, pa.bool_()),
            "f": column(floats, pa.float64()),
            "f32": column(floats, pa.float32()),
            "date": column(n % 40_000, pa.int32()).cast(pa.date32()),
            "us": column(n, pa.int64()).cast(pa.timestamp("us")),
            "zoned": column(n, pa.int64()).cast(pa.timestamp("us", "UTC")),
            "ms": column(n, pa.int64()).cast(pa.timestamp("ms")),
            "money": column(decimals, pa.decimal128(15, 2)),
            "small": column([d % 1000 for d in decimals], pa.decimal128(7, 2)),
            "text": column([("", "a", "bc", "déf", "x" * 100)[v % 5] + str(v % 50) for v in n], pa.string()),
            "note": column([f"{i}é" * (v % 9) for i, v in enumerate(n)], pa.string()),
            "bytes": column([b"\0" * (v % 3) + str(v % 20).encode() for v in n], pa.binary()),
        }
    )


CODECS = ("none", "snappy", "zstd", "gzip", "brotli", "lz4")


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("nulls", [False, True])
def test_every_kind_of_column(codec: str, version: str, nulls: bool) -> None:
    table = sample(ROWS, 300, nulls=nulls)
    footer = footer_of(
        written(table, compression=codec, data_page_version=version, row_group_size=2_000, data_page_size=1_500)
    )
    for name in table.column_names:
        found = ours(footer, name)
        assert found is not None, name
        assert equal(found, table.column(name)), name


@pytest.mark.parametrize("different", [1, 2, 9, 5_000, 1 << 40])
@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("options", [{}, {"use_dictionary": False}, {"dictionary_pagesize_limit": 1024}])
@pytest.mark.parametrize("as_integer", [False, True])
def test_few_and_many_different_values(different: int, nulls: bool, options: dict[str, Any], as_integer: bool) -> None:
    table = sample(ROWS, different, nulls=nulls)
    content = written(table, data_page_size=4_000, store_decimal_as_integer=as_integer, **options)
    footer = footer_of(content)
    for name in table.column_names:
        found = ours(footer, name)
        assert found is not None or name in ("text", "note", "bytes"), name  # a dictionary may be given up half-way
        if found is None:
            continue
        assert equal(found, table.column(name)), name


@pytest.mark.parametrize("rows", [1, 2, 7, 8, 9, 63, 64, 65, 1_000])
@pytest.mark.parametrize("nulls", [False, True])
def test_few_rows(rows: int, nulls: bool) -> None:
    table = sample(rows, 40, nulls=nulls)
    footer = footer_of(written(table))
    for name in table.column_names:
        found = ours(footer, name)
        if name in ("text", "note", "bytes") and found is None:
            continue
        assert found is not None, name
        assert equal(found, table.column(name)), name


def test_required_columns_have_no_levels() -> None:
    fields = [pa.field("i", pa.int64(), nullable=False), pa.field("t", pa.string(), nullable=False)]
    table = pa.table([pa.array(numbers(ROWS, 90)), pa.array([str(v) for v in numbers(ROWS, 9)])], pa.schema(fields))
    footer = footer_of(written(table))
    for name in ("i", "t"):
        found = ours(footer, name)
        assert found is not None
        assert found.equals(table.column(name).combine_chunks())


def test_seconds_are_stored_as_milliseconds() -> None:
    moment = dt.datetime(2024, 2, 29, 1, 2, 3)  # noqa: DTZ001 - a time without a zone is what is tested
    table = pa.table({"t": pa.array([moment, None], pa.timestamp("s"))})
    found = ours(footer_of(written(table)), "t")
    assert found is not None
    assert found.to_pylist() == [moment, None]


def test_nothing_but_nulls() -> None:
    table = pa.table({"i": pa.nulls(100, pa.int64()), "d": pa.nulls(100, pa.date32())})
    footer = footer_of(written(table))
    for name in table.column_names:
        found = ours(footer, name)
        assert found is not None
        assert found.null_count == 100


def test_values_at_the_edges_of_their_types() -> None:
    values = pa.array([-(2**63), 2**63 - 1, 0, -1, None], pa.int64())
    money = pa.array([Decimal("-9999999999999.99"), Decimal("9999999999999.99"), Decimal("-0.01"), None, Decimal(0)])
    table = pa.table({"i": values, "m": money.cast(pa.decimal128(15, 2)), "s": money.cast(pa.decimal128(18, 2))})
    for options in ({}, {"use_dictionary": False}, {"store_decimal_as_integer": True}):
        footer = footer_of(written(table, **options))
        for name in table.column_names:
            found = ours(footer, name)
            assert found is not None
            assert found.to_pylist() == table.column(name).to_pylist()


def test_what_kernels_do_not_read() -> None:
    table = pa.table(
        {
            "nested": pa.array([[1, 2], [], None]),
            "struct": pa.array([{"a": 1}, None, {"a": None}]),
            "wide": pa.array([Decimal("1.5"), None, Decimal(-3)], pa.decimal128(30, 2)),
            "half": pa.array([1.5, None, -0.0], pa.float16()),
            "time": pa.array([dt.time(1), None, dt.time(3)], pa.time64("us")),
        }
    )
    footer = footer_of(written(table))
    assert [name for name in table.column_names if ours(footer, name) is not None] == []


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_page_that_does_not_match_its_checksum_is_left_to_pyarrow(version: str) -> None:
    table = pa.table({"i": pa.array(range(ROWS), pa.int64())})
    content = bytearray(written(table, write_page_checksum=True, compression="none", data_page_version=version))
    assert ours(footer_of(bytes(content)), "i") is not None
    place = chunk_place(footer_of(bytes(content)), 0, 0)
    assert place is not None
    content[place.start + place.size - 4] ^= 1
    assert ours(footer_of(bytes(content)), "i") is None


def test_files_of_other_writers(tmp_path: Path) -> None:
    import duckdb
    import polars as pl

    table = sample(ROWS, 300, nulls=True).drop_columns(["zoned", "bytes"])
    pl.DataFrame(table).write_parquet(tmp_path / "polars.parquet", row_group_size=2_000)
    with duckdb.connect() as connection:
        connection.register("given", table)
        connection.execute(f"copy given to '{tmp_path}/duckdb.parquet' (format parquet, row_group_size 2048)")
    for name, fewest in (("polars", 8), ("duckdb", 8)):
        footer = footer_of((tmp_path / f"{name}.parquet").read_bytes())
        read = pq.read_table(tmp_path / f"{name}.parquet")
        columns = {column: ours(footer, column) for column in table.column_names}
        kept = {column: found for column, found in columns.items() if found is not None}
        assert len(kept) >= fewest, (name, sorted(kept))
        for column, found in kept.items():
            assert equal(found, pc.cast(read.column(column), found.type)), (name, column)


def equal(a: pa.Array, b: pa.ChunkedArray) -> bool:
    """Whether all values are the same, bit by bit where they are floats."""
    other = b.combine_chunks()
    if not pa.types.is_floating(a.type):
        return a.equals(other)
    word = pa.int64() if a.type.bit_width == 64 else pa.int32()
    return a.is_valid().equals(other.is_valid()) and a.drop_null().view(word).equals(other.drop_null().view(word))


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("codec", ["none", "snappy", "zstd"])
def test_strings_of_which_some_stand_in_a_dictionary(codec: str, nulls: bool) -> None:
    """Nearly all rows have one long string, of a dictionary whose others are short, and the last ones are all different."""
    long = "long" * 500
    values: list[str | None] = (
        [str(i) for i in range(2_000)] + [long] * 6_000 + [f"é{i}" * (i % 40) for i in range(9_000)]
    )
    if nulls:
        values[5::7] = [None] * len(values[5::7])
    table = pa.table({"t": values})
    footer = footer_of(written(table, compression=codec, dictionary_pagesize_limit=16_000, data_page_size=9_000))
    assert footer.dictionary_columns == []
    found = ours(footer, "t")
    assert found is not None
    assert found.equals(table.column("t").combine_chunks())


def test_strings_of_several_groups() -> None:
    table = pa.table(
        {"t": pa.array([str(i) * (i % 9) for i in range(10_000)]), "b": [bytes([i % 256]) * 3 for i in range(10_000)]}
    )
    footer = footer_of(written(table, use_dictionary=False, row_group_size=3_001))
    for name in table.column_names:
        found = ours(footer, name)
        assert found is not None
        assert found.equals(table.column(name).combine_chunks())


@pytest.mark.parametrize("spacing", [1, 2, 9, 50, 700])
@pytest.mark.parametrize("first", [0, 1, 8, 63])
def test_nulls_here_and_there(spacing: int, first: int) -> None:
    missing = np.zeros(ROWS, bool)
    missing[first::spacing] = True
    n = np.arange(ROWS)
    table = pa.table(
        {
            "i": pa.array(n, mask=missing),
            "d": pa.array(n.astype("i4"), mask=missing),
            "t": pa.array(n % 2 == 0, mask=missing),
        }
    )
    for options in ({}, {"use_dictionary": False, "data_page_size": 900}):
        footer = footer_of(written(table, **options))
        for name in table.column_names:
            found = ours(footer, name)
            assert found is not None
            assert found.equals(table.column(name).combine_chunks()), name
