from __future__ import annotations

import importlib
import math
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyframe.executors.vectorized.keys import KeyTable, hashing
from lazyframe.executors.vectorized.keys.byte_rows import ByteRows
from tests.executors.vectorized.keys.columns import arrays, column_values, kinds, same


def pairs(table: KeyTable, columns: list[pa.Array], n: int) -> list[tuple[int, int]]:
    codes = table.lookup(columns, n)
    probe, build = table.matches(codes)
    result = list(zip(probe.tolist(), build.tolist(), strict=True))
    assert table.contains(columns, n).tolist() == [any(p == row for p, _ in result) for row in range(n)]
    assert table.counts(codes).tolist() == [sum(p == row for p, _ in result) for row in range(n)]
    return result


def expected_pairs(build: list[list], probe: list[list], nulls_equal: bool) -> list[tuple[int, int]]:
    def rows(columns):
        return [
            None if None in row and not nulls_equal else tuple(map(same, row)) for row in zip(*columns, strict=True)
        ]

    right = rows(build)
    return [
        (p, b) for p, key in enumerate(rows(probe)) if key is not None for b, other in enumerate(right) if key == other
    ]


@pytest.mark.parametrize("arrow_rows", [0, 4096])
@given(data=st.data())
def test_matches_of_any_columns_are_those_of_nested_loops(arrow_rows, data):
    m, n = data.draw(st.integers(0, 20)), data.draw(st.integers(0, 20))
    chosen = data.draw(st.lists(kinds(), min_size=1, max_size=3))
    together = [data.draw(column_values(kind, m + n)) for kind in chosen]
    build, probe = [v[:m] for v in together], [v[m:] for v in together]
    nulls_equal = data.draw(st.booleans())
    left = [data.draw(arrays(kind, v)) for (kind, _), v in zip(chosen, build, strict=True)]
    right = [data.draw(arrays(kind, v)) for (kind, _), v in zip(chosen, probe, strict=True)]
    with patch.object(importlib.import_module("lazyframe.executors.vectorized.keys.encode"), "ARROW_ROWS", arrow_rows):
        table = KeyTable(left, m, nulls_equal=nulls_equal)
    assert pairs(table, right, n) == expected_pairs(build, probe, nulls_equal)
    assert pairs(table, left, m) == expected_pairs(build, build, nulls_equal)
    assert table.codes.tolist() == table.lookup(left, m).tolist()


def test_nan_and_zero_match_and_null_does_not():
    table = KeyTable([pa.array([math.nan, -0.0, None, 1.0])], 4)
    probe = [pa.array([0.0, -math.nan, None, 2.0])]
    assert pairs(table, probe, 4) == [(0, 1), (1, 0)]
    assert pairs(KeyTable([pa.array([math.nan, -0.0, None, 1.0])], 4, nulls_equal=True), probe, 4) == [
        (0, 1),
        (1, 0),
        (2, 2),
    ]


def test_physical_forms_meet():
    table = KeyTable([pa.array(["apple", "a pear of some length", "fig"])], 3)
    words = ["fig", "a pear of some length", "plum, not in the table", "apple"]
    for probe in (
        pa.array(words),
        pa.array(words, pa.large_string()),
        pa.array(words, pa.string_view()),
        pa.array(words).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([3, 2, 1, 0]), pa.array(words[::-1], pa.large_string())),
    ):
        assert table.lookup([probe], 4).tolist() == [2, 1, -1, 0]


def test_numbers_out_of_the_build_sides_range():
    table = KeyTable([pa.array([5, 6, 9])], 3)
    assert table.lookup([pa.array([4, 5, 7, 9, 10, -(2**63), 2**63 - 1])], 7).tolist() == [-1, 0, -1, 2, -1, -1, -1]
    wide = KeyTable([pa.array([-(2**63), 2**63 - 1, 0])], 3)
    assert wide.lookup([pa.array([0, 1, 2**63 - 1, -(2**63)])], 4).tolist() == [2, -1, 1, 0]
    unsigned = KeyTable([pa.array([0, 2**64 - 1], pa.uint64())], 2)
    assert unsigned.lookup([pa.array([2**64 - 1, 1, 0], pa.uint64())], 3).tolist() == [1, -1, 0]


def test_a_long_probe_string_is_not_its_first_bytes():
    table = KeyTable([pa.array(["abc", "abcdefg"])], 2)
    assert table.lookup([pa.array(["abcdefg", "abcdefgh", "abc\0", "abc"])], 4).tolist() == [1, -1, -1, 0]


def test_decimals_beyond_64_bits_do_not_match_their_low_bits():
    from decimal import Decimal

    kind = pa.decimal128(38, 0)
    table = KeyTable([pa.array([Decimal(1), Decimal(-1)], kind)], 2)
    assert table.lookup([pa.array([Decimal(2**64 + 1), Decimal(1), Decimal(2**64 - 1), Decimal(-1)], kind)], 4).tolist() == [
        -1, 0, -1, 1]  # fmt: skip


def test_products_of_ranges_beyond_63_bits():
    build = [pa.array([0, 1 << 40, 3]), pa.array([1 << 40, 0, 3]), pa.array([0, 1 << 40, 3])]
    probe = [pa.array([0, 1 << 40, 3, 0]), pa.array([1 << 40, 0, 4, 1 << 40]), pa.array([0, 1 << 40, 3, 1])]
    assert KeyTable(build, 3).lookup(probe, 4).tolist() == [0, 1, -1, -1]


def test_pairs_come_by_probe_row_then_by_build_row():
    table = KeyTable([pa.array([2, 1, 2, None, 1, 2])], 6)
    assert pairs(table, [pa.array([1, 3, 2, None, 1])], 5) == [(0, 1), (0, 4), (2, 0), (2, 2), (2, 5), (4, 1), (4, 4)]
    assert table.codes.tolist() == [0, 1, 0, -1, 1, 0]
    assert table.count == 2


def test_empty_sides():
    empty = KeyTable([pa.array([], pa.int64()), pa.array([], pa.string())], 0)
    assert pairs(empty, [pa.array([1, 2]), pa.array(["a", "a longer string"])], 2) == []
    table = KeyTable([pa.array(["a longer string"])], 1)
    assert pairs(table, [pa.array([], pa.string())], 0) == []
    assert pairs(KeyTable([pa.nulls(2, pa.string())], 2), [pa.array(["", None])], 2) == []
    assert pairs(KeyTable([pa.nulls(2)], 2, nulls_equal=True), [pa.nulls(1)], 1) == [(0, 0), (0, 1)]


def test_nulls_inside_match():
    table = KeyTable([pa.array([{"a": None}, None, {"a": 1}])], 3)
    assert pairs(table, [pa.array([{"a": 1}, {"a": None}, None])], 3) == [(0, 2), (1, 0)]
    lists = KeyTable([pa.array([[None, 1], None, [], [2]])], 4)
    assert pairs(lists, [pa.array([[], [1, None], [None, 1], None, [2, 3], [9]])], 6) == [(0, 2), (2, 0)]


@pytest.mark.parametrize("weak", [0, 5])
def test_hash_collisions_never_match(monkeypatch, weak):
    monkeypatch.setattr(hashing, "mix_words", lambda words, seed: np.full(len(words[0]), weak, dtype=np.uint64))
    monkeypatch.setattr(ByteRows, "hashes", lambda self: np.full(len(self), weak, dtype=np.uint64))
    numbers = [10**15, -(10**15), 3, 10**15, 77]
    probe = [3, 4, 10**15, 78, -(10**15)]
    assert pairs(KeyTable([pa.array(numbers)], 5), [pa.array(probe)], 5) == [(0, 2), (2, 0), (2, 3), (4, 1)]

    def words(values):
        return [pa.array([None if value == 77 else f"some long word {value}" for value in values])]

    assert pairs(KeyTable(words(numbers), 5), words(probe), 5) == [(0, 2), (2, 0), (2, 3), (4, 1)]
    both = [*words(numbers), pa.array(numbers)]
    assert pairs(KeyTable(both, 5), [*words(probe), pa.array(probe)], 5) == [(0, 2), (2, 0), (2, 3), (4, 1)]


def test_equal_hashes_of_different_strings(monkeypatch):
    monkeypatch.setattr(ByteRows, "hashes", lambda self: self.lengths.view(np.uint64) % np.uint64(2))
    words = ["x" * 200 + str(k % 40) for k in range(100)]
    probe = ["x" * 200 + str(k) for k in range(60)]
    expected = [(p, b) for p, word in enumerate(probe) for b, other in enumerate(words) if word == other]
    assert pairs(KeyTable([pa.array(words)], 100), [pa.array(probe)], 60) == expected


def test_many_rows_in_threads():
    rng = np.random.default_rng(5)
    for spread in (3, 1 << 45):
        keys = rng.permutation(20_000) * spread
        table = KeyTable([pa.array(keys)], len(keys))
        place = {key: row for row, key in enumerate(keys.tolist())}
        probes = [rng.integers(0, 25_000, 5_000) * spread for _ in range(8)]
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda probe, table=table: table.lookup([pa.array(probe)], len(probe)), probes))
        for probe, codes in zip(probes, found, strict=True):
            assert codes.tolist() == [place.get(key, -1) for key in probe.tolist()]


def test_long_strings_differ_in_their_last_byte():
    words = ["p" * length + end for length in (127, 128, 129, 1000) for end in "ab"]
    table = KeyTable([pa.array(words)], len(words))
    assert table.lookup([pa.array([*words[::-1], "p" * 1000 + "c"])], 9).tolist() == [7, 6, 5, 4, 3, 2, 1, 0, -1]


@pytest.mark.parametrize("nulls_equal", [False, True])
@pytest.mark.parametrize(
    "wide", [[], [None], ["0.00", "-1.00", None, "2.50"], ["-1.00", "99999999999999999999.99", "2.50"]]
)
def test_decimals_as_integers_on_one_side(wide, nulls_equal):
    """A batch may hold decimals as 64-bit integers of their unscaled values."""
    dtype = pa.decimal128(30, 2)
    narrow = ["2.50", None, "-1.00", "7.00"]
    as_decimals = pa.array([v and Decimal(v) for v in wide], dtype)
    as_integers = pa.array([v and int(Decimal(v) * 100) for v in narrow], pa.int64())
    expected = [
        (p, b) for p, x in enumerate(narrow) for b, y in enumerate(wide) if x == y and (x is not None or nulls_equal)
    ]
    table = KeyTable([as_decimals], len(wide), nulls_equal=nulls_equal)
    assert pairs(table, [as_integers], len(narrow)) == expected
    table = KeyTable([as_integers], len(narrow), nulls_equal=nulls_equal)
    assert sorted((p, b) for b, p in pairs(table, [as_decimals], len(wide))) == expected
