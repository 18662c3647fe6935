"""Stable sorting of rows of unsigned words by the fastest sort of single integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from lazyframe.executors.vectorized.keys.byte_rows import Words
from lazyframe.executors.vectorized.keys.encode import offsets_from
from lazyframe.executors.vectorized.keys.grouping import Positions
from lazyframe.planner import arrow

SortWord: TypeAlias = tuple[Words, int]
"""Unsigned words that sort as a key does, and how many of their low bits are used."""

# So few rows are sorted by comparing them, before the words are put together.
_FEW_ROWS = 128
# Arrow sorts ranges up to this by counting.
_COUNTED_BITS = 12


def stable_order(words: Sequence[SortWord], n: int) -> Positions:
    """The stable order of rows by words, the first the most significant.

    Each pass sorts by as many low bits as fit into 64 beside the row's place from the pass before: so no two of the
    sorted integers are equal, and the fastest sort is a stable one.
    """
    order = np.arange(n)
    if n < 2:
        return order
    if n <= _FEW_ROWS:
        return np.lexsort([word for word, _ in reversed(words)]) if words else order
    used = sum(bits for _, bits in words)
    if 0 < used <= _COUNTED_BITS and n > 1 << _COUNTED_BITS:
        (digit,) = _digits(words, used)
        return arrow.numpy_of(pc.sort_indices(arrow.array(digit))).view(np.intp)
    place_bits = (n - 1).bit_length()
    shift = np.uint64(place_bits)
    mask = np.uint64((1 << place_bits) - 1)
    places = order.view(np.uint64)
    started = False
    for digit in _digits(words, 64 - place_bits):
        keys = (digit.take(order, mode="clip") if started else digit) << shift
        keys |= places
        keys.sort()
        keys &= mask
        order = order.take(keys.view(np.int64), mode="clip") if started else keys.view(np.intp)
        started = True
    return order


def _digits(words: Sequence[SortWord], width: int) -> Iterator[Words]:
    """The words, read as one long number, cut into digits of `width` bits, the lowest first."""
    digit: Words | None = None
    used = 0
    for word, bits in reversed(words):
        done = 0
        while done < bits:
            part = word >> np.uint64(done) if done else word
            taken = min(bits - done, width - used)
            if taken < bits - done:
                part = part & np.uint64((1 << taken) - 1)
            digit = part if digit is None else digit | (part << np.uint64(used))
            used += taken
            done += taken
            if used == width:
                yield digit
                digit, used = None, 0
    if digit is not None:
        yield digit


def ordered_runs(words: Sequence[SortWord], n: int) -> tuple[Positions, npt.NDArray[np.bool_]]:
    """The stable order of rows by words, and at each place but the first whether its row differs from the one before."""
    order = stable_order(words, n)
    new = np.zeros(n, dtype=np.bool_)
    for word, _ in words:
        ordered = word.take(order)
        new[1:] |= ordered[1:] != ordered[:-1]
    return order, new


def dense_ranks(words: Sequence[SortWord], n: int) -> npt.NDArray[np.int64]:
    """Dense codes in the order of words, the first the most significant; equal rows share one."""
    order, new = ordered_runs(words, n)
    ranks = np.empty(n, dtype=np.int64)
    ranks[order] = np.cumsum(new)
    return ranks


def narrowed(values: npt.NDArray) -> SortWord:
    """Integers counted from the least of them."""
    if not len(values):
        return np.zeros(0, dtype=np.uint64), 0
    low, high = int(values.min()), int(values.max())
    return offsets_from(values, low), (high - low).bit_length()
