"""The states of aggregates over frames: what `State.start` gives for groups, for the frame of each row.

Counts and exact sums are differences of running ones. All else is joined: over frames that begin with the partition in one
run through all rows, over others by a tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.aggregates import limbs as exact
from lazyframe.executors.vectorized.aggregates.counts import Count
from lazyframe.executors.vectorized.aggregates.groups import fixed_width, taken
from lazyframe.executors.vectorized.aggregates.limbs import Limbs
from lazyframe.executors.vectorized.aggregates.moments import Moments, Powers
from lazyframe.executors.vectorized.aggregates.picks import Pick, Picked
from lazyframe.executors.vectorized.aggregates.state import State
from lazyframe.executors.vectorized.aggregates.sums import ExactSum, FloatSum
from lazyframe.executors.vectorized.keys import rank_codes
from lazyframe.executors.vectorized.windows.frames import Pieces
from lazyframe.executors.vectorized.windows.monoids import FLOAT_SUM, LEAST, MOMENTS, Columns, Join, OfState
from lazyframe.executors.vectorized.windows.partitions import Places
from lazyframe.executors.vectorized.windows.scan import running
from lazyframe.executors.vectorized.windows.tree import joined


def framed(state: State, columns: list[pa.Array], count: int, pieces: Pieces) -> Any:
    """The state of each frame.

    Args:
        state: its kind, which keeps no rows.
        columns: the arguments by place.
        count: how many places there are.
        pieces: the frames.
    """
    match state:
        case Count():
            return pieces.sizes
        case ExactSum():
            return _differences(exact.limbs_of(columns[0]), pieces)
        case FloatSum():
            values = fixed_width(columns[0]).astype(np.float64)
            return _joined(FLOAT_SUM, (values,), pieces)[0]
        case Pick(choice=choice):
            chosen = _chosen(choice, columns, count, pieces)
            return Picked(chosen >= 0, [taken(column, chosen) for column in columns])
        case Moments(order=2):
            values = fixed_width(columns[0]).astype(np.float64)
            none = np.zeros(count)
            size, mean, rest, squares = _joined(MOMENTS, (np.ones(count), values, none, none), pieces)
            return Powers(size, mean, rest, (squares,))
    monoid = OfState(state, tuple([column.type for column in columns]))
    return joined(monoid, monoid.leaves(columns), count, pieces)


def _differences(limbs: Limbs, pieces: Pieces) -> Limbs:
    """Sums of integers of any size."""
    if len(limbs) == 1:
        (values,) = limbs
        if len(values) and max(-int(values.min()), int(values.max())) * len(values) >= 1 << 62:
            limbs = exact.widened(limbs, 2)
    sums = [_between(np.append(np.int64(0), np.cumsum(limb)), pieces) for limb in limbs]
    return (sums[0],) if len(limbs) == 1 else exact.carried(sums)


def _between(cumulated: npt.NDArray[np.int64], pieces: Pieces) -> npt.NDArray[np.int64]:
    (lo, hi), *others = pieces.runs
    total = cumulated.take(hi) - cumulated.take(lo)
    for lo, hi in others:
        total += cumulated.take(hi) - cumulated.take(lo)
    return total


def _joined(monoid: Join, leaves: Columns, pieces: Pieces) -> Columns:
    """Values joined over each frame."""
    count = len(leaves[0])
    if not pieces.is_running or not count:
        return joined(monoid, leaves, count, pieces)
    ((lo, hi),) = pieces.runs
    restarts = np.zeros(count + 1, dtype=np.bool_)
    restarts[lo] = True
    found = running(leaves, restarts[:-1], monoid.combine)
    (rows,) = (lo < hi).nonzero()
    result = monoid.empty(len(lo))
    for part, values in zip(result, found, strict=True):
        part[rows] = values.take(hi.take(rows) - 1)
    return result


def _chosen(choice: str, columns: list[pa.Array], count: int, pieces: Pieces) -> Places:
    """The place that is picked from each frame, -1 where it has none."""
    match choice:
        case "first":
            return first_place(pieces)
        case "last":
            return last_place(pieces)
    # The rank, then the place: the first of equal ones is the least.
    ranks = rank_codes([columns[-1]], [choice == "max"], [False])
    words = ranks * np.int64(max(count, 1)) + np.arange(count)
    (least,) = _joined(LEAST, (words,), pieces)
    empty = least == np.iinfo(np.int64).max
    return np.where(empty, -1, least % np.int64(max(count, 1)))


def first_place(pieces: Pieces) -> Places:
    """The first place of each frame, -1 where it holds none."""
    return nth_place(pieces, np.zeros(len(pieces), dtype=np.int64))


def last_place(pieces: Pieces) -> Places:
    """The last place of each frame, -1 where it holds none."""
    return nth_place(pieces, pieces.sizes - 1)


def nth_place(pieces: Pieces, number: npt.NDArray[np.int64]) -> Places:
    """The place of each frame that has so many before it, -1 where it holds none."""
    found = np.full(len(pieces), -1, dtype=np.int64)
    left = number.copy()
    for lo, hi in pieces.runs:
        here = (found < 0) & (left >= 0) & (left < hi - lo)
        found = np.where(here, lo + left, found)
        left = np.where(here, -1, left - (hi - lo))
    return found
