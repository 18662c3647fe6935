"""Batches, and the layouts their columns may have."""

from __future__ import annotations

import decimal

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.executors.batch import (
    Batch,
    concat,
    concat_arrays,
    decimal_from_unscaled,
    decoded,
    empty_columns,
    narrowed,
    single_chunk,
    unscaled_values,
    validity_buffer,
)
from lazyframe.planner.schema import Field, Schema

D = decimal.Decimal
MONEY = pa.decimal128(12, 2)
NUMBERS = Batch({"x": pa.array([1, None, 3]), "s": pa.array(["a", "b", None])}, 3)


def columns(batch):
    assert all(len(column) == batch.length for column in batch.columns.values())
    return {name: column.to_pylist() for name, column in batch.columns.items()}


def test_rows_and_columns():
    assert len(NUMBERS) == 3
    assert NUMBERS["x"].to_pylist() == [1, None, 3]
    assert columns(NUMBERS.select(["s"])) == {"s": ["a", "b", None]}
    assert columns(NUMBERS.slice(1)) == {"x": [None, 3], "s": ["b", None]}
    assert columns(NUMBERS.slice(1, 1)) == {"x": [None], "s": ["b"]}
    assert columns(NUMBERS.slice(2, 9)) == {"x": [3], "s": [None]}
    assert columns(NUMBERS.slice(9)) == {"x": [], "s": []}
    assert columns(NUMBERS.slice(9, 1)) == {"x": [], "s": []}


@pytest.mark.parametrize(
    ("mask", "kept"),
    [([True, True, True], [1, None, 3]), ([False, None, True], [3]), ([False] * 3, []), ([None] * 3, [])],
)
def test_filter(mask, kept):
    assert columns(NUMBERS.filter(pa.array(mask, pa.bool_())))["x"] == kept


def test_take():
    assert columns(NUMBERS.take(np.array([2, 0]))) == {"x": [3, 1], "s": [None, "a"]}
    assert columns(NUMBERS.take(pa.array([0, None, 0]))) == {"x": [1, None, 1], "s": ["a", None, "a"]}
    assert columns(NUMBERS.take(np.array([], dtype=np.int64))) == {"x": [], "s": []}


def test_batches_without_columns_know_their_length():
    bare = NUMBERS.select([])
    assert bare.slice(1).length == 2
    assert bare.filter(pa.array([True, False, None])).length == 1
    assert bare.take(np.array([0, 0, 0, 0])).length == 4
    assert bare.to_arrow(Schema([])).num_rows == 3
    assert empty_columns(5).num_rows == 5
    assert concat([bare, bare], Schema([])).length == 6


def test_to_arrow_gives_the_plain_layout():
    schema = Schema([Field("s", pa.string(), False), Field("m", MONEY)])
    batch = Batch({"m": pa.array([150, None], pa.int64()), "s": pa.array(["b", "a"]).dictionary_encode()}, 2)
    found = batch.to_arrow(schema)
    assert found.schema == schema.to_arrow()
    assert found.to_pydict() == {"s": ["b", "a"], "m": [D("1.50"), None]}


@pytest.mark.parametrize(
    "values", [[], [None], [D("1.50"), None, D("-0.01")], [D("9999999999.99"), D("-9999999999.99")]]
)
@pytest.mark.parametrize("offset", [0, 1])
def test_decimals_as_integers_and_back(values, offset):
    whole = pa.array([D("7.00")] * offset + values, MONEY).slice(offset)
    small = narrowed(whole)
    assert small.type == pa.int64()
    assert small.to_pylist() == [None if v is None else int(v * 100) for v in values]
    assert decimal_from_unscaled(small, MONEY).equals(whole)
    assert decoded(small, MONEY).equals(whole)
    decimal_from_unscaled(small, MONEY).validate(full=True)


def test_decimals_that_do_not_fit_stay():
    wide = pa.decimal128(38, 0)
    fits = pa.array([2**62, -(2**63), 2**63 - 1, None], wide)
    assert narrowed(fits).to_pylist() == [2**62, -(2**63), 2**63 - 1, None]
    for value in (2**63, -(2**63) - 1, 2**100):
        assert narrowed(pa.array([1, value], wide)).type == wide
    assert narrowed(pa.array([1, 2])).type == pa.int64()


@pytest.mark.parametrize("offset", range(10))
def test_slices_of_values_and_validity(offset):
    whole = pa.array([None if n % 3 == 0 else n for n in range(20)], pa.int64())
    part = whole.slice(offset, 7)
    again = pa.Array.from_buffers(pa.int64(), 7, [validity_buffer(part), pa.py_buffer(unscaled_values(part).copy())])
    assert again.to_pylist() == part.to_pylist()
    assert validity_buffer(pa.array([1, 2])) is None


def test_what_stands_below_a_null_of_a_dictionary_need_not_be_a_code():
    def column(codes, entry):
        indices = pa.Array.from_buffers(pa.int32(), 2, [pa.py_buffer(b"\x01"), pa.py_buffer(np.array(codes, np.int32))])
        return pa.DictionaryArray.from_arrays(indices, pa.array([entry]), safe=False)

    found = single_chunk(pa.chunked_array([column([0, 1 << 30], "a"), column([0, -(1 << 30)], "b")]))
    assert found.to_pylist() == ["a", None, "b", None]


def test_dictionaries_are_put_together_by_value():
    first, second = pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "c"]).dictionary_encode()
    assert concat_arrays([first, second], pa.string()).to_pylist() == ["a", "b", "b", "c"]
    assert single_chunk(pa.chunked_array([first, second])).to_pylist() == ["a", "b", "b", "c"]
    assert concat_arrays([first, pa.array(["z", None])], pa.string()).to_pylist() == ["a", "b", "z", None]
    assert concat_arrays([pa.array([150]), pa.array([D("2.00")], MONEY)], MONEY).to_pylist() == [D("1.50"), D("2.00")]
    assert concat_arrays([], pa.string()).type == pa.string()
    assert single_chunk(pa.chunked_array([], pa.int8())).type == pa.int8()


def test_concat():
    schema = Schema([Field("x", pa.int64()), Field("s", pa.string())])
    assert columns(concat([NUMBERS, NUMBERS.slice(0, 1)], schema)) == {"x": [1, None, 3, 1], "s": ["a", "b", None, "a"]}
    assert concat([NUMBERS], schema) is NUMBERS


@pytest.mark.parametrize(
    "whole",
    [
        pa.array([1, None, 3, 4, None, 6, 7]),
        pa.array(["a", None, "", "dd", "e", None, "g"]),
        pa.array([True, None, False, True, True, False, None]),
        pa.array([D("1.5"), None, D(2), None, D(3), D(4), D(5)]),
        pa.array([b"x", b"", None, b"z", b"y", b"w", b"v"], pa.large_binary()),
        pa.array(["long enough for a view of its own", "b", None, "d", "e", "f", "g"], pa.string_view()),
        pa.nulls(7),
        pa.array([[1], None, [], [2, 3], [4], [5], [6]]),
        pa.array([{"a": 1}, None, {"a": 3}, {"a": 4}, {"a": 5}, {"a": 6}, {"a": 7}]),
        pa.array(["a", "b", "a", None, "b", "a", "c"]).dictionary_encode(),
    ],
    ids=lambda array: str(array.type),
)
def test_pieces_of_an_array_are_put_together_again(whole):
    pieces = [whole.slice(1, 2), whole.slice(3, 1), whole.slice(4, 0), whole.slice(4, 3)]
    assert concat_arrays(pieces, whole.type).to_pylist() == whole.to_pylist()[1:]
    for others in (pieces[::-1], [pieces[0], pieces[3]], [pieces[0], pieces[0]], [*pieces, whole.slice(6)]):
        expected = [value for piece in others for value in piece.to_pylist()]
        assert concat_arrays(others, whole.type).to_pylist() == expected


def test_pieces_of_an_array_are_not_copied():
    whole = pa.array(range(1000))
    found = concat_arrays([whole.slice(8, 100), whole.slice(108, 50)], whole.type)
    assert found.buffers()[1].address == whole.buffers()[1].address
    assert found.equals(whole.slice(8, 150))
