"""From a frame to the places it holds around each row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.windows.partitions import Partitions, Places
from lazyframe.executors.vectorized.windows.ranges import RangeSearch
from lazyframe.planner.frames import Bound, Frame


class Pieces:
    """The places of a frame around each row: runs from `lo` to before `hi`, one after the other.

    Args:
        runs: pairs of `lo` and `hi`, of the length of the rows; more than one where something is excluded.
        is_running: whether each frame is a run from the first place of its partition.
    """

    __slots__ = ("is_running", "runs")

    def __init__(self, runs: list[tuple[Places, Places]], *, is_running: bool) -> None:
        self.runs = runs
        self.is_running = is_running

    def __len__(self) -> int:
        return len(self.runs[0][0])

    @property
    def sizes(self) -> Places:
        """How many places each frame holds."""
        total = self.runs[0][1] - self.runs[0][0]
        for lo, hi in self.runs[1:]:
            total = total + (hi - lo)
        return total

    def among(self, kept: npt.NDArray[np.bool_]) -> Pieces:
        """The same frames, where only some of the places are left and counted."""
        if kept.all():
            return self
        before = np.zeros(len(kept) + 1, dtype=np.int64)
        np.cumsum(kept, out=before[1:])
        return Pieces([(before.take(lo), before.take(hi)) for lo, hi in self.runs], is_running=self.is_running)

    def take(self, rows: npt.NDArray[np.intp]) -> Pieces:
        """The frames of some rows."""
        return Pieces([(lo.take(rows), hi.take(rows)) for lo, hi in self.runs], is_running=self.is_running)

    def changes(self) -> npt.NDArray[np.bool_]:
        """Where a frame is another than that of the place before."""
        new = np.ones(len(self), dtype=np.bool_)
        if len(self) > 1:
            new[1:] = False
            for lo, hi in self.runs:
                new[1:] |= (lo[1:] != lo[:-1]) | (hi[1:] != hi[:-1])
        return new


def pieces(frame: Frame, partitions: Partitions, key: RangeSearch | None) -> Pieces:
    """The places of a frame around each row.

    Args:
        frame: the frame.
        partitions: the rows.
        key: finds the bounds of a RANGE frame with offsets.
    """
    lo = _edge(frame, frame.start, partitions, key, is_end=False)
    hi = np.maximum(_edge(frame, frame.end, partitions, key, is_end=True), lo)
    is_running = frame.start.kind == "unbounded_preceding" and frame.exclude == "no_others"
    if frame.exclude == "no_others":
        return Pieces([(lo, hi)], is_running=is_running)
    here = np.arange(partitions.count)
    if frame.exclude == "current_row":
        first, stop = here, here + 1
    else:
        first, stop = partitions.peers_first, partitions.peers_stop
    runs = [(lo, np.clip(first, lo, hi)), (np.clip(stop, lo, hi), hi)]
    if frame.exclude == "ties":
        runs.insert(1, (np.clip(here, lo, hi), np.clip(here + 1, lo, hi)))
    return Pieces(runs, is_running=False)


def _edge(frame: Frame, bound: Bound, partitions: Partitions, key: RangeSearch | None, *, is_end: bool) -> Places:
    """At each place, where its frame begins; or the place after its last."""
    match bound.kind:
        case "unbounded_preceding":
            return partitions.first
        case "unbounded_following":
            return partitions.stop
        case "current_row" if frame.unit == "rows":
            return np.arange(partitions.count) + is_end
        case "current_row":
            return partitions.peers_stop if is_end else partitions.peers_first
    if frame.unit == "range":
        assert key is not None
        return key.edge(bound, is_end=is_end)
    assert isinstance(bound.offset, pa.Scalar)
    # Beyond the number of rows all offsets are one; sums of them do not overflow.
    offset = min(bound.offset.as_py(), partitions.count)
    offset = -offset if bound.kind == "preceding" else offset
    if frame.unit == "rows":
        return np.clip(np.arange(partitions.count) + (offset + is_end), partitions.first, partitions.stop)
    wanted = partitions.groups + (offset + is_end)
    lowest = partitions.groups.take(partitions.first)
    highest = partitions.groups.take(partitions.stop - 1) + 1
    return partitions.group_starts.take(np.clip(wanted, lowest, highest))
