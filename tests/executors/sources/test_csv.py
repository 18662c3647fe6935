from __future__ import annotations

import bz2
import datetime as dt
import gzip
import io
from decimal import Decimal

import pyarrow as pa
import pytest

from lazyframe.executors.sources import csv_ranges
from lazyframe.executors.sources.csv import CsvSource
from lazyframe.planner.errors import InvalidArgumentError, SourceError, SourceNotFoundError
from lazyframe.planner.scalars import Call, Column, Literal
from tests.executors.sources.scan import Metrics, batches, read, rows


def source(tmp_path, text, name="a.csv", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return CsvSource(path, **options)


def test_types_are_inferred(tmp_path):
    text = "i,f,b,d,t,z,h,s\n1,1.5,true,2024-02-29,2024-02-29 12:00:00,2024-02-29T12:00:00+02:00,12:30:00,x\n,,,,,,,\n"
    found = source(tmp_path, text)
    assert found.schema.types == [
        pa.int64(), pa.float64(), pa.bool_(), pa.date32(), pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.time64("us"), pa.string(),
    ]  # fmt: skip
    assert rows(found) == [
        {"i": 1, "f": 1.5, "b": True, "d": dt.date(2024, 2, 29), "t": dt.datetime(2024, 2, 29, 12),  # noqa: DTZ001
         "z": dt.datetime(2024, 2, 29, 10, tzinfo=dt.UTC), "h": dt.time(12, 30), "s": "x"},
        dict.fromkeys("ifbdtzhs"),
    ]  # fmt: skip


@pytest.mark.parametrize(("values", "dtype", "expected"), [
    (["9223372036854775807"], pa.int64(), [2**63 - 1]),
    (["1", "18446744073709551615"], pa.uint64(), [1, 2**64 - 1]),
    (["-1", "18446744073709551615"], pa.decimal128(38, 0), [Decimal(-1), Decimal(2**64 - 1)]),
    (["9" * 39], pa.string(), ["9" * 39]),
    (["007", "12"], pa.string(), ["007", "12"]),
    (["0", "-0"], pa.int64(), [0, 0]),
    (["1", "2.5", "-3e2"], pa.float64(), [1.0, 2.5, -300.0]),
    (["0x1F"], pa.string(), ["0x1F"]),
    (["1", "x"], pa.string(), ["1", "x"]),
    (["2024-01-01", "2024-01-01 10:00"], pa.timestamp("us"), [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 10)]),  # noqa: DTZ001
    (["2023-02-30"], pa.string(), ["2023-02-30"]),
    (["NA", "1"], pa.string(), ["NA", "1"]),
])  # fmt: skip
def test_inference_never_loses(tmp_path, values, dtype, expected):
    found = source(tmp_path, "a,b\n" + "".join(f"{value},1\n" for value in values))
    assert found.schema["a"] == dtype
    assert [row["a"] for row in rows(found)] == expected


def test_empty_is_null_and_quoted_empty_is_not(tmp_path):
    assert rows(source(tmp_path, 'a,b\n,1\n"",2\nx,3\n')) == [
        {"a": None, "b": 1},
        {"a": "", "b": 2},
        {"a": "x", "b": 3},
    ]


def test_null_texts(tmp_path):
    assert rows(source(tmp_path, "a,b\nNA,1\n5,NA\n", null_values=["NA", ""])) == [
        {"a": None, "b": 1},
        {"a": 5, "b": None},
    ]


def test_a_single_column_keeps_its_empty_lines(tmp_path):
    assert [r["a"] for r in rows(source(tmp_path, "a\n1\n\n3\n"))] == [1, None, 3]


def test_quotes_newlines_separators_and_bom(tmp_path):
    text = '\ufeffname;"va;lue"\n"a ""b""";"x\ny"\n'
    assert rows(source(tmp_path, text, separator=";")) == [{"name": 'a "b"', "va;lue": "x\ny"}]
    assert rows(source(tmp_path, "a\tb\n1\t2\n", "a.tsv")) == [{"a": 1, "b": 2}]
    assert rows(source(tmp_path, 'a,b\n"x,y\n', quote_char=None)) == [{"a": '"x', "b": "y"}]


def test_options(tmp_path):
    assert rows(source(tmp_path, "1,x\n2,y\n", has_header=False)) == [
        {"column0": 1, "column1": "x"},
        {"column0": 2, "column1": "y"},
    ]
    assert rows(source(tmp_path, "made by us\n\na,b\n1,2\n", skip_rows=1)) == [{"a": 1, "b": 2}]
    assert rows(source(tmp_path, "# one\na,b\n1,2\n# two\n3,4\n", comment="#")) == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    assert rows(source(tmp_path, "a,b\ncaf\xe9,1\n".encode("latin-1"), encoding="latin-1")) == [{"a": "café", "b": 1}]
    assert rows(source(tmp_path, "a,b\nx\\,y,1\n", escape_char="\\")) == [{"a": "x,y", "b": 1}]
    assert source(tmp_path, ",b\n1,2\n").schema.names == ["column0", "b"]


def test_a_schema_for_some_columns(tmp_path):
    found = source(tmp_path, "code,n,m\n1,2,3.25\n", schema={"code": "string", "m": "decimal(9,2)"})
    assert rows(found) == [{"code": "1", "n": 2, "m": Decimal("3.25")}]
    with pytest.raises(InvalidArgumentError, match=r"'cod'.*\n.*'code'"):
        source(tmp_path, "code,n\n1,2\n", schema={"cod": "string"})


def test_compressed_files(tmp_path):
    text = b"a,b\n1,2\n"
    assert rows(source(tmp_path, gzip.compress(text), "a.csv.gz")) == [{"a": 1, "b": 2}]
    assert rows(source(tmp_path, bz2.compress(text), "a.csv.bz2")) == [{"a": 1, "b": 2}]
    assert rows(source(tmp_path, pa.compress(text, "zstd", asbytes=True), "a.csv.zst")) == [{"a": 1, "b": 2}]
    with pytest.raises(SourceError, match="not CSV: it looks like a gzip archive"):
        source(tmp_path, gzip.compress(text), "b.csv")
    with pytest.raises(SourceError, match=r"c.csv.gz"):
        source(tmp_path, gzip.compress(text * 1000)[:-20], "c.csv.gz").splits([], None)[0].read(Metrics()).__next__()


def test_folders_hive_and_order(tmp_path):
    for year, value in ((2014, 2), (2013, 1)):
        folder = tmp_path / f"year={year}"
        folder.mkdir()
        (folder / "p.csv").write_text(f"a\n{value}\n")
    found = CsvSource(tmp_path)
    assert rows(found) == [{"a": 1, "year": 2013}, {"a": 2, "year": 2014}]
    metrics = Metrics()
    predicate = Call("equal", (Column("year", pa.int64(), False), Literal(pa.scalar(2014))))
    assert rows(found, ["a"], predicate, metrics) == [{"a": 2}]
    assert (metrics.groups_read, metrics.groups_skipped) == (1, 1)


def test_long_files_stream_in_order(tmp_path):
    text = "i,s\n" + "".join(f"{i},text {i}\n" for i in range(300_000))
    found = source(tmp_path, text)
    assert read(found, ["i"]).column("i").to_pylist() == list(range(300_000))
    assert len(batches(found, [])) > 1
    assert sum(b.length for b in batches(found, [])) == 300_000
    # A reader that stops early leaves the rest unread.
    metrics = Metrics()
    first = next(found.splits(["i"], None)[0].read(metrics))
    assert first["i"][0].as_py() == 0
    assert metrics.rows < 300_000


@pytest.mark.parametrize("count", [20, 200_000])
def test_a_value_that_does_not_fit_names_line_column_and_text(tmp_path, count):
    lines = [f'{i},"x\ny"' for i in range(count)]  # each record takes two lines
    found = source(tmp_path, "n,s\n" + "\n".join([*lines, "twelve,z", "13,z", ""]), infer_rows=10)
    assert rows(found, ["s"])[-1] == {"s": "z"}
    with pytest.raises(SourceError) as caught:
        read(found)
    assert caught.value.message == f"{tmp_path}/a.csv, line {2 + 2 * count}, column 'n': 'twelve' is not an int64"
    assert "schema={'n': 'string'}" in caught.value.hint


def test_ragged_rows_name_the_line_and_the_counts(tmp_path):
    with pytest.raises(SourceError, match=r"a.csv, line 5: 2 values were expected, 3 found"):
        source(tmp_path, 'a,b\n1,"x\ny"\n\n1,2,3\n')
    with pytest.raises(SourceError, match=r"a.csv, line 3: 2 values were expected, 1 found"):
        source(tmp_path, "a,b\n1,2\n1\n")


def test_ragged_rows_may_be_skipped_or_filled_in_place(tmp_path):
    text = "a,b,c\n9\n1,2,3\n4,5\n6,7,8\n7\n8\n"
    assert [r["a"] for r in rows(source(tmp_path, text, ragged="skip"))] == [1, 6]
    assert [tuple(r.values()) for r in rows(source(tmp_path, text, ragged="null"))] == [
        (9, None, None), (1, 2, 3), (4, 5, None), (6, 7, 8), (7, None, None), (8, None, None)]  # fmt: skip
    with pytest.raises(SourceError, match=r"line 3: 2 values were expected, 3 found"):
        source(tmp_path, "a,b\n1,2\n1,2,3\n", ragged="null")
    many = "a,b\n" + "".join(f"{i}\n" if i % 7 == 0 else f"{i},{i}\n" for i in range(200_000))
    found = read(source(tmp_path, many, ragged="null"))
    assert found.column("a").to_pylist() == list(range(200_000))
    assert found.column("b").to_pylist() == [None if i % 7 == 0 else i for i in range(200_000)]


def test_headers_must_agree_and_be_unique(tmp_path):
    (tmp_path / "b.csv").write_text("x,y\n1,2\n")
    (tmp_path / "c.csv").write_text("x,z\n1,2\n")
    with pytest.raises(
        SourceError,
        match=r"the headers of .*b.csv and .*c.csv differ: only the first has 'y' and only the second has 'z'",
    ):
        CsvSource(tmp_path)
    with pytest.raises(SourceError, match="more than one column 'a'"):
        source(tmp_path, "a,a\n1,2\n")


@pytest.mark.parametrize(("content", "message"), [
    (b"", r"empty \(0 bytes\)"), (b"\n\n", "no header"), (b"PAR1xxxx", "looks like a Parquet file\nread it with scan_parquet"),
    (b"PK\x03\x04xxxx", "Excel"),
])  # fmt: skip
def test_foreign_files(tmp_path, content, message):
    with pytest.raises(SourceError, match=message):
        source(tmp_path, content)


def test_wrong_encoding_and_open_quote(tmp_path):
    with pytest.raises(SourceError, match=r"column 'a': the text is not utf-8\ngive its encoding"):
        source(tmp_path, b"a,b\ncaf\xe9,1\n")
    with pytest.raises(SourceError, match=r"a.csv, line 3: a quote is opened and never closed"):
        source(tmp_path, 'a,b\n0,"""y"""\n1,"open\n' + "2,x\n" * 100)
    assert rows(source(tmp_path, 'a,b\n1,5" pipe\n')) == [{"a": 1, "b": '5" pipe'}]


def test_header_only_has_no_rows(tmp_path):
    found = source(tmp_path, "a,b\n")
    assert (found.schema.names, rows(found)) == (["a", "b"], [])
    assert rows(source(tmp_path, "a,b")) == []


def test_missing_and_bytes(tmp_path):
    (tmp_path / "data.csv").write_text("a\n1\n")
    with pytest.raises(SourceNotFoundError, match=r"'data.csv'"):
        CsvSource(tmp_path / "dat.csv")
    assert rows(CsvSource(io.BytesIO(b"a,b\n1,2\n"))) == [{"a": 1, "b": 2}]
    with pytest.raises(InvalidArgumentError, match="binary"):
        CsvSource(io.StringIO("a,b\n1,2\n"))


@pytest.mark.parametrize(
    "options", [{"separator": "ab"}, {"quote_char": "é"}, {"ragged": "maybe"}, {"skip_rows": -1}, {"comment": ""}]
)
def test_options_that_make_no_sense(tmp_path, options):
    with pytest.raises(InvalidArgumentError):
        source(tmp_path, "a,b\n1,2\n", **options)


def test_a_large_file_is_cut_at_lines_and_keeps_order(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_ranges, "RANGE_BYTES", 1000)
    lines = [f"{i},text é {i}\r\n" for i in range(1000)]
    found = source(tmp_path, "made by us\r\ni,s\r\n" + "".join(lines), skip_rows=1)
    splits = found.splits(["i"], None)
    assert len(splits) > 5
    metrics = Metrics()
    assert rows(found, metrics=metrics) == [{"i": i, "s": f"text é {i}"} for i in range(1000)]
    assert metrics.bytes == len("".join(lines).encode())
    # What a later part starts with can stand within quotes: then nothing is cut.
    quoted = source(tmp_path, "i,s\n" + "".join(f'{i},"x\n{i},y"\n' for i in range(1000)), "q.csv")
    assert len(quoted.splits(["i"], None)) == 1
    assert [r["i"] for r in rows(quoted)] == list(range(1000))


def test_errors_in_a_part_name_the_line_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_ranges, "RANGE_BYTES", 1000)
    found = source(tmp_path, "i,s\n" + "".join(f"{i},x\n" for i in range(1000)) + "oops,x\n", infer_rows=10)
    assert len(found.splits(["i"], None)) > 3
    with pytest.raises(SourceError, match=r"a.csv, line 1002, column 'i': 'oops' is not an int64"):
        read(found)


@pytest.mark.parametrize(("text", "dtype", "value"), [
    ("9" * 38, "decimal(38,0)", Decimal("9" * 38)), ("0" * 9 + "1" * 36, "decimal(38,2)", Decimal("1" * 36)),
    (" -1.5 ", "decimal(38,2)", Decimal("-1.50")), ("12e-1", "decimal(4,2)", Decimal("1.20")), ("", "decimal(4,2)", None),
])  # fmt: skip
def test_decimals_are_exact(tmp_path, text, dtype, value):
    assert rows(source(tmp_path, f"a,b\n1,{text}\n", schema={"b": dtype})) == [{"a": 1, "b": value}]


@pytest.mark.parametrize(("text", "dtype"), [
    ("1" * 39, "decimal(38,0)"), ("1" * 40, "decimal(38,0)"), ("9" * 38, "decimal(38,2)"), ("9" * 37 + ".99", "decimal(38,2)"),
    ("1.5", "decimal(38,0)"), ("x", "decimal(4,2)"), ("1000", "decimal(5,2)"), ("1e40", "decimal(38,0)"),
])  # fmt: skip
def test_a_decimal_that_does_not_fit_is_refused(tmp_path, text, dtype):
    refused = source(tmp_path, f"a,b\n1,2\n1,{text}\n", schema={"b": dtype})
    with pytest.raises(SourceError, match=rf"line 3, column 'b': '{text}' is not a decimal"):
        rows(refused)


def test_an_offset_is_not_dropped(tmp_path):
    text = "a,t\n1,2013-01-01 10:00:00+05:00\n"
    with pytest.raises(SourceError, match="line 2, column 't'") as caught:
        rows(source(tmp_path, text, schema={"t": "timestamp[us]"}))
    assert caught.value.hint == "it has an offset from UTC: schema={'t': 'timestamp[us, UTC]'} keeps the instant"
    (row,) = rows(source(tmp_path, text, schema={"t": "timestamp[us, UTC]"}))
    assert row["t"] == dt.datetime(2013, 1, 1, 5, tzinfo=dt.UTC)


def test_an_unknown_encoding_names_the_nearest(tmp_path):
    for name in ("latin-99", "base64", "\0"):
        with pytest.raises(InvalidArgumentError, match="no encoding") as caught:
            source(tmp_path, "a\n1\n", encoding=name)
        assert name != "latin-99" or "'latin-1'" in caught.value.hint or "'latin1'" in caught.value.hint


def test_a_type_of_no_partition_column(tmp_path):
    (tmp_path / "year=2013").mkdir()
    (tmp_path / "year=2013" / "a.csv").write_text("a\n1\n")
    with pytest.raises(InvalidArgumentError, match="hive_types names a column 'yaer' that no folder has") as caught:
        CsvSource(tmp_path, hive_types={"yaer": "int16"})
    assert caught.value.hint == "did you mean 'year'?"
    with pytest.raises(InvalidArgumentError, match="'zz' that no folder has"):
        source(tmp_path, "a\n1\n", hive_types={"zz": "int16"})


def test_the_advice_for_rows_of_a_wrong_length(tmp_path):
    with pytest.raises(SourceError, match="line 3: 2 values were expected, 3 found") as caught:
        rows(source(tmp_path, "a,b\n1\n1,2,3\n", ragged="null"))
    assert "ragged='null'" not in caught.value.hint
    assert "ragged='skip'" in caught.value.hint
    with pytest.raises(SourceError, match="line 2: 1 value was expected, 2 found") as caught:
        rows(source(tmp_path, "Report of May\na,b\n1,2\n"))
    assert "skip_rows=1" in caught.value.hint
    with pytest.raises(SourceError, match="line 2: 2 values were expected, 1 found") as caught:
        rows(source(tmp_path, "a,b\n1\n"))
    assert "ragged='null'" in caught.value.hint


def test_files_with_their_columns_in_another_order(tmp_path):
    (tmp_path / "a.csv").write_text("x,y,z\n1,one,2024-01-01\n")
    (tmp_path / "b.csv").write_text("z,x,y\n2024-01-02,2,two\n,3\n")
    found = CsvSource(tmp_path, ragged="null")
    assert found.schema.names == ["x", "y", "z"]
    assert rows(found) == [
        {"x": 1, "y": "one", "z": dt.date(2024, 1, 1)}, {"x": 2, "y": "two", "z": dt.date(2024, 1, 2)},
        {"x": 3, "y": None, "z": None},
    ]  # fmt: skip
    assert rows(found, ["z", "x"])[1] == {"z": dt.date(2024, 1, 2), "x": 2}
    (tmp_path / "b.csv").write_text("z,x,w\n2024-01-02,2,two\n")
    with pytest.raises(SourceError, match="differ: only the first has 'y' and only the second has 'w'"):
        CsvSource(tmp_path)
