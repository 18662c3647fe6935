from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.executors import threads
from lazyframe.executors.compiled.keys.radix import sorted_by_bits, unpacked
from lazyframe.executors.vectorized.keys import rank_codes, sort_indices, sort_runs


@pytest.fixture(autouse=True, params=["0", "1"])
def _everything_by_kernels(request, monkeypatch):
    monkeypatch.setenv("LAZYFRAME_COMPILED", "0")
    monkeypatch.setenv("LAZYFRAME_CHECKED", request.param)


@pytest.mark.parametrize("n", [1, 2, 24, 25, 300, 20_000, 100_000])
@pytest.mark.parametrize("bits", [1, 8, 13, 47])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_words_come_out_as_a_stable_sort_has_them(n, bits, count):
    random = np.random.default_rng(n + bits)
    for digits in (
        random.integers(0, 1 << bits, n),
        np.abs(random.normal(size=n) ** 8).astype(np.int64).clip(0, (1 << bits) - 1),
        np.full(n, (1 << bits) - 1),
        np.sort(random.integers(0, 1 << bits, n))[::-1],
    ):
        keys = (digits.astype(np.uint64) << np.uint64(17)) | np.arange(n, dtype=np.uint64)
        found = sorted_by_bits(keys.copy(), 17, bits, count)
        assert found is not None
        assert found.tolist() == sorted(keys.tolist())
        split = unpacked(found, 17)
        assert split is not None
        order = np.argsort(digits, kind="stable")
        assert split[0].tolist() == order.tolist()
        assert split[1].tolist() == [True, *(np.diff(digits[order]) != 0).tolist()]


def by_python(columns: list[list], descending: list[bool], nulls_first: list[bool]) -> list[int]:
    order = list(range(len(columns[0])))
    for column, down, first in reversed(list(zip(columns, descending, nulls_first, strict=True))):
        nulls = [row for row in order if column[row] is None]
        others = sorted((row for row in order if column[row] is not None), key=lambda row: column[row], reverse=down)
        # A reversed sort keeps the order of equal values, as is wanted.
        order = nulls + others if first else others + nulls
    return order


def texts(kind: str, n: int, random: np.random.Generator) -> list:
    match kind:
        case "few":
            return [f"value {k}" for k in random.integers(0, 50, n)]
        case "long prefix":
            return [f"https://example.org/a/path/that/is/long/{k}/tail" for k in random.integers(0, n, n)]
        case "longer than words":
            return ["x" * 200 + f"{k}" for k in random.integers(0, n // 2, n)]
        case "prefixes of each other":
            return ["ab\0" * int(k % 7) + "\0" * int(k % 12) for k in random.integers(0, 84, n)]
        case _:
            return [None if k % 5 == 0 else f"{k:x}é" for k in random.integers(0, 1 << 60, n)]


KINDS = ["few", "long prefix", "longer than words", "prefixes of each other", "nulls"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_texts_are_sorted_word_by_word(kind, down, first):
    n = 9000
    random = np.random.default_rng(3)
    values = texts(kind, n, random)
    other = random.integers(0, 3, n).tolist()
    expected = by_python([values, other], [down, not down], [first, False])
    for array in (pa.array(values), pa.array([None, *values, "zz"], pa.large_string()).slice(1, n)):
        with threads.free(2):
            found = sort_indices([array, pa.array(other)], [down, not down], [first, False])
        assert found.tolist() == expected
    order, differs = sort_runs([pa.array(values)], [down], [first])
    assert order.tolist() == by_python([values], [down], [first])
    ordered = [values[row] for row in order]
    assert differs.tolist() == [False, *[a != b for a, b in pairwise(ordered)]]
    ranks = rank_codes([pa.array(values)], [down], [first])
    assert [ranks[row] for row in order] == np.cumsum(differs).tolist()


@pytest.mark.parametrize("count", [1, 2, 7])
def test_keys_that_take_more_than_one_word(count):
    n = 20_000
    random = np.random.default_rng(4)
    few, wide = random.integers(0, 3, n), random.integers(-(2**63), 2**63 - 1, 40).take(random.integers(0, 40, n))
    floats = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -1.5]).take(random.integers(0, 7, n))
    with threads.free(count):
        found = sort_indices([pa.array(few), pa.array(wide), pa.array(floats)], [True, False, True], [False] * 3)
    # numpy sorts NaN last, as the greatest.
    ranks = np.unique(floats + 0.0, return_inverse=True)[1]
    assert found.tolist() == np.lexsort([-ranks, wide, -few]).tolist()


def test_bytes_under_nulls_are_not_sorted_by():
    n = 20_000
    random = np.random.default_rng(6)
    numbers = random.integers(0, 30, n)
    whole = pa.array([f"some text of value {k}" for k in numbers])
    valid = random.random(n) < 0.7
    hidden = pa.Array.from_buffers(
        whole.type, n, [pa.py_buffer(np.packbits(valid, bitorder="little")), *whole.buffers()[1:]]
    )
    values = hidden.to_pylist()
    for down in (False, True):
        assert sort_indices([hidden], [down], [True]).tolist() == by_python([values], [down], [True])


@pytest.mark.parametrize("bits", [10, 50])
def test_words_are_sorted_where_the_kernel_of_the_next_step_is_still_being_compiled(bits, monkeypatch):
    monkeypatch.setattr("lazyframe.executors.compiled.keys.radix.unpacked", lambda keys, place_bits: None)
    numbers = (np.random.default_rng(bits).exponential(size=20_000) * (1 << bits - 4)).astype(np.int64)
    found = sort_indices([pa.array(numbers)], [False], [False])
    assert found.tolist() == np.argsort(numbers, kind="stable").tolist()
