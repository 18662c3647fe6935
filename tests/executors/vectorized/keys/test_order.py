from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazyframe.executors.vectorized.keys import rank_codes, sort_indices, top_k_indices
from tests.executors.vectorized.keys.columns import arrays, column_values, compare_rows, kinds, sorted_rows


@given(st.data())
def test_order_of_any_columns_is_that_of_sorted(data):
    n = data.draw(st.integers(0, 30))
    chosen = data.draw(st.lists(kinds(), min_size=1, max_size=3))
    values = [data.draw(column_values(kind, n)) for kind in chosen]
    columns = [data.draw(arrays(kind, v)) for (kind, _), v in zip(chosen, values, strict=True)]
    descending = data.draw(st.lists(st.booleans(), min_size=len(chosen), max_size=len(chosen)))
    nulls_first = data.draw(st.lists(st.booleans(), min_size=len(chosen), max_size=len(chosen)))
    expected = sorted_rows(values, descending, nulls_first)
    assert sort_indices(columns, descending, nulls_first).tolist() == expected
    k = data.draw(st.integers(0, n + 1))
    assert top_k_indices(columns, descending, nulls_first, k).tolist() == expected[:k]
    rows = list(zip(*values, strict=True))
    ranks = {}
    rank = -1
    for place, row in enumerate(expected):
        if not place or compare_rows(rows[expected[place - 1]], rows[row], descending, nulls_first):
            rank += 1
        ranks[row] = rank
    assert rank_codes(columns, descending, nulls_first).tolist() == [ranks[row] for row in range(n)]


@pytest.mark.parametrize("k", [0, 1, 3, 10, 400])
@settings(max_examples=25)
@given(data=st.data())
def test_top_of_many_rows_with_ties(k, data):
    kind = data.draw(kinds(0))
    values = data.draw(column_values(kind, 16)) * 25
    column = data.draw(arrays(kind[0], values))
    down, first = data.draw(st.booleans()), data.draw(st.booleans())
    second = [row % 7 for row in range(400)]
    expected = sorted_rows([values, second], [down, True], [first, False])
    assert top_k_indices([column, pa.array(second)], [down, True], [first, False], k).tolist() == expected[:k]


def test_nan_is_the_greatest_and_ties_with_itself():
    column = [pa.array([math.nan, 1.0, None, -math.nan, math.inf, -0.0, 0.0, -math.inf])]
    assert sort_indices(column, [False], [False]).tolist() == [7, 5, 6, 1, 4, 0, 3, 2]
    assert sort_indices(column, [True], [False]).tolist() == [0, 3, 4, 1, 5, 6, 7, 2]
    assert sort_indices(column, [True], [True]).tolist() == [2, 0, 3, 4, 1, 5, 6, 7]


def test_null_last_is_not_the_greatest():
    assert top_k_indices([pa.array([1, None])], [True], [False], 1).tolist() == [0]


def test_nulls_beside_a_full_range():
    column = [pa.array([2**63 - 1, None, -(2**63), 0])]
    assert sort_indices(column, [False], [True]).tolist() == [1, 2, 3, 0]
    assert sort_indices(column, [True], [False]).tolist() == [0, 3, 2, 1]


def test_strings_go_by_code_point_and_prefixes_first():
    words = [
        "\uffff",
        "\U0001f600",
        "a\0",
        "a",
        "",
        "ab",
        "a" * 40,
        "a" * 39,
        "a" * 41,
        "a" * 39,
        "b" * 8,
        "b" * 8 + "\0",
    ]
    expected = sorted(range(len(words)), key=lambda row: [ord(c) for c in words[row]])
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        assert sort_indices([pa.array(words, kind)], [False], [False]).tolist() == expected


def test_dictionaries_go_by_value():
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None, 3]), pa.array(["pear", "fig", "pear", "apple"]))
    assert sort_indices([column], [False], [False]).tolist() == [4, 1, 0, 2, 3]


@pytest.mark.parametrize("descending", [False, True])
def test_many_rows(descending):
    rng = np.random.default_rng(11)
    wide = rng.integers(-(2**63), 2**63 - 1, 30_000)
    few = rng.integers(0, 50, 30_000)
    for numbers in (wide, few, wide.view(np.uint64), wide / 3.0):
        keys = [(-v if descending else v) for v in numbers.tolist()]
        expected = sorted(range(len(keys)), key=keys.__getitem__)
        assert sort_indices([pa.array(numbers)], [descending], [False]).tolist() == expected
        assert top_k_indices([pa.array(numbers)], [descending], [False], 99).tolist() == expected[:99]
    words = [f"{'prefix of more than thirty-two bytes ' * (v % 3)}{v}" for v in wide.tolist()]
    many = [words[v] for v in few.tolist()]
    for strings in (words, many):
        expected = sorted(range(len(strings)), key=strings.__getitem__, reverse=descending)
        assert sort_indices([pa.array(strings)], [descending], [False]).tolist() == expected
        assert top_k_indices([pa.array(strings)], [descending], [False], 99).tolist() == expected[:99]


def test_three_keys_of_64_bits():
    rng = np.random.default_rng(13)
    columns = [rng.choice(rng.integers(-(2**63), 2**63 - 1, 20), 5000) for _ in range(3)]
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    expected = sorted(range(5000), key=lambda row: (rows[row][0], -rows[row][1], rows[row][2]))
    assert (
        sort_indices([pa.array(column) for column in columns], [False, True, False], [False] * 3).tolist() == expected
    )
