"""Casts between dates, timestamps, times, durations, and the integers that count them.

To a coarser unit is rounded down. A timestamp of a zone becomes what the clocks there showed, and a naive timestamp or a date
(its midnight) becomes the instant at which they showed it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.cast_numbers import Conversion, to_integer
from lazyframe.executors.vectorized.functions.layout import Mask, arrow_array, joint_validity, numpy_values
from lazyframe.executors.vectorized.local_time import TICKS, ticks_of_day, to_instant, to_local
from lazyframe.planner.types import DATE, DataType, is_date, is_integer, is_time, is_timestamp

if TYPE_CHECKING:
    # To load it takes longer than all of this package.
    import numpy.typing as npt

_I32, _I64 = np.iinfo(np.int32), np.iinfo(np.int64)

Ticks: TypeAlias = "npt.NDArray[np.int64]"


def cast_time(array: pa.Array, source: DataType, target: DataType) -> Conversion:
    """Cast between temporal types, and between those and integers."""
    if is_integer(source):
        return _from_count(array, target)
    if is_integer(target):
        count = arrow_array(numpy_values(array).astype(np.int64), pa.int64(), joint_validity([array]))
        return to_integer(count, target)
    if is_date(source):
        return _from_date(array, target)
    if is_timestamp(source):
        return _from_timestamp(array, source, target)
    ticks, bad = rescaled(numpy_values(array).astype(np.int64), source.unit, target.unit)
    return temporal_array(ticks, target, joint_validity([array])), bad


def _from_count(array: pa.Array, target: DataType) -> Conversion:
    count, bad = to_integer(array, pa.int64())
    ticks = numpy_values(count)
    outside = outside_of(ticks, target)
    if outside is not None:
        bad = outside if bad is None else bad | outside
    return temporal_array(ticks, target, joint_validity([array])), bad


def outside_of(ticks: Ticks, target: DataType) -> Mask | None:
    """Which counts no value of a temporal type has."""
    if is_date(target):
        return (ticks < _I32.min) | (ticks > _I32.max)
    if is_time(target):
        return (ticks < 0) | (ticks >= ticks_of_day(target.unit))
    return None


def temporal_array(ticks: Ticks, target: DataType, validity: pa.Buffer | None) -> pa.Array:
    """A temporal column of counts since its zero."""
    return arrow_array(ticks.astype(np.int32) if target.bit_width == 32 else ticks, target, validity)


def _from_date(array: pa.Array, target: DataType) -> Conversion:
    days, day = numpy_values(array).astype(np.int64), ticks_of_day(target.unit)
    bad = (days < -(-int(_I64.min) // day)) | (days > int(_I64.max) // day)
    days = np.where(bad, 0, days) if bad.any() else days
    return _at_instant(days * day, target, joint_validity([array])), bad


def _from_timestamp(array: pa.Array, source: DataType, target: DataType) -> Conversion:
    validity = joint_validity([array])
    if is_timestamp(target):
        both = source.tz is not None and target.tz is not None
        local = array if both else to_local(array)
        ticks, bad = rescaled(numpy_values(local), source.unit, target.unit)
        if both:
            return arrow_array(ticks, target, validity), bad
        return _at_instant(ticks, target, validity), bad
    day = ticks_of_day(source.unit)
    local_ticks = numpy_values(to_local(array))
    if is_date(target):
        days = local_ticks // day
        bad = outside_of(days, DATE)
        return temporal_array(days, DATE, validity), bad
    ticks, bad = rescaled(local_ticks % day, source.unit, target.unit)
    return temporal_array(ticks, target, validity), bad


def _at_instant(ticks: Ticks, target: DataType, validity: pa.Buffer | None) -> pa.Array:
    """Local times as timestamps of a type: naive, or the instants of its zone."""
    local = arrow_array(ticks, pa.timestamp(target.unit), validity)
    return to_instant(local, target.tz)


def rescaled(ticks: Ticks, source: str, target: str) -> tuple[Ticks, Mask | None]:
    """Counts of one unit in another, rounded down; and which are out of range there."""
    if source == target:
        return ticks, None
    if TICKS[target] < TICKS[source]:
        return ticks // (TICKS[source] // TICKS[target]), None
    factor = TICKS[target] // TICKS[source]
    bad = (ticks < -(-int(_I64.min) // factor)) | (ticks > int(_I64.max) // factor)
    return np.where(bad, 0, ticks) * factor, bad
