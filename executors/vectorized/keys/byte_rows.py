"""Strings and binaries as rows of bytes that are read eight at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]

WORD = 8
# A row is read by words up to here; what is longer is rare, and goes row by row.
WORDWISE_BYTES = 128

_KEEP_LOW_BYTES = np.array([(1 << (8 * k)) - 1 for k in range(WORD + 1)], dtype=np.uint64)
_LENGTH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_WORD_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_FOLD = np.uint64(32)


class ByteRows:
    """The values of a string or binary array; a null counts as no bytes.

    Args:
        array: any form of string or binary, of fixed size too.
    """

    __slots__ = ("_bytes", "_words", "lengths", "source", "starts")

    def __init__(self, array: pa.Array) -> None:
        kind = array.type
        if pa.types.is_string_view(kind):
            array = array.cast(pa.large_string())
        elif pa.types.is_binary_view(kind):
            array = array.cast(pa.large_binary())
        self.source = array
        n = len(array)
        if pa.types.is_fixed_size_binary(array.type):
            width = array.type.byte_width
            begin, end = array.offset * width, (array.offset + n) * width
            self.starts = np.arange(n, dtype=np.int64) * width
            self.lengths = np.full(n, width, dtype=np.int64)
            data = array.buffers()[1]
        else:
            wide = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
            offset_type = np.dtype(np.int64 if wide else np.int32)
            _, offset_buffer, data = array.buffers()
            if n == 0:
                offsets = np.zeros(1, dtype=np.int64)
            else:
                offsets = np.frombuffer(
                    offset_buffer, offset_type, count=n + 1, offset=array.offset * offset_type.itemsize
                ).astype(np.int64)
            begin, end = int(offsets[0]), int(offsets[-1])
            self.starts = offsets[:-1] - begin
            self.lengths = np.diff(offsets)
        if array.null_count:
            self.lengths = np.where(array.is_valid().to_numpy(zero_copy_only=False), self.lengths, 0)
        size = end - begin
        if data is not None and data.size >= end + WORD:
            raw = np.frombuffer(data, np.uint8, count=size + WORD, offset=begin)
        else:
            raw = np.zeros(size + WORD, dtype=np.uint8)
            if size:
                raw[:size] = np.frombuffer(data, np.uint8, count=size, offset=begin)
        self._bytes = raw
        # Overlapping words, one at each byte: indexing copies only what it reads.
        self._words = np.ndarray((size + 1,), dtype="<u8", buffer=raw, strides=(1,))

    def __len__(self) -> int:
        return len(self.starts)

    def longest(self) -> int:
        """The length of the longest row in bytes, 0 where there is none."""
        return int(self.lengths.max(initial=0))

    def take(self, rows: Ints) -> ByteRows:
        """The given rows, in that order."""
        return ByteRows(self.source.take(pa.array(rows)))

    def word(self, j: int, rows: Ints | None = None) -> Words:
        """Bytes 8j to 8j+8 of all or the given rows, the first byte lowest, zeros past a row's end."""
        starts = self.starts if rows is None else self.starts.take(rows)
        left = self.lengths if rows is None else self.lengths.take(rows)
        if j:
            starts = np.minimum(starts + WORD * j, len(self._words) - 1)
            left = left - WORD * j
        words = self._words[starts].astype(np.uint64, copy=False)
        words &= _KEEP_LOW_BYTES.take(left, mode="clip")
        return words

    def tail(self, row: int, begin: int) -> bytes:
        """The bytes of one row from position `begin` on."""
        start = int(self.starts[row])
        return self._bytes[start + begin : start + int(self.lengths[row])].tobytes()

    def packed(self) -> Words:
        """Each row as one word, its length in the highest byte: exact for rows of at most 7 bytes."""
        return self.word(0) | (self.lengths.view(np.uint64) << np.uint64(56))

    def hashes(self) -> Words:
        """A 64-bit hash of each row; equal rows have equal hashes, also across arrays of different types."""
        result = (self.lengths.view(np.uint64) + np.uint64(1)) * _LENGTH_FACTOR
        for j, rows in self._rounds(self.lengths):
            state = (result if rows is None else result.take(rows)) ^ self.word(j, rows)
            state *= _WORD_FACTOR
            state ^= state >> _FOLD
            if rows is None:
                result = state
            else:
                result[rows] = state
        for row in np.flatnonzero(self.lengths > WORDWISE_BYTES).tolist():
            digest = hashlib.blake2b(self.tail(row, WORDWISE_BYTES), digest_size=8).digest()
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
            mine = self.tail(int(rows[pair]), WORDWISE_BYTES)
            same[pair] = mine == other.tail(int(other_rows[pair]), WORDWISE_BYTES)
        return same

    @staticmethod
    def _rounds(lengths: Ints) -> Iterator[tuple[int, Ints | None]]:
        """The words to read, each with the rows that reach it, None where all do."""
        longest = min(int(lengths.max(initial=0)), WORDWISE_BYTES)
        rows: Ints | None = None
        for j in range(-(-longest // WORD)):
            reached = (lengths if rows is None else lengths.take(rows)) > WORD * j
            if not reached.all():
                inside = np.flatnonzero(reached)
                rows = inside if rows is None else rows.take(inside)
            yield j, rows
