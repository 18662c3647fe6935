"""Kernels of functions of dates, times, timestamps and durations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.functions import strftime
from lazyframe.executors.vectorized.functions.calendar import (
    DAY_NANOS,
    Moments,
    Numbers,
    days_of_months,
    is_leap,
    localised,
    null_mask,
    numbers_of,
    ticks_of,
)
from lazyframe.executors.vectorized.functions.date_difference import boundaries_between, whole_spans_between
from lazyframe.executors.vectorized.functions.strptime import MONTHS, WEEKDAYS
from lazyframe.executors.vectorized.functions.subject import of_columns, of_subject
from lazyframe.executors.vectorized.functions.windows_of_time import moved, rounded, truncated
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError
from lazyframe.executors.vectorized.local_time import TICKS, to_local
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.functions.spans import parse_span, parse_window


def _field(field: Callable[[Moments], npt.NDArray]) -> Kernel:
    def run(values: pa.Array, *, arguments: Arguments) -> pa.Array:
        return pc.cast(arrow.array(field(Moments(values)), mask=null_mask(values)), arguments.result)

    return of_columns(run)


def _label(labels: tuple[str, ...], index: Callable[[Moments], Numbers]) -> Kernel:
    def run(values: pa.Array, *, arguments: Arguments) -> pa.Array:
        return pc.take(arrow.array(labels), arrow.array(index(Moments(values)), mask=null_mask(values)))

    return of_columns(run)


def _dates(days: Numbers, mask: npt.NDArray[np.bool_] | None) -> pa.Array:
    """Dates of days since 1970; those out of range are an error."""
    good = (days >= -(2**31)) & (days < 2**31)
    if mask is not None:
        good |= mask
    if not good.all():
        row = int(np.argmin(good))
        raise KernelError(f"date out of range: {days[row]} days from 1970", row)
    return pc.cast(arrow.array(days.astype(np.int32), mask=mask), pa.date32())


def _day(days: Callable[[Moments], Numbers]) -> Kernel:
    return of_columns(lambda values, *, arguments: _dates(days(Moments(values)), null_mask(values)))


def _month_edge(shift: Callable[[Moments], Numbers]) -> Kernel:
    """Moved by whole days to another day of the month, at the same local time."""

    def run(values: pa.Array, *, arguments: Arguments) -> pa.Array:
        moments = Moments(values)
        days, mask = moments.days + shift(moments), null_mask(values)
        if pa.types.is_date(values.type):
            return _dates(days, mask)
        dtype = values.type
        ticks = ticks_of(days, moments.nanos, dtype.unit, arrow.numpy_of(values.is_valid()))
        local = pc.cast(arrow.array(ticks, mask=mask), pa.timestamp(dtype.unit))
        return localised(local, dtype.tz, ambiguous="earliest", non_existent="latest")

    return of_columns(run)


def _time(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    per_tick = 10**9 // TICKS[arguments.result.unit]
    return pc.cast(arrow.array(Moments(values).nanos // per_tick, mask=null_mask(values)), arguments.result)


def _windows(function: Callable[..., pa.Array]) -> Kernel:
    def run(values: pa.Array, *, arguments: Arguments) -> pa.Array:
        options: dict[str, Any] = arguments.options
        return function(values, parse_window(options["every"]), parse_span(options.get("offset", "0ns")))

    return of_columns(run)


def _offset_by(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    by: Any = arguments.options["by"]
    return moved(values, parse_span(by))


def _strftime(values: pa.Array, text: str, *, arguments: Arguments) -> pa.Array:
    written = strftime.format_moments(Moments(values), text)
    return pc.if_else(values.is_valid(), written, arrow.scalar(None, pa.string())) if values.null_count else written


def _epoch(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    unit: Any = arguments.options.get("unit", "s")
    mask = null_mask(values)
    if pa.types.is_date(values.type):
        days = numbers_of(values)
        ticks = days if unit == "d" else ticks_of(days, np.zeros_like(days), unit, arrow.numpy_of(values.is_valid()))
        return arrow.array(ticks, mask=mask)
    have = TICKS[values.type.unit]
    ticks = numbers_of(values)
    if unit == "d":
        return arrow.array(ticks // (86_400 * have), mask=mask)
    if have >= TICKS[unit]:
        return arrow.array(ticks // (have // TICKS[unit]), mask=mask)
    return pc.multiply_checked(arrow.array(ticks, mask=mask), TICKS[unit] // have)


def _from_epoch(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    unit: Any = arguments.options.get("unit", "s")
    result = arguments.result
    if pa.types.is_integer(values.type):
        ticks = pc.multiply_checked(values, TICKS[result.unit] // TICKS[unit])
    else:
        scaled = pc.round(pc.multiply(values, TICKS["us"] / TICKS[unit]))
        ticks = pc.cast(scaled, pa.int64())
    return pc.cast(pc.cast(ticks, pa.timestamp(result.unit)), result)


def _convert_zone(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    return pc.cast(values, arguments.result)


def _replace_zone(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    options: dict[str, Any] = arguments.options
    return localised(
        to_local(values),
        options["time_zone"],
        ambiguous=options.get("ambiguous", "raise"),
        non_existent=options.get("non_existent", "raise"),
    )


def _utc_offset(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    return pc.cast(arrow.array(Moments(values).utc_offset(), mask=null_mask(values)), pa.duration("s"))


def _stamped(days: Numbers, nanos: Numbers, valid: pa.Array, result: pa.DataType) -> pa.Array:
    good = np.asarray(valid)
    ticks = ticks_of(days, nanos, result.unit, good)
    return localised(pc.cast(arrow.array(ticks, mask=~good), pa.timestamp(result.unit)), result.tz)


def _combine(days: pa.Array, times: pa.Array, *, arguments: Arguments) -> pa.Array:
    valid = pc.and_(days.is_valid(), times.is_valid())
    return _stamped(Moments(days).days, Moments(times).nanos, valid, arguments.result)


def _all_valid(columns: tuple[pa.Array, ...]) -> npt.NDArray[np.bool_]:
    valid = np.ones(len(columns[0]), dtype=bool)
    for column in columns:
        if column.null_count:
            valid &= arrow.numpy_of(column.is_valid())
    return valid


def _ints(values: pa.Array, otherwise: int) -> Numbers:
    return arrow.numpy_of(pc.fill_null(values, otherwise))


def _days_of(valid: npt.NDArray[np.bool_], year: pa.Array, month: pa.Array, day: pa.Array) -> Numbers:
    years, months, days = _ints(year, 1970), _ints(month, 1), _ints(day, 1)
    known = (months >= 1) & (months <= 12) & (np.abs(years) < 5_000_000)
    count = np.where(known, (np.where(known, years, 0) - 1970) * 12 + np.where(known, months, 1) - 1, 0)
    first = days_of_months(count)
    bad = valid & (~known | (days < 1) | (days > days_of_months(count + 1) - first))
    if bad.any():
        row = int(np.argmax(bad))
        raise KernelError(f"no such date: year {years[row]}, month {months[row]}, day {days[row]}", row)
    return first + days - 1


def _make_date(*columns: pa.Array, arguments: Arguments) -> pa.Array:
    valid = _all_valid(columns)
    return _dates(_days_of(valid, *columns), ~valid)


def _nanos_of(valid: npt.NDArray[np.bool_], hour: pa.Array, minute: pa.Array, second: pa.Array) -> Numbers:
    hours, minutes = _ints(hour, 0), _ints(minute, 0)
    seconds = arrow.numpy_of(pc.fill_null(second, 0.0))
    bad = valid & ((hours < 0) | (hours > 23) | (minutes < 0) | (minutes > 59) | ~((seconds >= 0) & (seconds < 60)))
    if bad.any():
        row = int(np.argmax(bad))
        raise KernelError(f"no such time: hour {hours[row]}, minute {minutes[row]}, second {seconds[row]:g}", row)
    micros = np.rint(np.where(valid, seconds, 0.0) * 1e6).astype(np.int64)
    return np.where(valid, (hours * 60 + minutes) * 60 * 10**9 + micros * 1000, 0)


def _make_time(*columns: pa.Array, arguments: Arguments) -> pa.Array:
    valid = _all_valid(columns)
    nanos = _nanos_of(valid, *columns)
    if (nanos >= DAY_NANOS).any():
        raise KernelError("no such time: 23:59 and seconds that round up to 60", int(np.argmax(nanos >= DAY_NANOS)))
    return pc.cast(arrow.array(nanos // 1000, mask=~valid), arguments.result)


def _make_timestamp(*columns: pa.Array, arguments: Arguments) -> pa.Array:
    valid = _all_valid(columns)
    days, nanos = _days_of(valid, *columns[:3]), _nanos_of(valid, *columns[3:])
    return _stamped(days, nanos, arrow.array(valid), arguments.result)


def _cast_unit(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    have, want = TICKS[values.type.unit], TICKS[arguments.result.unit]
    if want >= have:
        return pc.cast(values, arguments.result)
    # Rounded down, so that a timestamp before 1970 is cut off like one after it.
    naive = type(arguments.result)
    ticks = numbers_of(values) // (have // want)
    plain = pa.timestamp(arguments.result.unit) if naive is pa.TimestampType else arguments.result
    return pc.cast(pc.cast(arrow.array(ticks, mask=null_mask(values)), plain), arguments.result)


def _calendar(arguments: Arguments) -> np.busdaycalendar:
    options: dict[str, Any] = arguments.options
    holidays = np.array(list(options.get("holidays", ())), dtype="datetime64[D]")
    return np.busdaycalendar(list(options.get("week_mask", (1, 1, 1, 1, 1, 0, 0))), holidays)


def _add_business_days(dates: pa.Array, count: pa.Array, *, arguments: Arguments) -> pa.Array:
    calendar = _calendar(arguments)
    roll: Any = arguments.options.get("roll", "raise")
    valid = _all_valid((dates, count))
    days = numbers_of(dates).astype("datetime64[D]")
    if roll == "raise":
        bad = valid & ~np.is_busday(days, busdaycal=calendar)
        if bad.any():
            row = int(np.argmax(bad))
            raise KernelError(f"{days[row]} is not a business day; say which way to go with roll", row)
    moved_days = np.busday_offset(
        days, _ints(count, 0), roll="forward" if roll == "raise" else roll, busdaycal=calendar
    )
    return _dates(moved_days.astype(np.int64), ~valid)


def _business_day_count(start: pa.Array, end: pa.Array, *, arguments: Arguments) -> pa.Array:
    first, last = (numbers_of(values).astype("datetime64[D]") for values in (start, end))
    calendar = _calendar(arguments)
    forward = np.busday_count(np.minimum(first, last), np.maximum(first, last), busdaycal=calendar)
    return arrow.array(np.where(last < first, -forward, forward), mask=~_all_valid((start, end)))


def _is_business_day(dates: pa.Array, *, arguments: Arguments) -> pa.Array:
    days = numbers_of(dates).astype("datetime64[D]")
    return arrow.array(np.is_busday(days, busdaycal=_calendar(arguments)), mask=null_mask(dates))


def _total(unit_nanos: int) -> Kernel:
    def run(values: pa.Array, *, arguments: Arguments) -> pa.Array:
        per_tick = 10**9 // TICKS[values.type.unit]
        ticks = arrow.array(numbers_of(values), mask=null_mask(values))
        if unit_nanos >= per_tick:
            # Arrow's division of integers cuts towards zero.
            return pc.divide(ticks, unit_nanos // per_tick)
        return pc.multiply_checked(ticks, per_tick // unit_nanos)

    return of_columns(run)


KERNELS: dict[str, Kernel] = {
    "year": _field(lambda m: m.year),
    "iso_year": _field(lambda m: m.iso_year),
    "quarter": _field(lambda m: (m.month + 2) // 3),
    "month": _field(lambda m: m.month),
    "week": _field(lambda m: m.iso_week),
    "weekday": _field(lambda m: m.weekday),
    "day_of_week": _field(lambda m: m.weekday % 7),
    "day": _field(lambda m: m.day),
    "ordinal_day": _field(lambda m: m.ordinal_day),
    "days_in_month": _field(lambda m: m.month_length),
    # SQL's decades and centuries of years before 1 are cut towards zero and away from it.
    "decade": _field(lambda m: np.sign(m.year) * (np.abs(m.year) // 10)),
    "century": _field(lambda m: np.where(m.year > 0, (m.year + 99) // 100, -(-m.year // 100) - 1)),
    "is_leap_year": _field(lambda m: is_leap(m.year)),
    "day_name": _label(WEEKDAYS, lambda m: m.weekday - 1),
    "month_name": _label(MONTHS, lambda m: m.month - 1),
    "hour": _field(lambda m: m.hour),
    "minute": _field(lambda m: m.minute),
    "second": _field(lambda m: m.second),
    "millisecond": _field(lambda m: m.subsecond // 10**6),
    "microsecond": _field(lambda m: m.subsecond // 10**3),
    "nanosecond": _field(lambda m: m.subsecond),
    "milliseconds_of_minute": _field(lambda m: m.nanos % (60 * 10**9) // 10**6),
    "microseconds_of_minute": _field(lambda m: m.nanos % (60 * 10**9) // 10**3),
    "date": _day(lambda m: m.days),
    "last_day": _day(lambda m: m.month_start + m.month_length - 1),
    "time": of_columns(_time),
    "truncate": _windows(truncated),
    "round_time": _windows(rounded),
    "offset_by": of_columns(_offset_by),
    "month_start": _month_edge(lambda m: 1 - m.day),
    "month_end": _month_edge(lambda m: m.month_length - m.day),
    "strftime": of_subject(_strftime),
    "epoch": of_columns(_epoch),
    "from_epoch": of_columns(_from_epoch),
    "convert_time_zone": of_columns(_convert_zone),
    "replace_time_zone": of_columns(_replace_zone),
    "utc_offset": of_columns(_utc_offset),
    "combine": of_columns(_combine),
    "make_date": of_columns(_make_date),
    "make_time": of_columns(_make_time),
    "make_timestamp": of_columns(_make_timestamp),
    "date_diff": of_columns(boundaries_between),
    "date_sub": of_columns(whole_spans_between),
    "cast_time_unit": of_columns(_cast_unit),
    "add_business_days": of_columns(_add_business_days),
    "business_day_count": of_columns(_business_day_count),
    "is_business_day": of_columns(_is_business_day),
    "total_days": _total(DAY_NANOS),
    "total_hours": _total(3600 * 10**9),
    "total_minutes": _total(60 * 10**9),
    "total_seconds": _total(10**9),
    "total_milliseconds": _total(10**6),
    "total_microseconds": _total(10**3),
    "total_nanoseconds": _total(1),
}
