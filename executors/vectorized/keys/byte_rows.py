"""Strings and binaries as rows of bytes that are read eight at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.compile_from import calls_for_kernels
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]

WORD = 8
# A row is read by words up to here; what is longer is rare, and goes row by row.
WORDWISE_BYTES = 128

# Rows up to this length are padded to whole words at once, which is faster than reading word by word.
PADDED_BYTES = 32

_KEEP_LOW_BYTES = np.array([(1 << (8 * k)) - 1 for k in range(WORD + 1)], dtype=np.uint64)
_LENGTH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_WORD_FACTOR = 0xD6E8FEB86659FD93
_MASK = (1 << 64) - 1
_FOLD = np.uint64(32)
_POSITIONS_32 = 1 << 31


class ByteRows:
    """The values of a string or binary array; a null counts as no bytes.

    Args:
        array: any form of string or binary, of fixed size too.
    """

    def __init__(self, array: pa.Array) -> None:
        kind = array.type
        if pa.types.is_string_view(kind):
            array = array.cast(pa.large_string())
        elif pa.types.is_binary_view(kind) or pa.types.is_fixed_size_binary(kind):
            array = array.cast(pa.large_binary())
        self.source = array
        n = len(array)
        self._wide = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
        item = np.dtype(np.int64 if self._wide else np.int32)
        if n:
            offsets = np.frombuffer(array.buffers()[1], item, count=n + 1, offset=array.offset * item.itemsize)
        else:
            offsets = np.zeros(1, dtype=item)
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @property
    def places(self) -> tuple[npt.NDArray[np.signedinteger], npt.NDArray[np.uint8]]:
        """Where each row begins, and at last where the last ends; and the bytes that they count in."""
        data = self.source.buffers()[2]
        end = int(self._offsets[-1])
        return self._offsets, np.frombuffer(data, np.uint8, count=end) if end else np.zeros(0, dtype=np.uint8)

    @cached_property
    def _stored(self) -> Ints:
        return np.diff(self._offsets).astype(np.int64)

    @cached_property
    def _nulls(self) -> Mask | None:
        return arrow.numpy_of(self.source.is_null()) if self.source.null_count else None

    @property
    def present(self) -> Mask | None:
        """Which rows are no nulls; None where none is."""
        return None if self._nulls is None else ~self._nulls

    @cached_property
    def lengths(self) -> Ints:
        """How many bytes each row has."""
        return self._stored if self._nulls is None else np.where(self._nulls, 0, self._stored)

    @cached_property
    def _hidden(self) -> Mask | None:
        """The nulls, where bytes are stored under any of them."""
        return None if self._nulls is None or self.lengths.sum() == self._stored.sum() else self._nulls

    @cached_property
    def _longest_stored(self) -> int:
        return int(self._stored.max(initial=0))

    @cached_property
    def longest(self) -> int:
        """The length of the longest row in bytes, 0 where there is none."""
        return self._longest_stored if self._hidden is None else int(self.lengths.max(initial=0))

    def take(self, rows: Ints) -> ByteRows:
        """The given rows, in that order."""
        return ByteRows(pc.take(self.source, arrow.array(rows)))

    def word(self, j: int, rows: Ints | None = None) -> Words:
        """Bytes 8j to 8j+8 of all or the given rows, the first byte lowest, zeros past a row's end."""
        if self._padded is not None:
            if j >= len(self._padded):
                return np.zeros(len(self) if rows is None else len(rows), dtype=np.uint64)
            return self._padded[j] if rows is None else self._padded[j].take(rows)
        starts = self._starts if rows is None else self._starts.take(rows)
        left = self.lengths if rows is None else self.lengths.take(rows)
        if j:
            starts = np.minimum(starts + WORD * j, len(self._at) - 1)
            left = left - WORD * j
        words = self._at[starts].astype(np.uint64, copy=False)
        words &= _KEEP_LOW_BYTES.take(left, mode="clip")
        return words

    def ordered_word(self, j: int, rows: Ints | None = None) -> tuple[Words, Ints]:
        """Bytes 8j to 8j+8 of all or the given rows as words that sort as they do, and how many are left, at most 9.

        Of rows with equal words the shorter is a prefix of the longer; where more bytes follow it is the next word's turn.
        """
        if calls_for_kernels(len(self) if rows is None else len(rows)):
            from lazyframe.executors.compiled.keys.texts import ordered_words

            found = ordered_words(*self.places, self.present, rows, WORD * j)
            if found is not None:
                return found
        left = self.lengths if rows is None else self.lengths.take(rows)
        return self.word(j, rows).byteswap(), np.clip(left - WORD * j, 0, WORD + 1)

    def packed(self) -> Words:
        """Each row as one word, its length in the highest byte: exact for rows of at most 7 bytes."""
        return self.word(0) | (self.lengths.view(np.uint64) << np.uint64(56))

    def hashes(self) -> Words:
        """A 64-bit hash of each row; equal rows have equal hashes, also across arrays of different types."""
        result = self.lengths.view(np.uint64) * _LENGTH_FACTOR
        for j, rows in self._rounds(self.lengths):
            # A word of zeros adds nothing, so that it does not matter how far rows are padded.
            term = self.word(j, rows) * np.uint64((2 * j + 1) * _WORD_FACTOR & _MASK)
            term ^= term >> _FOLD
            term *= _LENGTH_FACTOR
            if rows is None:
                result += term
            else:
                result[rows] += term
        for row in np.flatnonzero(self.lengths > WORDWISE_BYTES).tolist():
            digest = hashlib.blake2b(self._tail(row), digest_size=8).digest()
            result[row] ^= np.uint64(int.from_bytes(digest, "little"))
        return result

    def equal(self, rows: Ints, other: ByteRows, other_rows: Ints) -> Mask:
        """Which pairs of a row here and a row of `other` hold the same bytes."""
        lengths = self.lengths.take(rows)
        same = lengths == other.lengths.take(other_rows)
        for j, pairs in self._rounds(np.where(same, lengths, 0)):
            if pairs is None:
                same &= self.word(j, rows) == other.word(j, other_rows)
            else:
                same[pairs] &= self.word(j, rows.take(pairs)) == other.word(j, other_rows.take(pairs))
        for pair in np.flatnonzero(same & (lengths > WORDWISE_BYTES)).tolist():
            same[pair] = self._tail(int(rows[pair])) == other._tail(int(other_rows[pair]))
        return same

    def _rounds(self, lengths: Ints) -> Iterator[tuple[int, Ints | None]]:
        """The words to read, each with the rows that reach it, None for all where reading too far is no loss."""
        longest = min(int(lengths.max(initial=0)), WORDWISE_BYTES)
        rows: Ints | None = None
        for j in range(-(-longest // WORD)):
            if self._padded is None:
                reached = (lengths if rows is None else lengths.take(rows)) > WORD * j
                if not reached.all():
                    inside = np.flatnonzero(reached)
                    rows = inside if rows is None else rows.take(inside)
            yield j, rows

    def _tail(self, row: int) -> bytes:
        """What follows the bytes that are read by words."""
        start = int(self._starts[row])
        return self._bytes[start + WORDWISE_BYTES : start + int(self.lengths[row])].tobytes()

    @cached_property
    def _padded(self) -> list[Words] | None:
        """The words of all rows, where none is long; None otherwise."""
        n = len(self)
        count = -(-self._longest_stored // WORD)
        if count == 0:
            return []
        if count * WORD > PADDED_BYTES or (not self._wide and n * count * WORD >= _POSITIONS_32):
            return None
        _, offsets, data = self.source.buffers()
        kind = pa.large_string() if self._wide else pa.string()
        # The kernel appends bytes and never looks at those that are there, so binaries may pass as strings.
        text = pa.Array.from_buffers(kind, n, [None, offsets, data], null_count=0, offset=self.source.offset)
        padded = pc.ascii_rpad(text, width=count * WORD, padding="\0")
        skipped = padded.offset * count * WORD
        matrix = np.frombuffer(padded.buffers()[2], np.dtype("<u8"), count=n * count, offset=skipped).reshape(n, count)
        words = [np.ascontiguousarray(matrix[:, j], dtype=np.uint64) for j in range(count)]
        if self._hidden is not None:
            words = [np.where(self._hidden, np.uint64(0), word) for word in words]
        return words

    @cached_property
    def _starts(self) -> Ints:
        return self._offsets[:-1].astype(np.int64) - int(self._offsets[0])

    @cached_property
    def _bytes(self) -> npt.NDArray[np.uint8]:
        """The stored bytes of all rows, and some behind, so that a word may be read anywhere."""
        data = self.source.buffers()[2]
        begin, end = int(self._offsets[0]), int(self._offsets[-1])
        size = end - begin
        if data is not None and data.size >= end + WORD:
            return np.frombuffer(data, np.uint8, count=size + WORD, offset=begin)
        raw = np.zeros(size + WORD, dtype=np.uint8)
        if size:
            raw[:size] = np.frombuffer(data, np.uint8, count=size, offset=begin)
        return raw

    @cached_property
    def _at(self) -> Words:
        """Overlapping words, one at each byte: indexing copies only what it reads."""
        return np.ndarray((len(self._bytes) - WORD + 1,), dtype="<u8", buffer=self._bytes, strides=(1,))
