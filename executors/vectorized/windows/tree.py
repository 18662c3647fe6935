"""Joining the values of any run of rows: a tree of pairs, pairs of pairs and so on, of which a run takes few nodes.

Neighbours are joined pairwise, so that floats lose no more than the logarithm of their number in bits, and a value that is
infinite or no number is felt by the runs that hold it alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyframe.executors.vectorized.windows.frames import Pieces
from lazyframe.executors.vectorized.windows.monoids import Monoid
from lazyframe.executors.vectorized.windows.partitions import Places


def joined(monoid: Monoid, leaves: Any, count: int, pieces: Pieces) -> Any:
    """For each frame, the values of its places joined in their order.

    Args:
        monoid: the operation.
        leaves: the values, by place.
        count: how many there are.
        pieces: the frames.
    """
    levels = [leaves]
    widest = max([int((hi - lo).max(initial=0)) for lo, hi in pieces.runs])
    sizes = [count]
    while 1 << len(levels) <= widest:
        pairs = sizes[-1] // 2
        left = monoid.take(levels[-1], np.arange(0, 2 * pairs, 2))
        right = monoid.take(levels[-1], np.arange(1, 2 * pairs, 2))
        levels.append(monoid.append(left, np.arange(pairs), right))
        sizes.append(pairs)
    first, *others = [_of_runs(monoid, levels, lo, hi) for lo, hi in pieces.runs]
    for found in others:
        first = monoid.append(first, np.arange(len(pieces)), found)
    return first


def _of_runs(monoid: Monoid, levels: list[Any], lo: Places, hi: Places) -> Any:
    frames = len(lo)
    before, behind = monoid.empty(frames), monoid.empty(frames)
    rows = np.flatnonzero(lo < hi)
    lo, hi = lo.take(rows), hi.take(rows)
    for level in levels:
        if not len(rows):
            break
        (odd,) = (lo & 1).nonzero()
        if len(odd):
            before = monoid.append(before, rows.take(odd), monoid.take(level, lo.take(odd)))
        lo = (lo + 1) >> 1
        (odd,) = (hi & 1).nonzero()
        if len(odd):
            behind = monoid.prepend(behind, rows.take(odd), monoid.take(level, hi.take(odd) - 1))
        hi = hi >> 1
        (open_,) = (lo < hi).nonzero()
        if len(open_) < len(rows):
            rows, lo, hi = rows.take(open_), lo.take(open_), hi.take(open_)
    return monoid.append(before, np.arange(frames), behind)
