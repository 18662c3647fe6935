"""Order of strings: ranks found word by word, among the rows that are equal so far."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from lazyframe.executors.vectorized.keys.byte_rows import WORD, ByteRows
from lazyframe.executors.vectorized.keys.encode import digits_of, encode_digits
from lazyframe.executors.vectorized.keys.grouping import Positions
from lazyframe.executors.vectorized.keys.normalise import Bytes
from lazyframe.executors.vectorized.keys.radix import narrowed, stable_order
from lazyframe.planner import arrow

# Rows still equal after so many words are ranked whole.
_WORDWISE = 4
_SAMPLE = 4096


def byte_ranks(rows: ByteRows) -> npt.NDArray[np.int64]:
    """How many rows are less than each row, byte by byte, a prefix before what it begins."""
    n = len(rows)
    if n > 2 * _SAMPLE and _repeats(rows):
        codes = encode_digits(digits_of(Bytes(rows, None)), n)
        return byte_ranks(rows.take(codes.first)).take(codes.codes)
    ranks = np.zeros(n, dtype=np.int64)
    tied = np.arange(n)
    for j in range(_WORDWISE):
        word = rows.word(j, tied).byteswap()
        # Of rows with equal words the shorter is a prefix of the longer; beyond the word it is the next one's turn.
        left = np.clip(rows.lengths.take(tied) - WORD * j, 0, WORD + 1)
        tied = _settle(ranks, tied, word, left)
        tied = tied.compress(rows.lengths.take(tied) > WORD * (j + 1))
        if not len(tied):
            return ranks
    encoded = rows.take(tied).source.dictionary_encode()
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


def _repeats(rows: ByteRows) -> bool:
    """Whether a sample has so many equal rows that it pays to sort the distinct ones."""
    step = len(rows) // _SAMPLE
    sample = np.arange(_SAMPLE) * step
    return 2 * len(np.unique(rows.take(sample).hashes())) < _SAMPLE
