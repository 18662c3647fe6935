from __future__ import annotations

import importlib
import math
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyframe.executors.vectorized.keys import encode, hashing
from tests.executors.vectorized.keys.columns import arrays, column_values, kinds, same

encoding = importlib.import_module("lazyframe.executors.vectorized.keys.encode")


def expected_codes(columns: list[list]) -> list[int]:
    seen: dict = {}
    return [seen.setdefault(tuple(map(same, row)), len(seen)) for row in zip(*columns, strict=True)]


def check(columns: list[pa.Array], codes: list[int]) -> None:
    result = encode(columns, len(codes))
    assert result.codes.tolist() == codes
    assert result.count == len(set(codes))
    appearances = {code: row for row, code in reversed(list(enumerate(codes)))}
    assert result.first.tolist() == [appearances[code] for code in range(result.count)]


@pytest.mark.parametrize("arrow_rows", [0, 4096])
@given(data=st.data())
def test_codes_of_any_columns_are_those_of_a_dict(arrow_rows, data):
    n = data.draw(st.integers(0, 30))
    chosen = data.draw(st.lists(kinds(), min_size=1, max_size=3))
    values = [data.draw(column_values(kind, n)) for kind in chosen]
    columns = [data.draw(arrays(kind, v)) for (kind, _), v in zip(chosen, values, strict=True)]
    with patch.object(encoding, "ARROW_ROWS", arrow_rows):
        check(columns, expected_codes(values))


def test_every_nan_is_one_key_and_zeros_have_no_sign():
    other_nan = np.array([0xFFF8000000000001], dtype=np.uint64).view(np.float64)[0]
    check([pa.array(np.array([0.0, math.nan, -0.0, other_nan, 1.0]))], [0, 1, 0, 1, 2])
    check([pa.array(np.array([-0.0, np.nan, 0.0, -np.nan], dtype=np.float32))], [0, 1, 0, 1])


def test_dictionary_codes_are_not_values():
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, None, 4]), pa.array(["x", "x", "y", None, "x"]))
    check([dictionary], [0, 0, 1, 2, 2, 0])


def test_dictionary_much_larger_than_its_rows():
    words = pa.array([f"word {k % 5000}" for k in range(10_000)])
    check([pa.DictionaryArray.from_arrays(pa.array([7, 5007, None, 9999, 4999, 7]), words)], [0, 0, 1, 2, 2, 0])


def test_no_columns_are_one_group_unless_there_are_no_rows():
    assert encode([], 3).codes.tolist() == [0, 0, 0]
    assert encode([], 3).first.tolist() == [0]
    assert encode([], 0).count == 0


@pytest.mark.parametrize(
    "kind", [pa.int64(), pa.string(), pa.null(), pa.list_(pa.int8()), pa.struct([("a", pa.int8())]),
             pa.dictionary(pa.int8(), pa.string()), pa.decimal128(5), pa.bool_(), pa.string_view(), pa.struct([])],
    ids=str,
)  # fmt: skip
def test_nulls_only_and_empty(kind):
    check([pa.nulls(4, kind)], [0, 0, 0, 0])
    check([pa.nulls(0, kind)], [])


def test_products_of_ranges_beyond_63_bits():
    columns = [pa.array([0, 1 << 31, 0, 1 << 31, 5]), pa.array([0, 1 << 31, 0, 0, 5]), pa.array([7, 1 << 31, 7, 0, 0])]
    check(columns, [0, 1, 0, 2, 3])
    full = [
        pa.array([-(2**63), 2**63 - 1, None, -(2**63), 0]),
        pa.array([2**64 - 1, 0, None, 2**64 - 1, 0], pa.uint64()),
    ]
    check(full, [0, 1, 2, 0, 3])


def test_a_null_is_not_the_value_stored_under_it():
    masked = pa.array(np.array([0, 2**63 - 1, -(2**63), 0]), mask=np.array([False, True, True, False]))
    check([masked], [0, 1, 1, 0])
    check([pa.array(np.array([-(2**63), 2**63 - 1, 0, 7]), mask=np.array([False, False, False, True]))], [0, 1, 2, 3])


@pytest.mark.parametrize("arrow_rows", [0, 4096])
def test_null_and_empty_and_nul_bytes_differ(monkeypatch, arrow_rows):
    monkeypatch.setattr(encoding, "ARROW_ROWS", arrow_rows)
    check([pa.array(["", None, "\0", "\0\0", "", None])], [0, 1, 2, 3, 0, 1])
    check([pa.array(["", None, "x" * 20, "x" * 20 + "\0", "", None])], [0, 1, 2, 3, 0, 1])
    check([pa.array(["", None, "x" * 50, "x" * 50 + "\0", "", None])], [0, 1, 2, 3, 0, 1])


@pytest.mark.parametrize("arrow_rows", [0, 4096])
def test_null_struct_differs_from_struct_of_nulls_and_null_list_from_empty(monkeypatch, arrow_rows):
    monkeypatch.setattr(encoding, "ARROW_ROWS", arrow_rows)
    check([pa.array([None, {"a": None}, None, {"a": 1}])], [0, 1, 0, 2])
    check([pa.array([None, [], [None], [None, None], [], None])], [0, 1, 2, 3, 1, 0])
    check([pa.array([None, [], [*range(9)], [*range(10)], [], None, [*range(9)]])], [0, 1, 2, 3, 1, 0, 2])


def test_map_and_run_end_encoded():
    check([pa.array([[("a", 1)], None, [("a", 2)], [("a", 1)]], pa.map_(pa.string(), pa.int8()))], [0, 1, 2, 0])
    check([pa.RunEndEncodedArray.from_arrays([2, 4, 5], pa.array(["a", None, "a"]))], [0, 0, 1, 1, 0])


def test_intervals_and_extension_types():
    check(
        [pa.array([pa.MonthDayNano([1, 2, 3]), None, pa.MonthDayNano([1, 2, 4]), pa.MonthDayNano([1, 2, 3])])],
        [0, 1, 2, 0],
    )
    check(
        [pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0" * 16, b"1" * 16, b"0" * 16], pa.binary(16)))],
        [0, 1, 0],
    )


def test_union_keys_are_refused():
    union = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])
    with pytest.raises(TypeError, match="union"):
        encode([union], 1)


def test_hash_collisions_keep_keys_apart(monkeypatch):
    monkeypatch.setattr(encoding, "ARROW_ROWS", 0)
    monkeypatch.setattr(hashing, "mix_words", lambda words, seed: np.full(len(words[0]), seed % 2, dtype=np.uint64))
    values = [3 * 10**12, -5, 3 * 10**12, 10**15, -5, 10**16, 7]
    check([pa.array(values)], [0, 1, 0, 2, 1, 3, 4])
    check([pa.array([f"a long string {v}" for v in values])], [0, 1, 0, 2, 1, 3, 4])


@pytest.mark.parametrize("distinct", [3, 3000, 10**6, 2**40])
def test_many_rows(distinct):
    rng = np.random.default_rng(3)
    numbers = rng.integers(0, distinct, 20_000)
    if distinct == 3:
        numbers[-1] = 17  # a value that the first rows do not have
    expected = expected_codes([numbers.tolist()])
    for column in (numbers, numbers.astype(float) / 7, numbers.astype("datetime64[s]")):
        check([pa.array(column)], expected)
    check([pa.array([f"key number {number}" for number in numbers])], expected)
    check([pa.array(numbers // 7), pa.array(numbers % 7)], expected)


def test_the_first_row_of_a_slot_leads_even_where_numpy_writes_in_another_order(monkeypatch):
    from lazyframe.executors.vectorized.keys import grouping

    class Backwards(np.ndarray):
        def __setitem__(self, key, value):
            if isinstance(key, np.ndarray) and key.strides[0] < 0:
                key, value = key[::-1], value[::-1]
            super().__setitem__(key, value)

    empty = np.empty
    monkeypatch.setattr(grouping.np, "empty", lambda *a, **k: empty(*a, **k).view(Backwards))
    assert grouping.first_in_slot(np.array([2, 0, 2, 1, 0]), 3).tolist() == [0, 1, 0, 3, 1]
