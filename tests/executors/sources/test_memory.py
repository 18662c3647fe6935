from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lazyframe.executors.sources.csv_decimals import read_decimals
from lazyframe.executors.sources.decimal_casts import cast_checked
from lazyframe.executors.sources.ingest import from_any
from lazyframe.executors.sources.memory import MemorySource
from lazyframe.executors.sources.source import MORSEL_ROWS
from lazyframe.planner.errors import DuplicateColumnError, InvalidArgumentError, SourceError, TypeMismatchError
from tests.executors.sources.scan import Metrics, batches, read, rows


def test_rows_come_out_as_they_went_in():
    table = pa.table({"a": [1, 2, None], "b": ["x", None, ""]})
    assert rows(MemorySource(table)) == [{"a": 1, "b": "x"}, {"a": 2, "b": None}, {"a": None, "b": ""}]
    assert rows(MemorySource(table), ["b"]) == [{"b": "x"}, {"b": None}, {"b": ""}]


def test_no_columns_still_count_rows():
    source = MemorySource(pa.table({"a": range(5)}))
    assert [batch.length for batch in batches(source, [])] == [5]


def test_an_empty_table_has_a_schema_and_no_splits():
    source = MemorySource(pa.table({"a": pa.array([], pa.large_string())}))
    assert source.splits(["a"], None) == []
    assert source.schema["a"] == pa.string()


PHYSICAL = [
    (pa.array(["a", None], pa.string_view()), pa.string(), ["a", None]),
    (pa.array(["a", None], pa.large_string()), pa.string(), ["a", None]),
    (pa.array([b"a", None], pa.binary_view()), pa.binary(), [b"a", None]),
    (pa.array([b"ab", None], pa.binary(2)), pa.binary(), [b"ab", None]),
    (pa.array([[1, 2], None], pa.list_(pa.int32(), 2)), pa.list_(pa.int32()), [[1, 2], None]),
    (pa.array([[1], None], pa.large_list(pa.int32())), pa.list_(pa.int32()), [[1], None]),
    (pa.array([["x"], None], pa.list_view(pa.string_view())), pa.list_(pa.string()), [["x"], None]),
    (pa.array([1.5, None], pa.float16()), pa.float32(), [1.5, None]),
    (pa.array([dt.date(2024, 2, 29)], pa.date64()), pa.date32(), [dt.date(2024, 2, 29)]),
    (pa.array([Decimal("1.50"), None], pa.decimal256(40, 2)).cast(pa.decimal256(10, 2)), pa.decimal128(10, 2),
     [Decimal("1.50"), None]),
    (pa.array([Decimal("-1.50"), None], pa.decimal32(5, 2)), pa.decimal128(5, 2), [Decimal("-1.50"), None]),
    (pa.array(["x", "y", None, "x"]).dictionary_encode(), pa.string(), ["x", "y", None, "x"]),
    (pa.array([3, None, 3]).dictionary_encode(), pa.int64(), [3, None, 3]),
    (pa.array([{"a": 1}, None], pa.struct([pa.field("a", pa.int8(), nullable=False)])), pa.struct({"a": pa.int8()}),
     [{"a": 1}, None]),
    (pa.array([[("k", "v")], None], pa.map_(pa.large_string(), pa.string_view())), pa.map_(pa.string(), pa.string()),
     [[("k", "v")], None]),
    (pa.RunEndEncodedArray.from_arrays([2, 3], ["a", None]), pa.string(), ["a", "a", None]),
]  # fmt: skip


@pytest.mark.parametrize(("array", "dtype", "values"), PHYSICAL, ids=lambda v: str(getattr(v, "type", "")))
def test_physical_layouts_become_the_canonical_one(array, dtype, values):
    source = MemorySource(pa.table({"x": array}))
    assert source.schema["x"] == dtype
    assert read(source).column("x").to_pylist() == values


def test_a_sliced_struct_keeps_its_slice():
    table = pa.table({"s": pa.array([{"a": 1}, {"a": 2}, {"a": 3}]).slice(1, 1)})
    assert rows(MemorySource(table)) == [{"s": {"a": 2}}]


def test_nulls_among_the_values_of_a_dictionary_are_nulls():
    array = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 0], pa.uint8()), pa.array(["x", None], pa.large_string())
    )
    (batch,) = batches(MemorySource(pa.table({"d": array})))
    assert batch["d"].type == pa.dictionary(pa.int32(), pa.string())
    assert batch["d"].null_count == 2
    assert batch["d"].indices.to_pylist() == [0, None, None, 0]


def test_chunks_with_different_dictionaries_keep_their_values():
    one = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), ["x", "y"])
    two = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["y", None]))
    source = MemorySource(pa.table({"d": pa.chunked_array([one, two])}))
    assert read(source).column("d").to_pylist() == ["x", "y", "y", None]


def test_decimals_of_18_digits_are_narrowed():
    table = pa.table({"d": pa.array([Decimal("-12.34"), None, Decimal("0.01")], pa.decimal128(15, 2))}).slice(1)
    (batch,) = batches(MemorySource(table))
    assert batch["d"].type == pa.int64()
    assert batch["d"].to_pylist() == [None, 1]


def test_splits_are_at_most_a_morsel_and_keep_order():
    count = 2 * MORSEL_ROWS + 10
    source = MemorySource(pa.table({"a": np.arange(count)}))
    assert len(source.splits(["a"], None)) == 3
    assert read(source).column("a").to_pylist() == list(range(count))


def test_thousands_of_small_chunks_are_recombined():
    chunk = pa.record_batch({"a": list(range(100))})
    source = MemorySource([chunk] * 3000)
    assert [batch.length for batch in batches(source)] == [MORSEL_ROWS, MORSEL_ROWS, 300_000 - 2 * MORSEL_ROWS]
    assert read(source).column("a").to_pylist() == list(range(100)) * 3000


def test_reading_twice_gives_the_same_and_counts():
    source = MemorySource(pa.table({"a": [1, 2, 3]}))
    metrics = Metrics()
    assert rows(source, metrics=metrics) == rows(source)
    assert (metrics.rows, metrics.groups_read, metrics.bytes) == (3, 1, 24)


def test_statistics_are_exact():
    stats = MemorySource(pa.table({"a": [1, None, None]})).statistics()
    assert (stats.rows, stats.exact, stats.columns["a"].nulls) == (3, True, 2)


def test_nullability_is_what_was_declared_and_is_checked():
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False), pa.field("b", pa.int64())])
    source = MemorySource(pa.table({"a": [1], "b": [2]}, schema=schema))
    assert [field.nullable for field in source.schema] == [False, True]
    with pytest.raises(SourceError, match=r"column 'a' of mine is declared not null but holds 1 nulls"):
        MemorySource(pa.table([pa.array([1, None]), pa.array([1, 2])], schema=schema), name="mine")


def test_equal_names_are_refused():
    with pytest.raises(DuplicateColumnError, match="'a'"):
        MemorySource(pa.table([[1], [2]], names=["a", "a"]))


def test_only_the_same_object_is_the_same_table():
    table = pa.table({"a": [1]})
    source = MemorySource(table)
    assert source.identity() == source.identity()
    assert source.identity() != MemorySource(table).identity()


ONE = [{"a": 1, "b": "x"}, {"a": 2, "b": None}]


@pytest.mark.parametrize(
    "data",
    [
        {"a": [1, 2], "b": ["x", None]},
        {"a": np.array([1, 2]), "b": pa.array(["x", None])},
        {"a": pl.Series([1, 2]), "b": pd.Series(["x", None])},
        ONE,
        iter(ONE),
        [{"a": 1, "b": "x"}, {"a": 2}],
        pa.table({"a": [1, 2], "b": ["x", None]}),
        pa.record_batch({"a": [1, 2], "b": ["x", None]}),
        [pa.record_batch({"a": [1, 2], "b": ["x", None]})],
        pa.record_batch({"a": [1, 2], "b": ["x", None]}).to_struct_array(),
        pd.DataFrame({"a": [1, 2], "b": ["x", None]}),
        pl.DataFrame({"a": [1, 2], "b": ["x", None]}),
        pl.LazyFrame({"a": [1, 2], "b": ["x", None]}),
        pa.table({"a": [1, 2], "b": ["x", None]}).to_reader(),
    ],
    ids=lambda data: type(data).__name__,
)  # fmt: skip
def test_everything_that_holds_rows_becomes_a_table(data):
    assert rows(MemorySource(from_any(data))) == ONE


def test_duckdb_relations_and_structured_arrays():
    duckdb = pytest.importorskip("duckdb")
    assert from_any(duckdb.connect().sql("select 1 a, 'x' b")).to_pylist() == [{"a": 1, "b": "x"}]
    array = np.array([(1, 2.5), (3, 4.5)], dtype=[("a", "i4"), ("b", "f8")])
    assert from_any(array).to_pylist() == [{"a": 1, "b": 2.5}, {"a": 3, "b": 4.5}]


def test_pandas_index_and_nan():
    frame = pd.DataFrame({"x": [1.0, np.nan]}, index=pd.Index(["p", "q"], name="key"))
    assert from_any(frame).to_pylist() == [{"key": "p", "x": 1.0}, {"key": "q", "x": None}]
    frame.index.name = None
    assert from_any(frame).to_pylist() == [{"x": 1.0}, {"x": None}]


def test_nan_stays_nan_outside_pandas():
    assert from_any({"x": np.array([1.0, np.nan])}).column("x").null_count == 0


def test_ragged_columns_name_both_and_their_lengths():
    with pytest.raises(InvalidArgumentError, match=r"'a' has 2 values, 'b' has 3"):
        from_any({"a": [1, 2], "b": [1, 2, 3]})


@pytest.mark.parametrize("data", [{"x": [1, 2, "three"]}, [{"x": 1}, {"x": 2}, {"x": "three"}],
                                  pd.DataFrame({"x": [1, 2, "three"]})])  # fmt: skip
def test_mixed_values_name_column_row_and_value(data):
    with pytest.raises(TypeMismatchError, match=r"column 'x', row 2: 'three' \(str\) is not an int64"):
        from_any(data)


def test_values_of_no_type():
    with pytest.raises(TypeMismatchError, match=r"column 'x', row 0: .*object"):
        from_any({"x": [object()]})


@pytest.mark.parametrize(("data", "message"), [
    (5, "cannot make a frame of an int"), ("text", "cannot make a frame of a str"),
    (np.zeros(3), "no column names"), ({"x": 5}, "column 'x' is a single int"), ([1, 2], "row 0 is an int"),
    ({1: [1]}, "not 1"), ({"x": np.zeros((2, 2))}, "2 dimensions"),
])  # fmt: skip
def test_what_holds_no_rows_is_refused(data, message):
    with pytest.raises(InvalidArgumentError, match=message):
        from_any(data)


def test_a_schema_gives_types():
    table = from_any({"x": [1, 2], "y": ["2024-01-31", None]}, schema={"x": "int8", "y": "date"})
    assert table.schema.types == [pa.int8(), pa.date32()]
    with pytest.raises(TypeMismatchError, match=r"column 'x', row 1: 300"):
        from_any({"x": [1, 300]}, schema={"x": "int8"})
    with pytest.raises(InvalidArgumentError, match="'z'"):
        from_any({"x": [1]}, schema={"z": "int8"})


def test_a_value_that_its_canonical_type_cannot_hold():
    source = MemorySource(pa.table({"d": pa.array([1], pa.date64())}), name="mine")  # a millisecond past midnight
    with pytest.raises(SourceError, match=r"a column of mine \(d: date64"):
        read(source)


def test_extension_types_are_what_they_store():
    array = pa.array([b"0123456789abcdef", None], pa.uuid())
    assert rows(MemorySource(pa.table({"u": array}))) == [{"u": b"0123456789abcdef"}, {"u": None}]


def test_decimals_never_wrap_around():
    """2^128 is 39 digits long: with two places more, numbers of 38 digits would come back as others."""
    wanted = pa.decimal128(38, 2)
    whole = Decimal("1" * 36)
    for found in (pa.chunked_array([[str(whole), None]]), pa.chunked_array([[whole, None]], pa.decimal128(38, 0))):
        assert cast_checked(found, wanted).to_pylist() == [whole, None]
    for digits in range(11, 100, 7):
        big = str(digits) + "7" * 36
        for found in (pa.chunked_array([[big]]), pa.chunked_array([[-Decimal(big)]], pa.decimal128(38, 0))):
            with pytest.raises(pa.ArrowInvalid):
                cast_checked(found, wanted)
        with pytest.raises(pa.ArrowInvalid):
            read_decimals(pa.chunked_array([[big + ".25"]]), wanted)
