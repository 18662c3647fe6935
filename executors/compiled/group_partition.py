"""The memory of the groups of one partition: segments that stay where they are, and an index over them."""

from __future__ import annotations

from threading import Lock

import numpy as np

from lazyframe.executors.compiled.layouts import address_of

SEGMENT_BYTES = 1 << 18
_BLOCK_SEGMENTS = 256
_LEAST_INDEX = 256
_LARGE_INDEX = 1 << 15
"""A larger index may be filled more: by three quarters, in place of half."""
_UNKNOWN_SHARE = 0.25
"""So many of the first records are taken to be groups of their own."""


class Blocks:
    """Segments cut from blocks of 64 MB, whose pages come a few megabytes at a time where the system can; a block goes when all of its segments have.

    Args:
        records: how many a segment holds.
        width: how many words a record has.
    """

    def __init__(self, records: int, width: int) -> None:
        self.records = records
        self._width = width
        self._lock = Lock()
        self._free: list[np.ndarray] = []

    def segment(self, *, alone: bool) -> np.ndarray:
        """A segment; `alone` where it may be the only one of its partition, so that little of it may be used."""
        if alone:
            return np.empty((self.records, self._width), dtype=np.int64)
        with self._lock:
            if not self._free:
                self._free = list(np.empty((_BLOCK_SEGMENTS, self.records, self._width), dtype=np.int64)[::-1])
            return self._free.pop()


class Partition:
    """The groups of one partition so far: records in segments of equal size.

    Args:
        blocks: what segments are cut from.

    Attributes:
        segments: the records; None for those that have been let go of.
        addresses: of the segments.
        count: how many records there are.
        index: where they are found by their tags.
        indexed: how many of them are entered there.
        gone: how many of the first segments have been let go of.
        texts: the bytes of their long strings.
    """

    __slots__ = ("_blocks", "_share", "addresses", "count", "gone", "index", "indexed", "segments", "texts")

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._share = _UNKNOWN_SHARE
        self.segments: list[np.ndarray | None] = []
        self.addresses = np.zeros(0, dtype=np.int64)
        self.index = np.zeros(_LEAST_INDEX, dtype=np.int64)
        self.count = self.indexed = self.gone = 0
        self.texts: list[np.ndarray] = []

    @property
    def room(self) -> int:
        """How many records there is room for."""
        return min(len(self.segments) * self._blocks.records, _held_by(len(self.index)))

    def expect(self, records: int) -> None:
        """Make room for the groups of so many more records, as far as can be guessed from those before."""
        self.make_room(self.count + int(self._share * records) + 1)

    def took(self, records: int, before: int) -> None:
        """Note that so many records were taken, to `before` groups."""
        if records:
            self._share = (self.count - before) / records

    def make_room(self, wanted: int) -> None:
        """Make room for so many records."""
        missing = -(-wanted // self._blocks.records) - len(self.segments)
        if missing > 0:
            self.segments += [self._blocks.segment(alone=not self.segments and not i) for i in range(missing)]
            self.addresses = np.array(
                [0 if segment is None else address_of(segment) for segment in self.segments], dtype=np.int64
            )
        size = len(self.index)
        while wanted > _held_by(size):
            size *= 2
        if size > len(self.index):
            self.index = np.zeros(size, dtype=np.int64)
            self.indexed = 0

    def drop_index(self) -> None:
        """Let go of the index: no more records will be looked for."""
        self.index = np.zeros(0, dtype=np.int64)
        self.indexed = 0

    def let_go(self, first_of: int, stop: int) -> None:
        """Let go of the segments of which all records have less than `stop` in their word `first_of`."""
        while self.gone < len(self.segments) - 1:
            segment = self.segments[self.gone]
            assert segment is not None
            if (self.gone + 1) * self._blocks.records > self.count or int(segment[-1, first_of]) >= stop:
                break
            self.segments[self.gone] = None
            self.gone += 1


def _held_by(size: int) -> int:
    """How many records an index of a size may hold."""
    return size >> 1 if size < _LARGE_INDEX else size - (size >> 2)
