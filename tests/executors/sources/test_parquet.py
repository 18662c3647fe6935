from __future__ import annotations

import datetime as dt
import io
import subprocess
import sys
import textwrap
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lazyframe.executors.sources.parquet import ParquetSource
from lazyframe.executors.sources.source import MORSEL_ROWS
from lazyframe.planner.errors import SourceError, SourceNotFoundError
from lazyframe.planner.scalars import Call, Column, Literal
from tests.executors.sources.scan import Metrics, batches, read, rows


def write(path, data, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    table = data if isinstance(data, pa.Table) else pa.table(data)
    pq.write_table(table, path, write_page_checksum=True, **options)
    return path


def column(source, name):
    field = source.schema.field(name)
    return Column(name, field.dtype, field.nullable)


def test_one_file(tmp_path):
    source = ParquetSource(write(tmp_path / "a.parquet", {"a": [1, 2, None], "s": ["x", None, ""]}))
    assert rows(source) == [{"a": 1, "s": "x"}, {"a": 2, "s": None}, {"a": None, "s": ""}]
    assert rows(source, ["s"]) == [{"s": "x"}, {"s": None}, {"s": ""}]
    assert [b.length for b in batches(source, [])] == [3]
    assert source.name == str(tmp_path / "a.parquet")


def test_paths_of_all_kinds_in_natural_order(tmp_path):
    for number in (10, 2, 1):
        write(tmp_path / f"part-{number}.parquet", {"a": [number]})
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part-1.parquet.crc").write_bytes(b"x")
    (tmp_path / "notes.txt").write_text("x")
    expected = [{"a": 1}, {"a": 2}, {"a": 10}]
    assert rows(ParquetSource(tmp_path)) == expected
    assert rows(ParquetSource(f"{tmp_path}/part-*.parquet")) == expected
    assert rows(ParquetSource(f"{tmp_path}/**/*.parquet")) == expected
    assert rows(ParquetSource(tmp_path.as_uri())) == expected
    listed = [tmp_path / "part-10.parquet", str(tmp_path / "part-1.parquet")]
    assert rows(ParquetSource(listed)) == [{"a": 10}, {"a": 1}]
    with listed[0].open("rb") as opened:
        assert rows(ParquetSource(opened)) == [{"a": 10}]
    assert rows(ParquetSource(io.BytesIO(Path(listed[0]).read_bytes()))) == [{"a": 10}]
    assert rows(ParquetSource(Path(listed[0]).read_bytes())) == [{"a": 10}]


def test_other_filesystems(tmp_path):
    fs = pytest.importorskip("pyarrow.fs")
    write(tmp_path / "d" / "k=1" / "a.parquet", {"a": [1]})
    write(tmp_path / "d" / "k=2" / "a.parquet", {"a": [2]})
    local = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    expected = [{"a": 1, "k": 1}, {"a": 2, "k": 2}]
    assert rows(ParquetSource("d", filesystem=local)) == expected
    assert rows(ParquetSource("d/*/*.parquet", filesystem=local)) == expected
    with pytest.raises(SourceNotFoundError, match="'e'"):
        ParquetSource("e", filesystem=local)


def test_a_name_with_glob_characters_is_a_file_first(tmp_path):
    write(tmp_path / "a[1].parquet", {"a": [7]})
    assert rows(ParquetSource(tmp_path / "a[1].parquet")) == [{"a": 7}]


def test_hive_folders_become_columns(tmp_path):
    write(tmp_path / "year=2013" / "city=S%C3%A3o%2FPaulo" / "p.parquet", {"a": [1]})
    write(tmp_path / "year=2014" / "city=__HIVE_DEFAULT_PARTITION__" / "p.parquet", {"a": [2, 3]})
    source = ParquetSource(tmp_path)
    assert [(f.name, f.dtype, f.nullable) for f in source.schema] == [
        ("a", pa.int64(), True), ("year", pa.int64(), False), ("city", pa.string(), True)]  # fmt: skip
    assert rows(source, ["city", "year", "a"]) == [
        {"city": "São/Paulo", "year": 2013, "a": 1},
        {"city": None, "year": 2014, "a": 2},
        {"city": None, "year": 2014, "a": 3},
    ]
    assert rows(source, ["year"]) == [{"year": 2013}, {"year": 2014}, {"year": 2014}]
    assert ParquetSource(tmp_path, hive=False).schema.names == ["a"]
    assert ParquetSource(tmp_path, hive_types={"year": "string"}).schema["year"] == pa.string()
    assert ParquetSource(tmp_path / "year=2013").schema.names == ["a", "city"]
    assert ParquetSource(tmp_path / "year=2013", hive=True).schema.names == ["a", "year", "city"]


def test_hive_dates_and_pruning(tmp_path):
    for day in ("2024-01-01", "2024-01-02"):
        write(tmp_path / f"day={day}" / "p.parquet", {"a": [day]})
    source = ParquetSource(tmp_path)
    assert source.schema["day"] == pa.date32()
    metrics = Metrics()
    predicate = Call("equal", (column(source, "day"), Literal(pa.scalar(dt.date(2024, 1, 2)))))
    assert rows(source, ["a"], predicate, metrics) == [{"a": "2024-01-02"}]
    assert (metrics.groups_read, metrics.groups_skipped) == (1, 1)
    report = source.report(("a",), predicate)
    assert (report.files, report.files_skipped, report.groups, report.groups_skipped) == (2, 1, 2, 1)


def test_files_with_different_hive_keys_are_refused(tmp_path):
    write(tmp_path / "k=1" / "p.parquet", {"a": [1]})
    write(tmp_path / "p.parquet", {"a": [2]})
    with pytest.raises(SourceError, match=r"different partition folders: .*k=1/p.parquet has k, .*has none"):
        ParquetSource(tmp_path)


def test_row_groups_are_pruned_and_counted(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": range(300_000), "b": ["x"] * 300_000}, row_group_size=100_000)
    source = ParquetSource(path)
    metrics = Metrics()
    predicate = Call("greater_equal", (column(source, "a"), Literal(pa.scalar(200_000))))
    table = read(source, ["a"], predicate, metrics)
    assert table.column("a").to_pylist() == list(range(200_000, 300_000))
    stored = pq.read_metadata(path).row_group(2).column(0).total_compressed_size
    assert metrics == Metrics(rows=100_000, bytes=stored, groups_read=1, groups_skipped=2)


def test_tiny_row_groups_are_read_together_and_long_ones_in_morsels(tmp_path):
    tiny = ParquetSource(write(tmp_path / "tiny.parquet", {"a": range(1000)}, row_group_size=10))
    assert [b.length for b in batches(tiny)] == [1000]
    count = 5 * MORSEL_ROWS + 3
    long = ParquetSource(
        write(tmp_path / "long.parquet", {"a": range(count), "s": ["é"] * count}, row_group_size=count)
    )
    assert len(long.splits(["a"], None)) == 1
    assert read(long).column("a").to_pylist() == list(range(count))


def test_strings_with_few_values_stay_dictionaries(tmp_path):
    path = write(
        tmp_path / "a.parquet", {"few": ["x", "y", None, "x"] * 5000, "all": [f"{i:040}" for i in range(20_000)]}
    )
    (batch,) = batches(ParquetSource(path))
    assert batch["few"].type == pa.dictionary(pa.int32(), pa.string())
    assert batch["all"].type == pa.string()
    assert read(ParquetSource(path)).column("few").to_pylist() == ["x", "y", None, "x"] * 5000


def test_statistics_are_exact_and_merged(tmp_path):
    path = write(tmp_path / "a.parquet", {
        "i": [3, None, 1, 2], "d": pa.array([Decimal("1.50"), Decimal("-2.00"), None, None], pa.decimal128(9, 2)),
        "n": pa.nulls(4, pa.int64()), "f": [1.0, float("nan"), 2.0, float("nan")],
    }, row_group_size=2)  # fmt: skip
    stats = ParquetSource(path).statistics()
    assert (stats.rows, stats.exact) == (4, True)
    i, d, n = stats.columns["i"], stats.columns["d"], stats.columns["n"]
    assert (i.minimum, i.maximum, i.nulls) == (1, 3, 1)
    assert (d.minimum, d.maximum, d.nulls) == (Decimal("-2.00"), Decimal("1.50"), 2)
    assert (n.minimum, n.nulls) == (None, 4)
    assert (stats.columns["f"].minimum, stats.columns["f"].maximum) == (1.0, 2.0)


def test_physical_types_and_nullability(tmp_path):
    schema = pa.schema([
        pa.field("required", pa.int32(), nullable=False), pa.field("view", pa.string_view()),
        pa.field("large", pa.large_string()), pa.field("dict", pa.dictionary(pa.int8(), pa.string())),
        pa.field("dec", pa.decimal128(30, 2)), pa.field("list", pa.list_(pa.field("element", pa.int32(), nullable=False))),
        pa.field("struct", pa.struct([pa.field("x", pa.string_view())])), pa.field("ts", pa.timestamp("ns", "Europe/Paris")),
    ])  # fmt: skip
    record = {"required": 1, "view": "v", "large": "l", "dict": "d", "dec": Decimal("1234567890123456789.25"),
              "list": [1, 2], "struct": {"x": "s"}, "ts": dt.datetime(2024, 1, 1, tzinfo=dt.UTC)}  # fmt: skip
    source = ParquetSource(write(tmp_path / "a.parquet", pa.Table.from_pylist([record], schema)))
    assert source.schema.types == [
        pa.int32(), pa.string(), pa.string(), pa.string(), pa.decimal128(30, 2), pa.list_(pa.int32()),
        pa.struct({"x": pa.string()}), pa.timestamp("ns", "Europe/Paris")]  # fmt: skip
    assert [f.nullable for f in source.schema] == [False] + [True] * 7
    assert rows(source) == [record]


def test_int96_timestamps(tmp_path):
    moment = dt.datetime(2024, 2, 29, 12)  # noqa: DTZ001
    path = write(tmp_path / "a.parquet", {"t": [moment, None]}, use_deprecated_int96_timestamps=True)
    assert [row["t"] for row in rows(ParquetSource(path))] == [moment, None]


def test_columns_whose_names_have_dots(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": [{"b": 1}], "a.b": [2], "a.c": [3]})
    assert rows(ParquetSource(path), ["a.b"]) == [{"a.b": 2}]
    assert rows(ParquetSource(path), ["a"]) == [{"a": {"b": 1}}]


def test_files_may_order_columns_differently_and_integers_widen(tmp_path):
    write(tmp_path / "1.parquet", {"a": pa.array([1], pa.int32()), "b": ["x"]})
    write(tmp_path / "2.parquet", {"b": ["y"], "a": pa.array([2**40], pa.int64())})
    source = ParquetSource(tmp_path)
    assert source.schema["a"] == pa.int64()
    assert rows(source) == [{"a": 1, "b": "x"}, {"a": 2**40, "b": "y"}]


def test_mixed_schemas_name_files_column_and_types(tmp_path):
    one = write(tmp_path / "1.parquet", {"a": [1], "b": [1]})
    two = write(tmp_path / "2.parquet", {"a": ["x"], "b": [1]})
    with pytest.raises(SourceError) as caught:
        ParquetSource(tmp_path)
    assert caught.value.message == f"column 'a' is int64 in {one} but string in {two}"
    three = write(tmp_path / "3.parquet", {"a": [2]})
    with pytest.raises(SourceError, match=rf"column 'b' \(int64\) of {one} is missing in {three}"):
        ParquetSource([one, three])
    filled = ParquetSource([one, three], missing_columns="null")
    assert rows(filled) == [{"a": 1, "b": 1}, {"a": 2, "b": None}]


def test_equal_names_in_a_file(tmp_path):
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "a.parquet")
    with pytest.raises(SourceError, match=r"a.parquet has more than one column named 'a'"):
        ParquetSource(tmp_path / "a.parquet")


def test_missing_paths_name_what_is_near(tmp_path):
    write(tmp_path / "flights.parquet", {"a": [1]})
    with pytest.raises(
        SourceNotFoundError, match=r"no such file or folder: .*flihgts.parquet'\nin .* there is 'flights.parquet'"
    ):
        ParquetSource(tmp_path / "flihgts.parquet")
    with pytest.raises(SourceNotFoundError, match=r"no file matches .*nothing\*'"):
        ParquetSource(f"{tmp_path}/nothing*")
    assert issubclass(SourceNotFoundError, FileNotFoundError)


def test_a_folder_without_data(tmp_path):
    (tmp_path / "a.csv").write_text("x")
    with pytest.raises(SourceError, match=r"holds no .parquet or .parq or .pq file, only .csv"):
        ParquetSource(tmp_path)


@pytest.mark.parametrize(("content", "message"), [
    (b"", "empty \\(0 bytes\\), not a Parquet file"), (b"a,b\n1,2\n", "looks like CSV\nread it with scan_csv"),
    (b"\x1f\x8b123456789", "looks like a gzip archive"), (b'{"a": 1}\n', "looks like JSON"), (b"ARROW1\0\0", "looks like an Arrow IPC file"),
    (b"\0\1\2\3" * 10, "is not a Parquet file"), (b"PAR1" + b"x" * 50 + b"PAR1", "corrupt footer"),
    (b"PARE" + b"x" * 50 + b"PARE", "is encrypted"),
])  # fmt: skip
def test_foreign_files(tmp_path, content, message):
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message) as caught:
        ParquetSource(path)
    assert str(path) in str(caught.value)


def test_every_truncation_is_an_error(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": range(100), "s": ["text"] * 100})
    whole = path.read_bytes()
    for size in range(1, len(whole), 37):
        path.write_bytes(whole[:size])
        with pytest.raises(SourceError, match=r"a.parquet"):
            ParquetSource(path)
    path.write_bytes(whole[: len(whole) - 10])
    with pytest.raises(SourceError, match="truncated or half-written"):
        ParquetSource(path)


def test_a_flipped_bit_names_file_row_group_and_column(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": range(200), "b": range(200)}, row_group_size=100, use_dictionary=False)
    chunk = pq.read_metadata(path).row_group(1).column(1)
    content = bytearray(path.read_bytes())
    content[chunk.data_page_offset + chunk.total_compressed_size - 5] ^= 1
    path.write_bytes(content)
    source = ParquetSource(path)
    assert len(read(source, ["a"])) == 200
    with pytest.raises(
        SourceError, match=r"a.parquet is corrupt: cannot read row group 1, column 'b': a page does not match"
    ):
        read(source)


def test_a_footer_whose_chunks_are_corrupt_does_not_end_the_process(tmp_path):
    """In a process of its own, as pyarrow would end it: each bit of the footer is wrong once."""
    path = write(tmp_path / "a.parquet", {"a": [1, 2, None], "s": ["x", None, "y"]})
    code = """
        import pathlib, sys
        from lazyframe.executors.sources.parquet import ParquetSource
        from lazyframe.planner.errors import LazyFrameError
        path = pathlib.Path(sys.argv[1])
        content = path.read_bytes()
        length = int.from_bytes(content[-8:-4], "little")
        for place in range(len(content) - 8 - length, len(content)):
            wrong = bytearray(content)
            wrong[place] ^= 1 << place % 8
            path.with_name(f"{place}.parquet").write_bytes(wrong)
            try:
                source = ParquetSource(path.with_name(f"{place}.parquet"))
                source.statistics()
                source.splits(source.schema.names, None)
            except LazyFrameError:
                pass
        print("done")
    """
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (found.stdout, found.returncode) == ("done\n", 0), found.stderr[-1000:]


def test_permission_refused(tmp_path, monkeypatch):
    path = write(tmp_path / "a.parquet", {"a": [1]})

    def refuse(*args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(pa, "OSFile", refuse)
    with pytest.raises(SourceError, match=r"permission denied: cannot read .*a.parquet"):
        ParquetSource(path)


def test_a_replaced_file_is_read_anew_or_refused(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": [1]})
    source = ParquetSource(path)
    write(path, {"a": [2, 3]})
    assert rows(source) == [{"a": 2}, {"a": 3}]
    splits = source.splits(["a"], None)
    write(path, {"a": [4, 5, 6]})
    with pytest.raises(SourceError, match="was changed while it was being read"):
        list(splits[0].read(Metrics()))
    write(path, {"b": [4]})
    with pytest.raises(SourceError, match="other columns"):
        source.splits(["a"], None)


def test_a_file_that_went_away(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": [1]})
    source = ParquetSource(path)
    path.unlink()
    with pytest.raises(SourceNotFoundError, match=r"no such file: .*a.parquet"):
        read(source)


def test_identity_is_of_content_and_options(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": [1]})
    assert ParquetSource(path).identity() == ParquetSource(path).identity()
    assert ParquetSource(path).identity() != ParquetSource(path, hive=False).identity()
    before = ParquetSource(path).identity()
    write(path, {"a": [1, 2]})
    assert ParquetSource(path).identity() != before


def test_credentials_are_never_shown():
    with pytest.raises(SourceError) as caught:
        ParquetSource("nosuch://user:secret@host/a.parquet?token=secret")
    assert "secret" not in str(caught.value)
    assert "nosuch://host/a.parquet" in str(caught.value)


def test_an_empty_file_of_rows(tmp_path):
    source = ParquetSource(write(tmp_path / "a.parquet", pa.table({"a": pa.array([], pa.int32())})))
    assert source.splits(["a"], None) == []
    assert (source.schema["a"], source.statistics().rows) == (pa.int32(), 0)


def test_bytes_are_only_equal_to_themselves(tmp_path):
    content = write(tmp_path / "a.parquet", {"a": [1]}).read_bytes()
    assert ParquetSource(content).identity() != ParquetSource(content).identity()
