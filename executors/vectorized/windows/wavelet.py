"""Order statistics of any run of rows: the nth smallest value, and how many are below one.

The numbers are sorted by one bit after the other, the highest first, each time keeping the order of equal bits (a wavelet
matrix: Claude and Navarro, "The wavelet matrix", SPIRE 2012). A run of rows stays a run among the zeros and one among the
ones, so that all frames are followed down the bits side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lazyframe.executors.vectorized.windows.frames import Pieces
from lazyframe.executors.vectorized.windows.partitions import Places

Numbers = npt.NDArray[np.int64]


class _Level(NamedTuple):
    """One bit of the numbers: which it is, how many zeros there are before each place, and in all."""

    bit: int
    zeros_before: Numbers
    zeros: int


def _levels(numbers: Numbers, bits: int) -> Iterator[_Level]:
    for bit in range(bits - 1, -1, -1):
        ones = (numbers >> bit & 1).astype(np.bool_)
        before = np.zeros(len(numbers) + 1, dtype=np.int64)
        np.cumsum(~ones, out=before[1:])
        yield _Level(bit, before, int(before[-1]))
        numbers = np.concatenate((numbers.compress(~ones), numbers.compress(ones)))


def nth_smallest(numbers: Numbers, count: int, pieces: Pieces, wanted: Sequence[Places]) -> list[Numbers]:
    """For each frame, the number that so many of it are before, in order; for each of `wanted`.

    Args:
        numbers: by place, from 0.
        count: what all are below.
        pieces: the frames.
        wanted: how many are before; less than the frame holds, or the frame is empty and the answer means nothing.
    """
    found = [np.zeros(len(pieces), dtype=np.int64) for _ in wanted]
    left = [number.copy() for number in wanted]
    runs = [list(pieces.runs) for _ in wanted]
    for bit, before, zeros in _levels(numbers, max(count - 1, 1).bit_length()):
        for query in range(len(wanted)):
            inside = [(before.take(lo), before.take(hi)) for lo, hi in runs[query]]
            smaller = sum([hi - lo for lo, hi in inside])
            ones = left[query] >= smaller
            left[query] -= np.where(ones, smaller, 0)
            found[query] |= ones.astype(np.int64) << bit
            runs[query] = [
                (np.where(ones, zeros + lo - low, low), np.where(ones, zeros + hi - high, high))
                for (lo, hi), (low, high) in zip(runs[query], inside, strict=True)
            ]
    return found


def count_below(numbers: Numbers, lo: Places, hi: Places, bounds: Numbers) -> Numbers:
    """How many numbers of each run from `lo` to before `hi` are below its bound.

    Args:
        numbers: by place, from 0.
        lo, hi: the runs.
        bounds: from 0.
    """
    found = np.zeros(len(lo), dtype=np.int64)
    highest = max(int(numbers.max(initial=0)), int(bounds.max(initial=0)), 1)
    for bit, before, zeros in _levels(numbers, highest.bit_length()):
        low, high = before.take(lo), before.take(hi)
        ones = (bounds >> bit & 1).astype(np.bool_)
        found += np.where(ones, high - low, 0)
        lo, hi = np.where(ones, zeros + lo - low, low), np.where(ones, zeros + hi - high, high)
    return found
