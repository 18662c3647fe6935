"""Cutting what an operator would make into batches of bounded size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

MOST_ROWS = 1 << 18
"""How many rows an expansion makes at a time, where one row of input does not make more."""


def runs(counts: np.ndarray) -> Iterator[tuple[int, int]]:
    """Cut rows that become `counts` rows each into runs that become at most `MOST_ROWS`, or are one row."""
    total = int(counts.sum())
    if total <= MOST_ROWS:
        yield 0, len(counts)
        return
    ends = np.cumsum(counts)
    start, base = 0, 0
    while start < len(counts):
        stop = max(int(np.searchsorted(ends, base + MOST_ROWS, side="right")), start + 1)
        yield start, stop
        start, base = stop, int(ends[stop - 1])
