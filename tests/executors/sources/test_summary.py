"""Answers from metadata are those that the rows give, also where files have changed since the query was planned."""

from __future__ import annotations

import datetime as dt
import os
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col

TABLE = pa.table(
    {
        "i": pa.array([3, None, -7, 2**40, 5]),
        "u": pa.array([3, None, 2**64 - 1, 0, 5], pa.uint64()),
        "m": pa.array(
            [Decimal("-1.10"), None, Decimal("0.05"), Decimal("3.00"), Decimal("2.99")], pa.decimal128(20, 2)
        ),
        "d": pa.array([dt.date(1969, 1, 1), None, dt.date(2024, 2, 29), dt.date(1994, 1, 1), dt.date(1994, 1, 2)]),
        "t": pa.array([-1, None, 10**15, 0, 5], pa.timestamp("us", "Europe/Paris")),
        "p": pa.array([True, None, True, None, True]),
    }
)
WANTED = {
    "i": (4, -7, 2**40), "u": (4, 0, 2**64 - 1), "m": (4, Decimal("-1.10"), Decimal("3.00")),
    "d": (4, dt.date(1969, 1, 1), dt.date(2024, 2, 29)), "t": (4, -1, 10**15), "p": (3, True, True),
}  # fmt: skip


def questions(path: Path) -> lf.LazyFrame:
    asked = {"n": lf.len()}
    for name in TABLE.column_names:
        asked |= {f"{name}_count": col(name).count(), f"{name}_min": col(name).min(), f"{name}_max": col(name).max()}
    return lf.scan_parquet(path).select(**asked)


def answers(query: lf.LazyFrame) -> dict[str, tuple[object, ...]]:
    row = query.to_arrow()
    values = {name: row.column(name)[0] for name in row.column_names}
    plain = {name: v.value if pa.types.is_timestamp(v.type) else v.as_py() for name, v in values.items()}
    return {name: tuple(plain[f"{name}_{part}"] for part in ("count", "min", "max")) for name in TABLE.column_names}


@pytest.mark.parametrize("group", [1, 2, 5])
def test_each_type(tmp_path: Path, group: int) -> None:
    pq.write_table(TABLE, tmp_path / "x.parquet", row_group_size=group)
    query = questions(tmp_path / "x.parquet")
    assert "metadata of" in query.explain()
    assert answers(query) == WANTED


def test_several_files_and_folders(tmp_path: Path) -> None:
    for year in (2020, 2021):
        (tmp_path / f"year={year}").mkdir()
        pq.write_table(TABLE.slice(year - 2020, 2), tmp_path / f"year={year}" / "x.parquet")
    query = lf.scan_parquet(tmp_path).select(n=lf.len(), y=col("year").max(), i=col("i").min(), c=col("i").count())
    assert "metadata of" in query.explain()
    assert query.collect().to_dicts() == [{"n": 4, "y": 2021, "i": -7, "c": 2}]


def replace(path: Path, table: pa.Table, **options: object) -> None:
    before = path.stat()
    pq.write_table(table, path, **options)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 10**9))


def test_a_file_that_was_replaced(tmp_path: Path) -> None:
    """The plan is kept with the frame; what the file says is asked when it is read."""
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE.slice(0, 3), path)
    query = questions(path)
    assert answers(query)["i"] == (2, -7, 3)
    replace(path, TABLE)
    assert answers(query) == WANTED


@pytest.mark.parametrize("rows", [5, 0])
def test_a_file_that_was_replaced_by_one_without_statistics(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE.slice(0, 3), path)
    query = questions(path)
    query.collect()
    replace(path, TABLE.slice(0, rows), write_statistics=False)
    assert answers(query) == (WANTED if rows else dict.fromkeys(TABLE.column_names, (0, None, None)))


def test_without_statistics_rows_are_read(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "x.parquet", write_statistics=False)
    query = questions(tmp_path / "x.parquet")
    assert "metadata of" not in query.explain()
    assert answers(query) == WANTED


def test_nanoseconds_and_arrow_files(tmp_path: Path) -> None:
    table = pa.table({"t": pa.array([1, 1001, None], pa.timestamp("ns"))})
    pq.write_table(table, tmp_path / "x.parquet")
    query = lf.scan_parquet(tmp_path / "x.parquet").select(t=col("t").max())
    assert "metadata of" not in query.explain()
    assert query.to_arrow().column("t")[0].value == 1001
    with pa.ipc.new_file(tmp_path / "x.arrow", table.schema) as writer:
        writer.write_table(table)
    arrow = lf.scan_ipc(tmp_path / "x.arrow").select(n=lf.len())
    assert "metadata of" in arrow.explain()
    assert arrow.collect().to_dicts() == [{"n": 3}]
