"""Stable sorting of rows of unsigned words by the fastest sort of single integers."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from lazyframe.executors.compile_from import calls_for_kernels
from lazyframe.executors.threads import available
from lazyframe.executors.vectorized.keys.byte_rows import Words
from lazyframe.executors.vectorized.keys.encode import offsets_from
from lazyframe.executors.vectorized.keys.grouping import Positions
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

SortWord: TypeAlias = tuple[Words, int]
"""Unsigned words that sort as a key does, and how many of their low bits are used."""

# So few rows are sorted by comparing them, before the words are put together.
_FEW_ROWS = 128
# Arrow sorts ranges up to this by counting.
_COUNTED_BITS = 12


class Deferred(Protocol):
    """A sort key of many bits, of which few decide: each word is read for those rows only that it may decide about."""

    def split(self) -> tuple[list[SortWord], Deferred | None]:
        """Its first words, and what follows them."""
        ...

    def take(self, rows: Positions) -> Deferred:
        """The key of the given rows."""
        ...


SortKey: TypeAlias = SortWord | Deferred


def stable_order(keys: Sequence[SortKey], n: int) -> Positions:
    """The stable order of rows by keys, the first the most significant."""
    return ordered_runs(keys, n)[0]


def ordered_runs(keys: Sequence[SortKey], n: int) -> tuple[Positions, npt.NDArray[np.bool_]]:
    """The stable order of rows by keys, and at each place but the first whether its row differs from the one before.

    A round sorts by as many of the highest bits as fit into a word above the row's place: so no two of the sorted integers are
    equal, and the fastest sort is a stable one. The next round goes on by the bits that follow, with the rows that are still
    equal to a neighbour.
    """
    waiting = deque(keys)
    order, new = _round(waiting, n)
    differs, found = new, order
    rows: Positions | None = None
    places: Positions | None = None
    while waiting:
        tied = ~new
        tied[:-1] |= tied[1:]
        (left,) = tied.nonzero()
        if not len(left):
            break
        chosen = found.take(left)
        rows = chosen if rows is None else rows.take(chosen)
        places = left if places is None else places.take(left)
        runs = np.cumsum(new.take(left)) - 1
        waiting = deque([taken(key, chosen) for key in waiting])
        waiting.appendleft((runs.view(np.uint64), int(runs[-1]).bit_length()))
        found, new = _round(waiting, len(left))
        order[places] = rows.take(found)
        differs[places] |= new
    differs[:1] = False
    return order, differs


def taken(key: SortKey, rows: Positions) -> SortKey:
    """The key of the given rows."""
    return (key[0].take(rows), key[1]) if isinstance(key, tuple) else key.take(rows)


def _round(waiting: deque[SortKey], n: int) -> tuple[Positions, npt.NDArray[np.bool_]]:
    """Sort rows by the first of the keys, which are taken away, or of one what fits; says where rows differ from those before."""
    new = np.zeros(n, dtype=np.bool_)
    new[:1] = True
    if n < 2:
        waiting.clear()
        return np.arange(n), new
    if n <= _FEW_ROWS and all(isinstance(key, tuple) for key in waiting):
        words = [key[0] for key in waiting if isinstance(key, tuple)]
        waiting.clear()
        order = np.lexsort(words[::-1]) if words else np.arange(n)
        for word in words:
            ordered = word.take(order)
            new[1:] |= ordered[1:] != ordered[:-1]
        return order, new
    place_bits = (n - 1).bit_length()
    packed, used = _first_bits(waiting, 64 - place_bits, place_bits)
    if packed is None:
        return np.arange(n), new
    keys = packed << np.uint64(place_bits)
    keys |= np.arange(n, dtype=np.uint64)
    by_kernel = None
    if calls_for_kernels(n):
        from lazyframe.executors.compiled.keys.radix import sorted_by_bits, unpacked

        by_kernel = sorted_by_bits(keys, place_bits, used, available())
        split = None if by_kernel is None else unpacked(by_kernel, place_bits)
        if split is not None:
            return split
    if by_kernel is None and used <= _COUNTED_BITS and n > 1 << _COUNTED_BITS:
        order = arrow.numpy_of(pc.sort_indices(arrow.array(packed))).view(np.intp)
        ordered = packed.take(order)
    else:
        if by_kernel is None:
            keys.sort()
        else:
            # The kernel has overwritten what it was given, whether or not that of the next step stands ready.
            keys = by_kernel
        ordered = keys >> np.uint64(place_bits)
        keys &= np.uint64((1 << place_bits) - 1)
        order = keys.view(np.intp)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return order, new


def _first_bits(waiting: deque[SortKey], width: int, enough: int) -> tuple[Words | None, int]:
    """Up to `width` bits of the keys, as one word, and how many they are; a deferred key waits where `enough` are there."""
    packed: Words | None = None
    used = 0
    while waiting and used < width:
        key = waiting.popleft()
        if not isinstance(key, tuple):
            if used >= enough:
                waiting.appendleft(key)
                break
            words, following = key.split()
            if following is not None:
                waiting.appendleft(following)
            waiting.extendleft(reversed(words))
            continue
        word, bits = key
        if not bits:
            continue
        rest = max(bits - (width - used), 0)
        if rest:
            waiting.appendleft((word & np.uint64((1 << rest) - 1), rest))
            word = word >> np.uint64(rest)
        packed = word if packed is None else (packed << np.uint64(bits - rest)) | word
        used += bits - rest
    return packed, used


def dense_ranks(keys: Sequence[SortKey], n: int) -> npt.NDArray[np.int64]:
    """Dense codes in the order of keys, the first the most significant; equal rows share one."""
    order, new = ordered_runs(keys, n)
    ranks = np.empty(n, dtype=np.int64)
    ranks[order] = np.cumsum(new)
    return ranks


def narrowed(values: npt.NDArray) -> SortWord:
    """Integers counted from the least of them."""
    if not len(values):
        return np.zeros(0, dtype=np.uint64), 0
    low, high = int(values.min()), int(values.max())
    return offsets_from(values, low), (high - low).bit_length()
