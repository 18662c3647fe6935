"""Order of strings, found word by word among the rows that are equal so far."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lazyframe.executors.vectorized.keys.byte_rows import WORD, ByteRows
from lazyframe.executors.vectorized.keys.encode import digits_of, encode_digits
from lazyframe.executors.vectorized.keys.grouping import Positions
from lazyframe.executors.vectorized.keys.normalise import Bytes
from lazyframe.executors.vectorized.keys.radix import SortWord, narrowed, stable_order
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

# Rows still equal after so many words are ranked whole.
_WORDWISE = 4
_SAMPLE = 4096
SEVERAL = 2 * _SAMPLE
"""So few rows are ranked at once."""
# A sort reads this many words of a row before what is left of equal rows is ranked.
_MOST_WORDS = 16


class TextWords:
    """Strings as a sort key of one word after the other.

    Args:
        rows: the strings; nulls count as no bytes.
        descending: whether great ones come first.
    """

    __slots__ = ("_chosen", "_descending", "_number", "_rows")

    def __init__(self, rows: ByteRows, descending: bool) -> None:
        self._rows = rows
        self._descending = descending
        self._chosen: Positions | None = None
        self._number = 0

    def take(self, rows: Positions) -> TextWords:
        """The key of the given rows."""
        return self._copy(rows if self._chosen is None else self._chosen.take(rows), self._number)

    def split(self) -> tuple[list[SortWord], TextWords | None]:
        """The next eight bytes, and how many are left; then what follows."""
        rows, chosen = self._rows, self._chosen
        if self._number == _MOST_WORDS:
            return [self._directed(byte_ranks(rows if chosen is None else rows.take(chosen)))], None
        word, left = rows.ordered_word(self._number, chosen)
        goes_on = bool(left.max(initial=0) > WORD)
        following = self._copy(chosen, self._number + 1) if goes_on else None
        return [self._directed(word), self._directed(left)], following

    def _directed(self, values: npt.NDArray) -> SortWord:
        word, bits = narrowed(values)
        if self._descending and bits:
            np.subtract(word.max(), word, out=word)
        return word, bits

    def _copy(self, chosen: Positions | None, number: int) -> TextWords:
        found = TextWords(self._rows, self._descending)
        found._chosen, found._number = chosen, number
        return found


def byte_ranks(rows: ByteRows) -> npt.NDArray[np.int64]:
    """How many rows are less than each row, byte by byte, a prefix before what it begins."""
    n = len(rows)
    if n > SEVERAL and repeats(rows):
        codes = encode_digits(digits_of(Bytes(rows, None)), n)
        return byte_ranks(rows.take(codes.first)).take(codes.codes)
    ranks = np.zeros(n, dtype=np.int64)
    tied = np.arange(n)
    for j in range(_WORDWISE):
        tied = _settle(ranks, tied, *rows.ordered_word(j, tied))
        tied = tied.compress(rows.lengths.take(tied) > WORD * (j + 1))
        if not len(tied):
            return ranks
    encoded = pc.dictionary_encode(rows.take(tied).source)
    by_value = np.empty(len(encoded.dictionary), dtype=np.int64)
    by_value[arrow.numpy_of(pc.sort_indices(encoded.dictionary))] = np.arange(len(by_value))
    _settle(ranks, tied, by_value.take(arrow.numpy_of(encoded.indices)))
    return ranks


def _settle(ranks: npt.NDArray[np.int64], tied: Positions, *keys: npt.NDArray) -> Positions:
    """Rank tied rows by further keys, in place; returns those that are still tied."""
    before = ranks.take(tied)
    order = stable_order([narrowed(key) for key in (before, *keys)], len(tied))
    tied, before = tied.take(order), before.take(order)
    places = np.arange(len(tied))
    new = np.empty(len(tied), dtype=np.bool_)
    new[:1] = True
    np.not_equal(before[1:], before[:-1], out=new[1:])
    old_start = np.maximum.accumulate(np.where(new, places, 0))
    for key in keys:
        ordered = key.take(order)
        new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    sizes = np.diff(starts, append=len(tied))
    # Rows of one old rank take the ranks from it on, as many as they are.
    ranks[tied] = np.repeat(before.take(starts) + starts - old_start.take(starts), sizes)
    return tied.compress(np.repeat(sizes > 1, sizes))


def repeats(rows: ByteRows) -> bool:
    """Whether a sample has so many equal rows that it pays to sort the distinct ones."""
    n = len(rows)
    sample = np.arange(_SAMPLE) * (n // _SAMPLE)
    equal = _SAMPLE - len(np.unique(rows.take(sample).hashes()))
    # Of d values a sample of s rows draws some s * s / 2d a second time.
    return 2 * equal > _SAMPLE or equal * n > 4 * _SAMPLE * _SAMPLE
