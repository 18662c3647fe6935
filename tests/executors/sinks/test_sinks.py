from __future__ import annotations

import datetime as dt
import gzip
import io
import json
import math
import os
import subprocess
import sys
import textwrap
from decimal import Decimal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lazyframe.executors.sinks import open_sink
from lazyframe.executors.sources.csv import CsvSource
from lazyframe.executors.sources.ipc import IpcSource
from lazyframe.executors.sources.json import JsonSource
from lazyframe.executors.sources.parquet import ParquetSource
from lazyframe.planner.errors import ColumnNotFoundError, InvalidArgumentError, SinkError, UnsupportedError
from tests.executors.sources.scan import read, rows

KINDS = ["parquet", "csv", "ipc", "json"]
SOURCES = {"parquet": ParquetSource, "csv": CsvSource, "ipc": IpcSource, "json": JsonSource}

TABLE = pa.table(
    {
        "i": [1, None, -(2**53) - 1],
        "f": [0.1, None, 1e300],
        "b": [True, None, False],
        "s": ['a "quoted", text', None, ""],
        "n": ["line\nbreak\r\n", "é\t\\", "\x01 NULL"],
        "dec": pa.array([Decimal("1.50"), None, Decimal("-0.01")], pa.decimal128(9, 2)),
        "d": [dt.date(2024, 2, 29), None, dt.date(1969, 12, 31)],
        "t": pa.array([dt.datetime(2024, 1, 31, 12, 30, 0, 5), None, dt.datetime(1969, 1, 1)], pa.timestamp("us")),  # noqa: DTZ001
        "z": pa.array([dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC), None, None], pa.timestamp("us", "Europe/Paris")),
        "h": pa.array([dt.time(12, 30, 5), None, None], pa.time64("us")),
    }
)
TYPES = {"dec": "decimal(9,2)", "d": "date", "t": "timestamp[us]", "z": "timestamp[us, Europe/Paris]", "h": "time"}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write(kind, path, table, **options):
    sink = open_sink(kind, path, table.schema, **options)
    for batch in table.to_batches():
        sink.write(batch)
    sink.close()
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_reads_back_equal(tmp_path, kind):
    path = write(kind, tmp_path / "a.out", TABLE)
    options = {"schema": TYPES} if kind in ("csv", "json") else {}
    assert rows(SOURCES[kind](path, **options)) == TABLE.to_pylist()
    assert names(tmp_path) == ["a.out"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_rows_still_make_a_file(tmp_path, kind):
    path = write(kind, tmp_path / "a.out", TABLE.slice(0, 0))
    if kind == "json":
        assert path.read_bytes() == b""
    else:
        assert rows(SOURCES[kind](path)) == []


def test_csv_as_others_read_it(tmp_path):
    path = write("csv", tmp_path / "a.csv", TABLE)
    # Unless told otherwise, DuckDB takes a quoted empty text for null.
    found = (
        duckdb.connect()
        .sql(
            f"select i, f, b, s, n, dec::decimal(9,2), d, t from read_csv('{path}', quote='\"', header=true, allow_quoted_nulls=false)"
        )
        .fetchall()
    )
    assert found == [
        tuple(row[name] for name in ("i", "f", "b", "s", "n", "dec", "d", "t")) for row in TABLE.to_pylist()
    ]


def test_csv_text(tmp_path):
    table = pa.table({"a,b": [1, None], "s": ["", None]})
    assert write("csv", tmp_path / "a.csv", table).read_text() == '"a,b",s\n1,""\n,\n'
    assert write("csv", tmp_path / "a.csv", table, separator=";", header=False, null="NA", quoting="all").read_text() == (
        '"1";""\nNA;NA\n')  # fmt: skip
    assert write("csv", tmp_path / "a.csv", pa.table({"s": ["NA", None]}), null="NA").read_text() == 's\n"NA"\nNA\n'
    with pytest.raises(SinkError, match=r"'x,y' in column 's' needs quotes"):
        write("csv", tmp_path / "b.csv", pa.table({"s": ["x,y"]}), quoting="none")
    assert not (tmp_path / "b.csv").exists()


def test_json_text(tmp_path):
    table = pa.table({
        'n"': [1.5, math.nan, math.inf], "s": ['"\\\x00\n', "é", None], "l": [[1.0, math.nan], None, []],
        "o": [{"d": Decimal("1.10"), "t": dt.date(2024, 1, 1)}, None, {"d": None, "t": None}],
        "m": pa.array([[("k", 1)], None, None], pa.map_(pa.string(), pa.int8())), "i": [2**63 - 1, 0, None],
        "z": pa.array([dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC), None, None], pa.timestamp("s", "Europe/Paris")),
    })  # fmt: skip
    lines = write("json", tmp_path / "a.json", table).read_text().splitlines()
    assert lines[0] == (
        '{"n\\"":1.5,"s":"\\"\\\\\\u0000\\n","l":[1.0,null],"o":{"d":1.10,"t":"2024-01-01"},"m":{"k":1},'
        '"i":9223372036854775807,"z":"2024-07-01T12:00:00Z"}')  # fmt: skip
    assert [json.loads(line)['n"'] for line in lines] == [1.5, None, None]
    assert json.loads(lines[2]) == {
        'n"': None,
        "s": None,
        "l": [],
        "o": {"d": None, "t": None},
        "m": None,
        "i": None,
        "z": None,
    }


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_the_name_says_how_text_is_compressed(tmp_path, kind):
    table = pa.table({"a": range(3000), "s": ["x", None, "é"] * 1000})
    plain = write(kind, tmp_path / f"a.{kind}", table).read_bytes()
    packed = write(kind, tmp_path / f"a.{kind}.gz", table)
    assert gzip.decompress(packed.read_bytes()) == plain
    for suffix in ("gz", "zst", "bz2", "lz4"):
        path = write(kind, tmp_path / f"b.{kind}.{suffix}", table)
        assert rows(SOURCES[kind](path)) == table.to_pylist()
    opened = open_sink(kind, tmp_path / f"c.{kind}.gz", table.schema)
    opened.write(table.to_batches()[0])
    opened.abort()
    assert not [name for name in names(tmp_path) if "c." in name]
    with pytest.raises(InvalidArgumentError, match=r"\.xz is not supported"):
        open_sink(kind, tmp_path / "a.xz", table.schema)


@pytest.mark.parametrize("kind", ["parquet", "ipc"])
def test_what_is_compressed_inside_is_no_gz_file(tmp_path, kind):
    with pytest.raises(InvalidArgumentError, match="compressed inside") as caught:
        open_sink(kind, tmp_path / "a.parquet.gz", TABLE.schema)
    assert "compression=" in caught.value.hint
    assert names(tmp_path) == []


@pytest.mark.parametrize("kind", KINDS)
def test_an_open_file_is_no_path(kind):
    with pytest.raises(InvalidArgumentError, match="not a BytesIO"):
        open_sink(kind, io.BytesIO(), TABLE.schema)


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_whole_floats_stay_floats(tmp_path, kind):
    table = pa.table({"f": [1.0, -0.0, 1e20, 2.5, None], "g": pa.array([3, 4, 1e10, None, 5], pa.float32())})
    path = write(kind, tmp_path / "a", table)
    first = {"csv": "1.0,3.0", "json": '{"f":1.0,"g":3.0}'}[kind]
    assert first in path.read_text().splitlines()
    found = read(SOURCES[kind](path))
    assert found.schema.types == [pa.float64(), pa.float64()]
    assert found.to_pylist() == table.to_pylist()
    assert math.copysign(1, found["f"][1].as_py()) == -1


def test_parquet_keeps_nullability_groups_and_checksums(tmp_path):
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False), pa.field("s", pa.string())])
    table = pa.table([pa.array(range(2500)), pa.array(["x"] * 2500)], schema=schema)
    sink = open_sink("parquet", tmp_path / "a.parquet", schema, row_group_rows=1000)
    for batch in table.to_batches(max_chunksize=300):
        sink.write(batch)
    sink.close()
    metadata = pq.read_metadata(tmp_path / "a.parquet")
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [1000, 1000, 500]
    assert metadata.row_group(1).column(0).statistics.min == 1000
    assert metadata.row_group(0).column(0).compression == "ZSTD"
    source = ParquetSource(tmp_path / "a.parquet")
    assert [f.nullable for f in source.schema] == [False, True]
    assert read(source).equals(table)


@pytest.mark.parametrize("kind", KINDS)
def test_the_target_is_untouched_until_the_end(tmp_path, kind):
    path = tmp_path / "a.out"
    path.write_text("before")
    path.chmod(0o640)
    table = TABLE.select(["i", "s"])
    sink = open_sink(kind, path, table.schema)
    sink.write(table.to_batches()[0])
    assert path.read_text() == "before"
    sink.abort()
    sink.abort()
    assert (path.read_text(), names(tmp_path)) == ("before", ["a.out"])
    write(kind, path, table)
    assert rows(SOURCES[kind](path)) == table.to_pylist()
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "real" / "a.csv")
    write("csv", tmp_path / "link.csv", pa.table({"a": [1]}))
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real" / "a.csv").read_text() == "a\n1\n"


def test_writing_into_the_file_that_is_read(tmp_path):
    path = write("parquet", tmp_path / "a.parquet", pa.table({"a": range(5000)}), row_group_rows=1000)
    source = ParquetSource(path)
    sink = open_sink("parquet", path, source.schema)
    for batch in read(source).to_batches():
        sink.write(batch.slice(0, 3))
    sink.close()
    assert rows(source) == [{"a": 0}, {"a": 1}, {"a": 2}]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("partitioned", [False, True])
def test_a_full_disk_leaves_nothing(tmp_path, kind, partitioned):
    """A limit on the size of files makes writes fail as a full disk does."""
    target = tmp_path / "target"
    if not partitioned:
        target.write_text("before")
    code = f"""
        import os, resource, sys
        import pyarrow as pa
        from lazyframe.executors.sinks import open_sink
        from lazyframe.planner.errors import SinkError
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        table = pa.table({{"k": [1] * 5_000, "b": [os.urandom(20).hex() for _ in range(5_000)]}})
        sink = open_sink({kind!r}, sys.argv[1], table.schema, **{{"partition_by": ["k"]}} if {partitioned} else {{}})
        try:
            for _ in range(20):
                sink.write(table.to_batches()[0])
            sink.close()
        except SinkError as error:
            print(error)
    """
    found = subprocess.run(  # noqa: PLW1510 - the caller looks at the code
        [sys.executable, "-c", textwrap.dedent(code), str(target)], capture_output=True, text=True, timeout=60
    )
    assert found.returncode == 0, found.stderr
    assert str(target) in found.stdout
    assert "File too large" in found.stdout
    assert "nothing was left" in found.stdout
    assert names(tmp_path) == ([] if partitioned else ["target"])
    assert partitioned or target.read_text() == "before"


def test_no_space_is_named(tmp_path, monkeypatch):
    sink = open_sink("csv", tmp_path / "a.csv", pa.schema({"a": pa.int64()}))

    def refuse(self):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(sink._file), "commit", refuse)
    with pytest.raises(SinkError, match=r"cannot write .*a.csv: No space left on device; nothing was left"):
        sink.close()
    assert names(tmp_path) == []


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    schema = pa.schema({"a": pa.int64()})
    with pytest.raises(SinkError, match=r"cannot write .*missing/a.csv: .*missing does not exist"):
        open_sink("csv", tmp_path / "missing" / "a.csv", schema)
    (tmp_path / "file").touch()
    with pytest.raises(SinkError, match="is not a folder"):
        open_sink("csv", tmp_path / "file" / "a.csv", schema)
    with pytest.raises(SinkError, match="it is a folder"):
        open_sink("csv", tmp_path, schema)

    def refuse(*args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(SinkError, match=r"permission denied: cannot write .*a.csv"):
        open_sink("csv", tmp_path / "a.csv", schema)


def test_what_a_format_cannot_hold_is_refused_at_once(tmp_path):
    with pytest.raises(UnsupportedError, match=r"bytes within list<binary> in column 'l'"):
        open_sink("csv", tmp_path / "a", pa.schema({"l": pa.list_(pa.binary())}))
    with pytest.raises(UnsupportedError, match="'v'"):
        open_sink("parquet", tmp_path / "a", pa.schema({"v": pa.month_day_nano_interval()}))
    with pytest.raises(InvalidArgumentError, match="no columns"):
        open_sink("parquet", tmp_path / "a", pa.schema({}))
    with pytest.raises(InvalidArgumentError, match="'parquet'"):
        open_sink("parket", tmp_path / "a", TABLE.schema)
    with pytest.raises(InvalidArgumentError, match="csv has no such option: 'sep'"):
        open_sink("csv", tmp_path / "a", pa.schema({"a": pa.int64()}), sep=";")
    assert names(tmp_path) == []


@pytest.mark.parametrize("kind", KINDS)
def test_hive_folders_read_back(tmp_path, kind):
    table = pa.table(
        {"v": [1, 2, 3, 4, 5], "year": [2013, 2014, None, 2013, 2014], "city": ["a/b", "é =", "a/b", "a/b", ""]}
    )
    folder = write(kind, tmp_path / "out", table, partition_by=["year", "city"])
    assert names(tmp_path) == ["out"]
    assert names(folder) == ["year=2013", "year=2014", "year=__HIVE_DEFAULT_PARTITION__"]
    assert names(folder / "year=2013") == ["city=a%2Fb"]
    found = rows(SOURCES[kind](folder))
    assert sorted(found, key=lambda r: r["v"]) == table.to_pylist()
    assert [r["v"] for r in found if r["year"] == 2013] == [1, 4]


def test_many_folders_with_few_open_files(tmp_path):
    table = pa.table({"k": [i % 40 for i in range(1000)], "v": range(1000)})
    sink = open_sink("ipc", tmp_path / "out", table.schema, partition_by=["k"])
    for batch in table.to_batches(max_chunksize=250):
        sink.write(batch)
        assert len(sink._sinks) <= 32
    sink.close()
    found = rows(IpcSource(tmp_path / "out"))
    assert [(r["k"], r["v"]) for r in found] == sorted((i % 40, i) for i in range(1000))


def test_a_folder_that_holds_something_is_kept_or_replaced_whole(tmp_path):
    table = pa.table({"k": ["x"], "v": [1]})
    folder = write("csv", tmp_path / "out", table, partition_by=["k"])
    with pytest.raises(SinkError, match=r"is not empty\noverwrite=True"):
        open_sink("csv", folder, table.schema, partition_by=["k"])
    sink = open_sink("csv", folder, table.schema, partition_by=["k"], overwrite=True)
    sink.write(pa.record_batch({"k": ["y"], "v": [2]}))
    assert names(folder) == ["k=x"]
    sink.close()
    assert (names(folder), names(tmp_path)) == (["k=y"], ["out"])
    sink = open_sink("csv", folder, table.schema, partition_by=["k"], overwrite=True)
    sink.write(pa.record_batch({"k": ["z"], "v": [2]}))
    sink.abort()
    assert (names(folder), names(tmp_path)) == (["k=y"], ["out"])


def test_partition_columns_are_checked(tmp_path):
    schema = pa.schema({"key": pa.string(), "v": pa.int64(), "f": pa.float64()})
    with pytest.raises(ColumnNotFoundError, match="'key'"):
        open_sink("csv", tmp_path / "o", schema, partition_by=["kye"])
    with pytest.raises(UnsupportedError, match="'f' is float64"):
        open_sink("csv", tmp_path / "o", schema, partition_by=["f"])
    with pytest.raises(InvalidArgumentError, match="every column"):
        open_sink("csv", tmp_path / "o", pa.schema({"key": pa.string()}), partition_by=["key"])
    sink = open_sink("csv", tmp_path / "o", schema, partition_by=["key"])
    with pytest.raises(SinkError, match="would be read back as null"):
        sink.write(pa.record_batch({"key": ["__HIVE_DEFAULT_PARTITION__"], "v": [1], "f": [1.0]}))
    assert names(tmp_path) == []


def test_csv_writes_nested_values_spans_and_bytes_as_sql_casts_them(tmp_path):
    table = pa.table({
        "l": pa.array([[1, None], None], pa.list_(pa.int64())),
        "s": pa.array([{"a": 1, "b": "x, y"}, None], pa.struct({"a": pa.int64(), "b": pa.string()})),
        "m": pa.array([[("k", 1.5)], []], pa.map_(pa.string(), pa.float64())),
        "d": pa.array([93_784, None], pa.duration("s")),
        "i": pa.array([pa.MonthDayNano([14, 3, 0]), None], pa.month_day_nano_interval()),
        "b": pa.array([b"a'\xff", b""], pa.binary()),
    })  # fmt: skip
    lines = write("csv", tmp_path / "a.csv", table).read_text().splitlines()
    assert lines == [
        "l,s,m,d,i,b",
        """"[1, NULL]","{'a': 1, 'b': x, y}",{k=1.5},1 day 02:03:04,1 year 2 months 3 days,a\\x27\\xFF""",
        ',,{},,,""',
    ]


def test_json_writes_spans_of_time_as_sql_casts_them(tmp_path):
    span = pa.MonthDayNano([0, 1, 0])
    table = pa.table({
        "d": pa.array([3_600, None], pa.duration("s")),
        "i": pa.array([span, None], pa.month_day_nano_interval()),
        "l": pa.array([[span, None], None], pa.list_(pa.month_day_nano_interval())),
        "s": pa.array([{"t": 90}, None], pa.struct({"t": pa.duration("s")})),
    })  # fmt: skip
    lines = write("json", tmp_path / "a.json", table).read_text().splitlines()
    assert lines == [
        '{"d":"01:00:00","i":"1 day","l":["1 day",null],"s":{"t":"00:01:30"}}',
        '{"d":null,"i":null,"l":null,"s":null}',
    ]


def test_json_writes_maps_as_objects_also_empty_ones(tmp_path):
    of_maps = pa.map_(pa.string(), pa.list_(pa.int64()))
    table = pa.table({
        "m": pa.array([[("k", [1]), ("l", None)], [], None], of_maps),
        "l": pa.array([[[]], [], [None]], pa.list_(of_maps)),
    })  # fmt: skip
    lines = write("json", tmp_path / "a.json", table).read_text().splitlines()
    assert lines == ['{"m":{"k":[1],"l":null},"l":[{}]}', '{"m":{},"l":[]}', '{"m":null,"l":[null]}']
