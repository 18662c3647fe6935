"""The bounds of RANGE frames with offsets: where in its partition a sort key is some distance away."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import decoded, narrowed
from lazyframe.executors.vectorized.aggregates.groups import fixed_width
from lazyframe.executors.vectorized.functions.windows_of_time import moved
from lazyframe.executors.vectorized.windows.partitions import Partitions, Places
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.build.frame_offsets import distance
from lazyframe.planner.frames import Bound
from lazyframe.planner.functions.spans import Span
from lazyframe.planner.types import DataType, is_date, is_decimal, is_float

_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1


class RangeSearch:
    """The sort key of ordered partitions.

    Nulls and NaN are at no distance from anything: such a row has its peers for a neighbourhood, and is in none of the others.

    Args:
        partitions: the rows.
        key: the one column that they are sorted by, in the order of the rows.
        dtype: its type.
        descending: whether the greatest come first.
    """

    def __init__(self, partitions: Partitions, key: pa.Array, dtype: DataType, *, descending: bool) -> None:
        self._partitions = partitions
        self._key = key
        self._dtype = dtype
        self._descending = descending

    @cached_property
    def _column(self) -> pa.Array:
        """The keys by place."""
        return decoded(self._partitions.sorted(self._key), self._dtype)

    @cached_property
    def _measurable(self) -> npt.NDArray[np.bool_]:
        found = self._column.is_valid()
        if is_float(self._dtype):
            found = pc.and_(found, pc.fill_null(pc.invert(pc.is_nan(self._column)), False))
        return arrow.numpy_of(found)

    @cached_property
    def _span(self) -> tuple[Places, Places]:
        """At each place, where in its partition the keys that have a distance begin and end."""
        first, stop = self._partitions.first, self._partitions.stop
        if self._measurable.all():
            return first, stop
        before = np.append(0, np.cumsum(self._measurable))
        places = np.append(np.flatnonzero(self._measurable), 0)
        begin, end = before.take(first), before.take(stop)
        return (
            np.where(begin < end, places.take(begin), first),
            np.where(begin < end, places.take(end - 1) + 1, first),
        )

    def edge(self, bound: Bound, *, is_end: bool) -> Places:
        """At each place, the first within the bound of a frame; or the place after the last."""
        away = distance(bound, self._dtype, is_end=is_end)
        forward = (bound.kind == "following") != self._descending
        behind = is_end != bound.is_open
        if isinstance(away, pa.Scalar):
            found = self._search(*self._calendar(away, forward=forward), behind=behind)
        else:
            values, targets, beyond = self._shifted(away, forward=forward)
            found = self._search(values, targets, behind=behind)
            if beyond is not None and beyond.any():
                # What is further than all numbers lies behind all rows in the direction of the bound.
                found = np.where(beyond, self._span[bound.kind == "following"], found)
        if self._measurable.all():
            return found
        peers = self._partitions.peers_stop if is_end else self._partitions.peers_first
        return np.where(self._measurable, found, peers)

    @cached_property
    def _values(self) -> npt.NDArray:
        """The keys as numbers that differ as they do."""
        column = narrowed(self._column) if is_decimal(self._dtype) else self._column
        if is_decimal(column.type):
            scale = self._dtype.scale
            return np.array([0 if v is None else int(v.scaleb(scale)) for v in column.to_pylist()], dtype=object)
        values = fixed_width(column)
        if values.dtype == np.uint64:
            # Counted from the middle, they are signed.
            return (values ^ np.uint64(1 << 63)).view(np.int64)
        return values.astype(np.float64 if values.dtype.kind == "f" else np.int64, copy=False)

    def _shifted(
        self, away: int | float, *, forward: bool
    ) -> tuple[npt.NDArray, npt.NDArray, npt.NDArray[np.bool_] | None]:
        """The keys, the keys moved by a distance, and where these would lie beyond all numbers."""
        values = self._values
        if isinstance(away, float):
            with np.errstate(all="ignore"):
                targets = values + away if forward else values - away
            # An infinite distance from an infinite key.
            return values, np.where(np.isnan(targets), np.inf if forward else -np.inf, targets), None
        if values.dtype == object:
            return values, values + away if forward else values - away, None
        if away >= 1 << 64:
            return values, values, np.ones(len(values), dtype=np.bool_)
        # Differences of 64-bit integers are unsigned ones.
        step, words = np.uint64(away), values.view(np.uint64)
        if forward:
            return values, (words + step).view(np.int64), np.int64(_GREATEST).view(np.uint64) - words < step
        return values, (words - step).view(np.int64), words - np.int64(_LEAST).view(np.uint64) < step

    def _calendar(self, interval: pa.Scalar, *, forward: bool) -> tuple[npt.NDArray, npt.NDArray]:
        """The keys and the keys moved by months and days."""
        column = self._column
        months, days, nanos = interval.as_py()
        if is_date(self._dtype) and nanos:
            column = column.cast(pa.timestamp("us"))
        sign = 1 if forward else -1
        targets = moved(column, Span(sign * months, sign * days, sign * nanos))
        return fixed_width(column).astype(np.int64), fixed_width(targets).astype(np.int64)

    def _search(self, values: npt.NDArray, targets: npt.NDArray, *, behind: bool) -> Places:
        """At each place, the first whose value does not come before the target, or comes `behind` it."""
        begin, end = self._span
        if self._partitions.partitions == 1 and not self._descending and values.dtype != object and len(values):
            low, high = int(begin[0]), int(end[0])
            return np.searchsorted(values[low:high], targets, side="right" if behind else "left") + low
        return _bisect(values, targets, begin, end, descending=self._descending, behind=behind)


def _bisect(
    values: npt.NDArray, targets: npt.NDArray, begin: Places, end: Places, *, descending: bool, behind: bool
) -> Places:
    """For each target the first place from `begin` on whose value does not come before it, or comes `behind` it."""
    low, high = begin.copy(), end.copy()
    while True:
        (open_,) = (low < high).nonzero()
        if not len(open_):
            return low
        middle = (low.take(open_) + high.take(open_)) >> 1
        value, target = values.take(middle), targets.take(open_)
        if behind:
            passes = value >= target if descending else value <= target
        else:
            passes = value > target if descending else value < target
        passes = passes.astype(np.bool_)
        low[open_] = np.where(passes, middle + 1, low.take(open_))
        high[open_] = np.where(passes, high.take(open_), middle)
