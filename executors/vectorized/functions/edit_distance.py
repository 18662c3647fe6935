"""Levenshtein's distance of many pairs at a time (Wagner and Fischer, 1974), a row of every pair's table in one step.

A table holds each distance less its column's number: what an insertion costs is gone, so that the cheapest chain of them is a
running minimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.kernel import Arguments
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

_CELLS = 1 << 16
"""How many cells are computed at a time: as many as stay in the cache."""


class _Texts(NamedTuple):
    """Code points of texts, one text after the other, and where each begins and how long it is."""

    points: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]

    @classmethod
    def of(cls, texts: pa.Array) -> _Texts:
        lengths = arrow.numpy_of(pc.utf8_length(texts)).astype(np.int64)
        points = np.frombuffer("".join(texts.to_pylist()).encode("utf-32-le"), np.uint32)
        return cls(points, np.cumsum(lengths) - lengths, lengths)

    def padded(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
        """The texts as columns, filled up to the longest with what never counts."""
        places = np.arange(self.lengths[rows].max(initial=0))[:, None]
        inside = places < self.lengths[rows]
        return np.where(inside, self.points.take(np.where(inside, self.starts[rows] + places, 0), mode="clip"), 0)


def levenshtein(a: pa.Array, b: pa.Array, *, arguments: Arguments) -> pa.Array:
    known = pc.and_(a.is_valid(), b.is_valid())
    encoded = pc.dictionary_encode(pa.concat_arrays([pc.fill_null(a, ""), pc.fill_null(b, "")]))
    texts = _Texts.of(encoded.dictionary)
    first, second = arrow.numpy_of(encoded.indices).astype(np.int64).reshape(2, len(a))
    longer, shorter = np.where(texts.lengths[first] >= texts.lengths[second], (first, second), (second, first))
    base = max(len(texts.lengths), 1)
    pairs, rows = np.unique(longer * base + shorter, return_inverse=True)
    distances = _distances(texts, *np.divmod(pairs, base))
    return pc.if_else(known, arrow.array(distances[rows], pa.int64()), arrow.scalar(None, pa.int64()))


def _distances(texts: _Texts, longer: npt.NDArray[np.int64], shorter: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The distance of each pair. Pairs of like lengths go together, so that little is filled up."""
    heights, widths = texts.lengths[shorter], texts.lengths[longer]
    distances = np.zeros(len(longer), dtype=np.int64)
    # The longest first: it bounds what all pairs of its chunk take.
    order = np.lexsort((heights, widths))[::-1]
    start = 0
    while start < len(order):
        chunk = order[start : start + max(1, _CELLS // (int(widths[order[start]]) + 1))]
        distances[chunk] = _tables(
            texts.padded(shorter[chunk]), heights[chunk], texts.padded(longer[chunk]), widths[chunk]
        )
        start += len(chunk)
    return distances


def _tables(
    a: npt.NDArray[np.uint32], heights: npt.NDArray[np.int64], b: npt.NDArray[np.uint32], widths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The last cells of the tables of pairs that stand in columns."""
    pairs = np.arange(len(widths))
    row = np.zeros((len(b) + 1, len(pairs)), dtype=np.int32)
    found = np.zeros(len(pairs), dtype=np.int64)
    for height in range(len(a) + 1):
        if height:
            kept = row[:-1] - (b == a[height - 1])
            row += 1
            np.minimum(row[1:], kept, out=row[1:])
            np.minimum.accumulate(row, axis=0, out=row)
        done = pairs[heights == height]
        found[done] = row[widths[done], done]
    return found + widths
