"""Groups of equal rows among integers: by position where the range is small, else by hash."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np
import numpy.typing as npt

from lazyframe.executors.compile_from import calls_for_kernels
from lazyframe.executors.vectorized.keys import hashing

Positions = npt.NDArray[np.intp]

# With few distinct values all of them are nearly always among the first rows.
_HEAD = 2048


def dense_codes(slots: Positions, size: int) -> tuple[Positions, Positions]:
    """Codes 0, 1, ... of values in the order in which they first appear.

    Args:
        slots: values in [0, size).
        size: how many values there may be; memory is taken for each.

    Returns:
        The code of each row, and the row of each code's first appearance.
    """
    n = len(slots)
    if calls_for_kernels(n):
        from lazyframe.executors.compiled.keys.grouping import dense_groups

        found = dense_groups(slots, size)
        if found is not None:
            return found
    if n > 2 * _HEAD and size <= _HEAD:
        _, first = dense_codes(slots[:_HEAD], size)
        code_of = np.full(size, -1, dtype=np.intp)
        code_of[slots.take(first)] = np.arange(len(first))
        codes = code_of.take(slots, mode="clip")
        if codes.min() >= 0:
            return codes, first
    return codes_of_leaders(first_in_slot(slots, size))


def first_in_slot(slots: Positions, size: int) -> Positions:
    """For each row, the first row with the same slot in [0, size)."""
    n = len(slots)
    rows = np.arange(n)
    table = np.empty(size, dtype=np.intp)
    table[slots[::-1]] = rows[::-1]
    leaders = table.take(slots, mode="clip")
    if np.count_nonzero(leaders > rows):
        # numpy lets the last of several writes to a place win, but does not promise it.
        table.fill(n)
        np.minimum.at(table, slots, rows)
        leaders = table.take(slots, mode="clip")
    return leaders


def hashed_codes(words: Sequence[npt.NDArray]) -> tuple[Positions, Positions]:
    """Codes of rows of 64-bit words in order of first appearance, and their first rows."""
    if calls_for_kernels(len(words[0])):
        from lazyframe.executors.compiled.keys.grouping import hashed_groups

        found = hashed_groups(words)
        if found is not None:
            return found
    return codes_of_leaders(first_equal_rows(words))


def codes_of_leaders(leaders: Positions) -> tuple[Positions, Positions]:
    """Codes in order of first appearance, and their first rows, from each row's first equal row."""
    (first,) = (leaders == np.arange(len(leaders))).nonzero()
    code_of = np.empty(len(leaders), dtype=np.intp)
    code_of[first] = np.arange(len(first))
    return code_of.take(leaders, mode="clip"), first


def first_equal_rows(words: Sequence[npt.NDArray]) -> Positions:
    """For each row, the first row in which every word is the same.

    A round hashes the rows into a fresh table, in which the first row of a slot leads it. Rows equal to their leader
    are done. The others go to the next round with another hash: always all rows of a key, since they share a slot.

    Args:
        words: 64-bit integers, at least one array, all of one length.
    """
    n = len(words[0])
    leaders = np.empty(n, dtype=np.intp)
    rows: Positions | None = None
    for seed in count():
        m = len(words[0])
        bits = max(4, (2 * m).bit_length())
        local = first_in_slot(hashing.slots(hashing.mix_words(words, seed), bits), 1 << bits)
        different = words[0].take(local, mode="clip") != words[0]
        for word in words[1:]:
            different |= word.take(local, mode="clip") != word
        if rows is None:
            leaders = local
        else:
            leaders[rows] = rows.take(local, mode="clip")
        lost = np.flatnonzero(different)
        if not len(lost):
            return leaders
        rows = lost if rows is None else rows.take(lost, mode="clip")
        words = [word.take(lost, mode="clip") for word in words]
    raise AssertionError("rounds only end when every row has its leader")
