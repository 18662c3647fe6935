"""Files are left out by what any function says of their folders, and none that holds a row that is asked for."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.errors import EvaluationError

DAYS = ("2023-12-31", "2024-01-01", "2024-01-02", "2024-02-29", "__HIVE_DEFAULT_PARTITION__")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, day in enumerate(DAYS):
        for city in ("Oslo", "Rome"):
            below = tmp_path / f"day={day}" / f"city={city}"
            below.mkdir(parents=True)
            pq.write_table(pa.table({"x": [number, number + 10]}), below / "part.parquet")
    return tmp_path


def skipped(query: lf.LazyFrame) -> int:
    text = query.explain()
    return int(text.split(" of 10 files skipped")[0].rpartition("(")[2]) if "files skipped" in text else 0


@pytest.mark.parametrize(("predicate", "files"), [
    (col("day").dt.month() == 1, 6),
    (col("city").str.to_uppercase() == "ROME", 5),
    ((col("city").str.len_chars() + col("day").dt.day()) == 5, 8),
    (col("day").is_null() & (col("city").str.to_lowercase() == "oslo"), 9),
    ((col("day").dt.weekday() == 7) | col("day").is_null(), 6),
    ((col("day").dt.month() == 1) | (col("x") > 100), 0),
    ((col("day").dt.month() == 1) & (col("x") % 2 == 0), 6),
    (~(col("day").dt.month() == 1), 6),
])  # fmt: skip
def test_functions_of_folders(folder: Path, predicate: lf.Expr, files: int) -> None:
    query = lf.scan_parquet(folder).filter(predicate)
    assert skipped(query) == files
    everything = lf.from_arrow(lf.scan_parquet(folder).to_arrow())
    assert query.to_dicts() == everything.filter(predicate).to_dicts()


def test_an_error_is_one_when_it_runs(folder: Path) -> None:
    query = lf.scan_parquet(folder).filter(10 // (col("city").str.len_chars() - 4) > 2)
    assert skipped(query) == 0
    with pytest.raises(EvaluationError):
        query.collect()
    guarded = lf.scan_parquet(folder).filter(col("x") > 100, 10 // (col("city").str.len_chars() - 4) > 2)
    assert guarded.to_dicts() == []


def test_other_formats(tmp_path: Path) -> None:
    for year in (2020, 2021, 2022):
        (tmp_path / f"year={year}").mkdir()
        table = pa.table({"x": [year]})
        pyarrow.csv.write_csv(table, tmp_path / f"year={year}" / "x.csv")
        with pa.ipc.new_file(tmp_path / f"year={year}" / "x.arrow", table.schema) as writer:
            writer.write_table(table)
        (tmp_path / f"year={year}" / "x.ndjson").write_text(f'{{"x": {year}}}\n')
    for scan, pattern in ((lf.scan_csv, "csv"), (lf.scan_ipc, "arrow"), (lf.scan_json, "ndjson")):
        query = scan(f"{tmp_path}/*/*.{pattern}").filter(col("year") % 2 == 1)
        assert "2 of 3 files skipped" in query.explain()
        assert query.select("x").to_dicts() == [{"x": 2021}]
