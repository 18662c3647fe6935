"""Kernels of functions of calendar intervals."""

from __future__ import annotations

import decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.functions.calendar import DAY_NANOS, Moments, Numbers, days_of_months, numbers_of
from lazyframe.executors.vectorized.functions.layout import (
    INTERVAL_PARTS,
    arrow_array,
    interval_values,
    joint_validity,
)
from lazyframe.executors.vectorized.functions.subject import of_columns
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

_I32 = np.iinfo(np.int32)
_HOUR, _MINUTE, _SECOND = 3600 * 10**9, 60 * 10**9, 10**9


def _intervals(months: Numbers, days: Numbers, nanos: Numbers, columns: tuple[pa.Array, ...]) -> pa.Array:
    """Intervals of these parts, null where a column is.

    Raises:
        KernelError: where months or days are more than 32 bits hold.
    """
    valid = np.ones(len(months), dtype=bool)
    for column in columns:
        valid &= arrow.numpy_of(column.is_valid())
    for what, numbers in (("months", months), ("days", days)):
        bad = valid & ((numbers < _I32.min) | (numbers > _I32.max))
        if bad.any():
            row = int(np.argmax(bad))
            raise KernelError(f"interval out of range: {numbers[row]} {what}", row)
    parts = np.zeros(len(months), INTERVAL_PARTS)
    for name, numbers in (("months", months), ("days", days), ("nanos", nanos)):
        parts[name] = np.where(valid, numbers, 0)
    return arrow_array(parts, pa.month_day_nano_interval(), joint_validity(columns))


def _make(*columns: pa.Array, arguments: Arguments) -> pa.Array:
    months, days, nanos = (arrow.numpy_of(pc.fill_null(column, 0)) for column in columns)
    return _intervals(months, days, nanos, columns)


def _scale(intervals: pa.Array, factor: pa.Array, *, arguments: Arguments) -> pa.Array:
    parts, times = interval_values(intervals), arrow.numpy_of(pc.fill_null(factor, 0))
    valid = np.asarray(pc.and_(intervals.is_valid(), factor.is_valid()))
    scaled = []
    for name, limit in (("months", 2.0**31), ("days", 2.0**31), ("nanos", 2.0**63)):
        numbers = parts[name].astype(np.int64)
        bad = valid & (np.abs(numbers.astype(np.float64) * times) >= limit)
        if bad.any():
            row = int(np.argmax(bad))
            raise KernelError(f"interval out of range: {numbers[row]} {name} * {times[row]}", row)
        with np.errstate(over="ignore"):
            scaled.append(numbers * times)
    months, days, nanos = scaled
    return _intervals(months, days, nanos, (intervals, factor))


def _rest(numbers: npt.NDArray, size: int) -> npt.NDArray:
    """The remainder, with the sign of the number."""
    return np.fmod(numbers, size)


def _whole(numbers: npt.NDArray, size: int) -> npt.NDArray:
    """The quotient, cut towards zero."""
    return np.sign(numbers) * (np.abs(numbers) // size)


def _field(intervals: pa.Array, *, arguments: Arguments) -> pa.Array:
    parts = interval_values(intervals)
    months, nanos = parts["months"].astype(np.int64), parts["nanos"]
    match arguments.options["field"]:
        case "millennium":
            found = _whole(months, 12_000)
        case "century":
            found = _whole(months, 1200)
        case "decade":
            found = _whole(months, 120)
        case "year":
            found = _whole(months, 12)
        case "quarter":
            found = _whole(_rest(months, 12), 3) + 1
        case "month":
            found = _rest(months, 12)
        case "day":
            found = parts["days"].astype(np.int64)
        case "hour":
            found = _whole(nanos, _HOUR)
        case "minute":
            found = _whole(_rest(nanos, _HOUR), _MINUTE)
        case "second":
            found = _whole(_rest(nanos, _MINUTE), _SECOND)
        case "millisecond":
            found = _whole(_rest(nanos, _MINUTE), 10**6)
        case "microsecond":
            found = _whole(_rest(nanos, _MINUTE), 10**3)
        case _:
            found = _rest(nanos, _MINUTE)
    return arrow_array(found, pa.int64(), joint_validity([intervals]))


def _seconds(intervals: pa.Array, *, arguments: Arguments) -> pa.Array:
    parts = interval_values(intervals)
    months = parts["months"].astype(np.int64)
    days = _whole(months, 12) * 365.25 + _rest(months, 12) * 30 + parts["days"]
    return arrow_array(days * 86_400 + parts["nanos"] / 1e9, pa.float64(), joint_validity([intervals]))


def _nanos_of_day(intervals: pa.Array, *, arguments: Arguments) -> pa.Array:
    return arrow_array(_rest(interval_values(intervals)["nanos"], DAY_NANOS), pa.int64(), joint_validity([intervals]))


def _length(intervals: pa.Array, *, arguments: Arguments) -> pa.Array:
    parts = zip(intervals.is_valid().to_pylist(), interval_values(intervals).tolist(), strict=True)
    lengths = [
        decimal.Decimal((months * 30 + days) * DAY_NANOS + nanos) if valid else None
        for valid, (months, days, nanos) in parts
    ]
    return arrow.array(lengths, arguments.result)


def _age(end: pa.Array, start: pa.Array, *, arguments: Arguments) -> pa.Array:
    """As PostgreSQL: field by field, where a day that is lacking is taken from the earlier month."""
    a, b = Moments(end), Moments(start)
    backwards = numbers_of(end) < numbers_of(start)
    months, days, nanos = (
        np.where(backwards, late - early, early - late)
        for early, late in ((a.months_since_epoch, b.months_since_epoch), (a.day, b.day), (a.nanos, b.nanos))
    )
    borrowed = nanos < 0
    nanos, days = nanos + DAY_NANOS * borrowed, days - borrowed
    earlier = np.where(backwards, a.months_since_epoch, b.months_since_epoch)
    lacking = days < 0
    days = days + np.where(lacking, days_of_months(earlier + 1) - days_of_months(earlier), 0)
    months = months - lacking
    sign = np.where(backwards, -1, 1)
    return _intervals(sign * months, sign * days, sign * nanos, (end, start))


KERNELS: dict[str, Kernel] = {
    "make_interval": of_columns(_make),
    "scale_interval": of_columns(_scale),
    "interval_field": of_columns(_field),
    "interval_seconds": of_columns(_seconds),
    "interval_nanos_of_day": of_columns(_nanos_of_day),
    "interval_length": of_columns(_length),
    "age": of_columns(_age),
}
