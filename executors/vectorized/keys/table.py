"""The join's table of keys: built over the whole build side, then asked by every probe morsel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.keys.byte_rows import Ints, Mask
from lazyframe.executors.vectorized.keys.encode import PACKED, Digit, encode_digits
from lazyframe.executors.vectorized.keys.grouping import Positions
from lazyframe.executors.vectorized.keys.hash_table import HashTable
from lazyframe.executors.vectorized.keys.key_column import Located, both, fit, locate
from lazyframe.executors.vectorized.keys.normalise import normalise
from lazyframe.executors.vectorized.keys.radix import stable_order

# A table with a place for each possible key, at 4 bytes each, is taken up to this size. Pages of it that nobody writes to
# cost nothing, so that few keys far apart are no waste.
_PLACES_PER_ROW = 8
_FREE_PLACES = 1 << 24


class KeyTable:
    """Keys of a join's build side; lookups change nothing, so threads may share the table.

    NaN matches NaN and -0.0 matches 0.0. Nulls inside structs and lists match each other.

    Args:
        columns: the build side's key columns, at least one, each of length `n`.
        n: its number of rows.
        nulls_equal: whether a NULL key matches a NULL key. Otherwise a row with one matches nothing.

    Attributes:
        codes: the code of each build row, -1 for rows that can't match; codes are numbered by first appearance.
        count: how many distinct keys there are.

    Raises:
        TypeError: if values of a column's type can't be compared.

    Examples:
        >>> table = KeyTable([pa.array([10, 20, 10])], 3)
        >>> codes = table.lookup([pa.array([10, 30, 20])], 3)
        >>> codes.tolist()
        [0, -1, 1]
        >>> [rows.tolist() for rows in table.matches(codes)]
        [[0, 0, 2], [0, 2, 1]]
    """

    def __init__(self, columns: Sequence[pa.Array], n: int, *, nulls_equal: bool = False) -> None:
        forms = [normalise(column) for column in columns]
        self._columns = [fit(form, nulls_equal=nulls_equal) for form in forms]
        self._plan = _packing([radix for column in self._columns for radix in column.radices])
        located = [locate(column, form) for column, form in zip(self._columns, forms, strict=True)]
        words, known = self._words(located, n)
        rows = None if known is None else np.flatnonzero(known)
        if rows is not None:
            words = [word.take(rows) for word in words]
        usable = n if rows is None else len(rows)
        digits = [Digit(word, radix) for word, (radix, _) in zip(words, self._plan, strict=True)]
        grouped = encode_digits(digits, usable)
        self.count = grouped.count
        if rows is None:
            self.codes, self._first = grouped.codes, grouped.first
        else:
            self.codes = np.full(n, -1, dtype=np.intp)
            self.codes[rows] = grouped.codes
            self._first = rows.take(grouped.first)
        self._unique = self.count == usable
        self._direct: npt.NDArray[np.int32] | None = None
        self._hashed: HashTable | None = None
        keys = [word.take(grouped.first) for word in words]
        radix = self._plan[0][0]
        if len(self._plan) == 1 and radix <= _PLACES_PER_ROW * n + _FREE_PLACES and n < 1 << 31:
            # Codes counted from 1, as fresh memory is all 0. One place more for everything that is not in the range.
            self._direct = np.zeros(radix + 1, dtype=np.int32)
            self._keys_at = keys[0].view(np.int64)
            self._direct[self._keys_at] = np.arange(1, self.count + 1)
        else:
            self._hashed = HashTable(keys)

    @property
    def rows_of_keys(self) -> Positions:
        """For each distinct key the first build row that has it."""
        return self._first

    def lookup(self, columns: Sequence[pa.Array], n: int) -> Positions:
        """The build side's code of each probe row, -1 where no build row has its key.

        Args:
            columns: key columns of the same logical types as the build side's, however they are encoded.
            n: the number of probe rows.
        """
        words, known = self._located(columns, n)
        if self._direct is not None:
            codes = self._direct.take(self._places(words[0], known), mode="clip").astype(np.intp)
            codes -= 1
            return codes
        assert self._hashed is not None
        if known is None:
            return self._hashed.lookup(words)
        rows = np.flatnonzero(known)
        codes = np.full(n, -1, dtype=np.intp)
        codes[rows] = self._hashed.lookup([word.take(rows) for word in words])
        return codes

    def contains(self, columns: Sequence[pa.Array], n: int) -> Mask:
        """Which probe rows have a key of the build side."""
        if self._direct is None:
            return self.lookup(columns, n) >= 0
        words, known = self._located(columns, n)
        return self._present.take(self._places(words[0], known), mode="clip")

    @cached_property
    def _present(self) -> Mask:
        """Whether there is a key at each place of the direct table, in a quarter of its size."""
        assert self._direct is not None
        present = np.zeros(len(self._direct), dtype=bool)
        present[self._keys_at] = True
        return present

    def _located(self, columns: Sequence[pa.Array], n: int) -> tuple[list[npt.NDArray], Mask | None]:
        forms = [normalise(column) for column in columns]
        return self._words([locate(c, form) for c, form in zip(self._columns, forms, strict=True)], n)

    def _places(self, word: npt.NDArray, known: Mask | None) -> npt.NDArray[np.int64]:
        """Where rows stand in the direct table."""
        assert self._direct is not None
        places = word.view(np.int64)
        return places if known is None else np.where(known, places, len(self._direct) - 1)

    def counts(self, codes: Positions) -> Ints:
        """How many build rows match each looked-up code."""
        # Code -1 wraps to the last entry, which is none.
        return self._sizes.take(codes, mode="wrap")

    def matches(self, codes: Positions) -> tuple[Positions, Positions]:
        """All pairs of a probe row and a build row with equal keys, by probe row, then by build row.

        Args:
            codes: what `lookup` gave for the probe rows.

        Returns:
            The probe rows and the build rows of the pairs.
        """
        if self._unique:
            probe = np.flatnonzero(codes >= 0)
            found = codes if len(probe) == len(codes) else codes.take(probe)
            return probe, self._first.take(found, mode="clip")
        sizes = self.counts(codes)
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        probe = np.repeat(np.arange(len(codes)), sizes)
        # The k-th pair of a probe row is the k-th build row of its code.
        shift = self._offsets.take(codes, mode="wrap") - (ends - sizes)
        places = np.repeat(shift, sizes)
        places += np.arange(total)
        return probe, self._rows_by_code.take(places, mode="clip")

    @cached_property
    def _sizes(self) -> Ints:
        sizes = np.zeros(self.count + 1, dtype=np.int64)
        present = self.codes if self.codes.min(initial=0) >= 0 else self.codes.compress(self.codes >= 0)
        sizes[: self.count] = np.bincount(present, minlength=self.count)
        return sizes

    @cached_property
    def _offsets(self) -> Ints:
        return np.cumsum(self._sizes) - self._sizes

    @cached_property
    def _rows_by_code(self) -> Positions:
        """Build rows sorted by code, those of one code in their order; rows of no code left out."""
        order = stable_order([((self.codes + 1).view(np.uint64), (self.count + 1).bit_length())], len(self.codes))
        return order[len(order) - int(self._sizes.sum()) :]

    def _words(self, located: Sequence[Located], n: int) -> tuple[list[npt.NDArray], Mask | None]:
        """Digits of all columns joined by the plan's mixed radices, and which rows are known."""
        known: Mask | None = None
        for part in located:
            known = both(known, part.known)
        digits = [digit for part in located for digit in part.digits]
        words = []
        for _, members in self._plan:
            word: npt.NDArray | None = None
            for position, weight in members:
                term = digits[position] if weight == 1 else digits[position].view(np.int64) * weight
                word = term if word is None else word.view(np.int64) + term.view(np.int64)
            words.append(np.zeros(n, dtype=np.int64) if word is None else word)
        return words, known


def _packing(radices: Sequence[int]) -> list[tuple[int, list[tuple[int, int]]]]:
    """Which digits share a word: for each word its radix and the positions and weights of its digits."""
    words: list[tuple[int, list[tuple[int, int]]]] = []
    for position in sorted(range(len(radices)), key=lambda position: radices[position]):
        radix = radices[position]
        if words and words[-1][0] * radix <= PACKED:
            weight, members = words[-1]
            words[-1] = (weight * max(radix, 1), [*members, (position, weight)])
        else:
            words.append((max(radix, 1), [(position, 1)]))
    return words
