"""Mistakes in COPY, and where they are shown."""

import pytest

import lazyframe as lf

T = lf.from_dict({"x": [1, 2], "Key": ["a", "b"]})


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("text", "error", "message", "underlined"),
    [
        ("copy T to 'o.foo'", "InvalidArgumentError", "tells no format", "'o.foo'"),
        ("copy T to 'o.xlsx'", "InvalidArgumentError", ".parquet, .csv, .json or .arrow", "'o.xlsx'"),
        ("copy T to 'o'", "InvalidArgumentError", "tells no format", "'o'"),
        ("copy T to data.parquet", "SqlSyntaxError", "write TO 'data.parquet'", "data.parquet"),
        ("copy (from T) to a/b.csv (header)", "SqlSyntaxError", "stands in quotes", "a/b.csv"),
        ("copy T to 'o.csv' (format xlsx)", "UnsupportedError", "no format 'xlsx'", "format xlsx"),
        ("copy T to 'o.json' (array true)", "InvalidArgumentError", "one object a line", "array true"),
        ("copy T to 'o.parquet' (row_group_size 10, compression foo)", "InvalidArgumentError", "one of zstd", "compression foo"),
        ("copy T to 'o.arrow' (compression gzip)", "InvalidArgumentError", "one of lz4, zstd, none", "compression gzip"),
        ("copy T to 'o' (format csv, partition_by (x, nn))", "ColumnNotFoundError", "'nn'", "partition_by (x, nn)"),
        ("copy T to 'o.csv' (header, dateformat '%d')", "UnsupportedError", "no option DATEFORMAT", "dateformat '%d'"),
        ("copy (select x as header from T) to 'o.csv' with (header 3)", "InvalidArgumentError", "HEADER", "header 3"),
        ("copy T to 'o.csv' (quote '''', header)", "InvalidArgumentError", "QUOTE", "quote ''''"),
        ("copy T to 'o.csv' (header, header)", "InvalidArgumentError", "given twice", "header"),
        ("select 1; copy T to 'o.csv' (delim 1); select 2", "InvalidArgumentError", "DELIM", "delim 1"),
    ],
)  # fmt: skip
def test_errors_stand_at_the_option(tmp_path, text, error, message, underlined):
    with pytest.raises(getattr(lf.errors, error)) as caught:
        lf.sql(text)
    shown = str(caught.value).splitlines()
    assert message in str(caught.value)
    line = next(number for number, each in enumerate(shown) if each.startswith("  SQL line"))
    source, marks = shown[line + 1 : line + 3]
    assert source[marks.index("^") :][: marks.count("^")] == underlined
    assert list(tmp_path.iterdir()) == []


def test_partition_columns_are_found_without_regard_to_case(tmp_path):
    lf.sql("copy T to 'o' (format csv, partition_by (key))")
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == ["Key=a", "Key=b"]


def test_nested_values_are_written_as_text(tmp_path):
    lf.sql("copy (select [1, 2] as l, {'a': 1} as s, interval 1 day as i) to 'o.csv'")
    assert (tmp_path / "o.csv").read_text() == "l,s,i\n\"[1, 2]\",{'a': 1},1 day\n"
