from __future__ import annotations

import datetime as dt
import gzip
import json
from decimal import Decimal

import pyarrow as pa
import pytest

from lazyframe.executors.sources import json as json_source
from lazyframe.executors.sources.json import JsonSource
from lazyframe.planner.errors import InvalidArgumentError, SourceError
from tests.executors.sources.scan import batches, read, rows


def source(tmp_path, text, name="a.json", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return JsonSource(path, **options)


OBJECTS = [
    {"i": 1, "f": 1.5, "s": "é\n", "b": True, "l": [1, None], "o": {"x": 1, "y": None}, "n": None},
    {"i": None, "f": 2.0, "s": None, "b": False, "l": None, "o": None, "n": None},
    {"i": 3, "f": None, "s": "", "b": None, "l": [], "o": {"x": None, "y": "z"}, "n": None},
]


@pytest.mark.parametrize("text", ["\n".join(map(json.dumps, OBJECTS)), json.dumps(OBJECTS), json.dumps(OBJECTS, indent=2),
                                  "\n\n".join(map(json.dumps, OBJECTS)) + "\n"])  # fmt: skip
def test_lines_and_arrays(tmp_path, text):
    found = source(tmp_path, text)
    assert dict(zip(found.schema.names, found.schema.types, strict=True)) == {
        "i": pa.int64(), "f": pa.float64(), "s": pa.string(), "b": pa.bool_(), "l": pa.list_(pa.int64()),
        "o": pa.struct({"x": pa.int64(), "y": pa.string()}), "n": pa.string()}  # fmt: skip
    assert rows(found) == OBJECTS
    assert rows(found, ["s"]) == [{"s": "é\n"}, {"s": None}, {"s": ""}]
    assert sum(b.length for b in batches(found, [])) == 3


@pytest.mark.parametrize(("values", "dtype", "expected"), [
    ("1 18446744073709551615", pa.decimal128(38, 0), [Decimal(1), Decimal(2**64 - 1)]),
    ("18446744073709551615", pa.uint64(), [2**64 - 1]),
    ("1 2.5", pa.float64(), [1.0, 2.5]),
    ('"2024-01-01"', pa.string(), ["2024-01-01"]),
    ("[1] [2.5]", pa.list_(pa.float64()), [[1.0], [2.5]]),
])  # fmt: skip
def test_inference_never_loses(tmp_path, values, dtype, expected):
    found = source(tmp_path, "\n".join(f'{{"a": {value}}}' for value in values.split()))
    assert found.schema["a"] == dtype
    assert [r["a"] for r in rows(found)] == expected


def test_names_that_are_missing_are_null(tmp_path):
    assert rows(source(tmp_path, '{"a": 1}\n{"b": 2}\n{}\n')) == [
        {"a": 1, "b": None},
        {"a": None, "b": 2},
        {"a": None, "b": None},
    ]


def test_a_schema(tmp_path):
    text = '{"d": "2024-02-29", "t": "2024-02-29T10:00:00.5", "x": {"k": [1.0]}, "m": 1.10, "h": "10:30:00", "p": {"k": 1}}\n'
    schema = {"d": "date", "t": "timestamp", "x": "string", "m": "decimal(9,2)", "h": "time", "p": "map<string, int8>"}
    assert rows(source(tmp_path, text, schema=schema)) == [
        {"d": dt.date(2024, 2, 29), "t": dt.datetime(2024, 2, 29, 10, 0, 0, 500000), "x": '{"k": [1.0]}',  # noqa: DTZ001
         "m": Decimal("1.10"), "h": dt.time(10, 30), "p": [("k", 1)]}]  # fmt: skip
    assert rows(source(tmp_path, '{"a": 1}\n', schema={"z": "date"})) == [{"a": 1, "z": None}]


def test_a_value_that_does_not_fit_names_line_and_column(tmp_path):
    text = "".join(f'{{"a": {i}}}\n' for i in range(50)) + '\n{"a": "x"}\n'
    with pytest.raises(SourceError, match=r"a.json, line 52, column 'a': \"x\" is not an int64"):
        read(source(tmp_path, text, infer_rows=10))
    with pytest.raises(SourceError, match=r"a.json, line 52, column 'a': string where int64 stood before"):
        source(tmp_path, text)
    with pytest.raises(SourceError, match=r"line 3, column 'a': 1.5 is not an int64"):
        read(source(tmp_path, '[{"a": 1},\n{"a": 2},\n{"a": 1.5}]', infer_rows=1))


def test_unknown_names(tmp_path):
    text = '{"a": 1}\n{"a": 2, "b": 3}\n'
    with pytest.raises(SourceError, match=r"a.json, line 2: an unknown name 'b'"):
        read(source(tmp_path, text, infer_rows=1))
    assert rows(source(tmp_path, text, infer_rows=1, unknown_fields="ignore")) == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize(("text", "message"), [
    ("", r"a.json is empty"), ('{"a": 1}\n{"a": 2\n', r"a.json, line 2 is not JSON"), ("[1, 2]", "line 1: a row is an object, not an int"),
    ('[{"a": 1} {"a": 2}]', "a comma or ] is missing"), ('[{"a": 1}', "a comma or ] is missing"), ('[{"a": 1}] x', "more text after the array"),
    ('{"a": 1, "a": 2}', "'a' stands twice"), ("a,b\n1,2\n", "is not JSON: it looks like CSV"), (b"PAR1\xff\xfe", "a.json"),
    (b'{"a": "\xff"}\n', "a.json, line 1"),
])  # fmt: skip
def test_bad_files(tmp_path, text, message):
    with pytest.raises(SourceError, match=message):
        source(tmp_path, text)


def test_large_streams_and_late_errors(tmp_path, monkeypatch):
    monkeypatch.setattr(json_source, "_BLOCK_BYTES", 1 << 16)
    lines = "".join(f'{{"i": {i}, "s": "text {i}"}}\n' for i in range(8_000))
    assert read(source(tmp_path, lines), ["i"]).column("i").to_pylist() == list(range(8_000))
    with pytest.raises(SourceError, match=r"line 8001, column 'i': true is not an int64"):
        read(source(tmp_path, lines + '{"i": true}\n', infer_rows=100))
    # What pyarrow is too strict for is read by the slower way, from where it stopped.
    mixed = source(tmp_path, lines + '{"i": 1, "s": 5}\n', schema={"s": "string"})
    assert read(mixed).num_rows == 8_001
    assert rows(mixed)[-1] == {"i": 1, "s": "5"}


def test_an_empty_array_compression_and_options(tmp_path):
    assert rows(source(tmp_path, "[]", schema={"a": "int8"})) == []
    assert rows(source(tmp_path, gzip.compress(b'{"a": 1}\n'), "a.ndjson.gz")) == [{"a": 1}]
    with pytest.raises(InvalidArgumentError, match="unknown_fields"):
        source(tmp_path, "{}", unknown_fields="maybe")


@pytest.mark.parametrize("layout", ["{}\n", "[{}]"])
def test_nothing_is_silently_another_value(tmp_path, layout):
    """Digits past 38 once scaled, and an offset from UTC where the type has no zone."""

    def read_value(value, dtype):
        text = layout.format(json.dumps({"a": 0}).replace("0", value))
        return rows(source(tmp_path, text, schema={"a": dtype}))[0]["a"]

    assert read_value("9" * 36 + ".99", "decimal(38,2)") == Decimal("9" * 36 + ".99")
    assert read_value("0.00", "decimal(2,2)") == 0
    for value, dtype in [
        ("9" * 38, "decimal(38,2)"),
        ("1" * 40, "decimal(38,0)"),
        ('"2013-01-01T10:00:00+05:00"', "timestamp[us]"),
    ]:
        with pytest.raises(SourceError, match=r"line 1, column 'a': .* is not a "):
            read_value(value, dtype)
    instant = dt.datetime(2013, 1, 1, 5, tzinfo=dt.UTC)
    assert read_value('"2013-01-01 10:00:00+05:00"', "timestamp[us, UTC]") == instant
    assert read_value('"2013-01-01 06:00:00"', "timestamp[us, Europe/Paris]") == instant
