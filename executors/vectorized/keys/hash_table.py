"""An open-addressing hash table over distinct keys, built once and read by many threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lazyframe.executors.vectorized.keys import hashing
from lazyframe.executors.vectorized.keys.byte_rows import Mask
from lazyframe.executors.vectorized.keys.grouping import Positions

Verify: TypeAlias = Callable[[Positions, Positions], Mask]


class HashTable:
    """Positions of distinct keys, each a row of 64-bit words.

    Collisions go to the next free place; the table is at most half full, so a lookup rarely reads on. Keys are
    compared in full, never by hash alone.

    Args:
        words: the keys' words, at least one array, all of one length. The rows must differ, or with words that are
            hashes of the real keys, the real keys must.
    """

    __slots__ = ("_bits", "_places", "_words")

    def __init__(self, words: Sequence[npt.NDArray]) -> None:
        self._words = [np.ascontiguousarray(word) for word in words]
        n = len(words[0])
        self._bits = max(4, (2 * n).bit_length())
        last = (1 << self._bits) - 1
        # Where most lookups read from memory, half the width is half the misses.
        width = np.int32 if n < 1 << 31 else np.int64
        places: npt.NDArray[np.signedinteger] = np.full(1 << self._bits, -1, dtype=width)
        keys = np.arange(n)
        slots = hashing.slots(hashing.mix_words(self._words, 0), self._bits)
        while len(keys):
            free = np.flatnonzero(places.take(slots) < 0)
            places[slots.take(free)] = keys.take(free)
            homeless = np.flatnonzero(places.take(slots) != keys)
            keys = keys.take(homeless)
            slots = (slots.take(homeless) + 1) & last
        self._places = places

    def lookup(self, words: Sequence[npt.NDArray], verify: Verify | None = None) -> Positions:
        """The position of the key equal to each row of words, or -1.

        Args:
            words: rows to look up, as many words as the keys have.
            verify: given positions of keys and rows whose words are equal, tells which are equal in truth.
        """
        n = len(words[0])
        last = (1 << self._bits) - 1
        found = np.full(n, -1, dtype=np.intp)
        if not len(self._words[0]):
            return found
        rows: Positions | None = None
        slots = hashing.slots(hashing.mix_words(words, 0), self._bits)
        while len(slots):
            keys = self._places.take(slots, mode="clip").astype(np.intp, copy=False)
            equal = self._words[0].take(keys, mode="clip") == words[0]
            for mine, other in zip(self._words[1:], words[1:], strict=True):
                equal &= mine.take(keys, mode="clip") == other
            taken = keys >= 0
            equal &= taken
            hits = np.flatnonzero(equal)
            if verify is not None:
                real = verify(keys.take(hits), hits if rows is None else rows.take(hits))
                equal[hits] = real
                hits = hits.compress(real)
            found[hits if rows is None else rows.take(hits)] = keys.take(hits)
            on = np.flatnonzero(taken & ~equal)
            rows = on if rows is None else rows.take(on)
            slots = (slots.take(on) + 1) & last
            words = [word.take(on) for word in words]
        return found
