"""Arithmetic of dates, times and intervals as SQL has it, where it is more than that of the fluent API."""

from __future__ import annotations

import calendar
import datetime as dt

from lazyframe.planner import arrow
from lazyframe.planner.bind import call
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Literal, Scalar, cast
from lazyframe.planner.sql.expressions.casts import converted
from lazyframe.planner.sql.expressions.intervals import span_of, spanning, unit_span
from lazyframe.planner.types import DATE, INT64, INTERVAL, is_duration, is_integer, is_interval, is_time


def plus(a: Scalar, b: Scalar) -> Scalar | None:
    """A date and a number of days, a date and a time of day, or a time and an interval; None of what needs no rule of its own."""
    if is_integer(a.dtype) or is_interval(a.dtype) or (is_time(a.dtype) and b.dtype == DATE):
        a, b = b, a
    if is_interval(b.dtype):
        return _moved(a, b, 1)
    if a.dtype != DATE:
        return None
    if is_integer(b.dtype):
        return _days_later(a, b, 1)
    return call("combine", a, b) if is_time(b.dtype) else None


def minus(a: Scalar, b: Scalar) -> Scalar | None:
    """The days between two dates, a date so many days earlier, or a time less an interval; None of what needs no rule."""
    if is_interval(b.dtype):
        return _moved(a, b, -1)
    if a.dtype != DATE:
        return None
    if b.dtype == DATE:
        return call("date_diff", b, a, unit="day")
    return _days_later(a, b, -1) if is_integer(b.dtype) else None


def times(a: Scalar, b: Scalar) -> Scalar | None:
    """An interval so many times; None of what needs no rule of its own."""
    if is_interval(b.dtype):
        a, b = b, a
    if not is_interval(a.dtype) or not is_integer(b.dtype):
        return None
    span = span_of(a)
    if span is not None and sum(part != 0 for part in span) == 1:
        return spanning(b, span)
    return call("scale_interval", a, b)


def by_length(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar] | None:
    """What two intervals are compared by: months count as 30 days, days as 24 hours; None of other values."""
    if not all(is_interval(side.dtype) or is_duration(side.dtype) for side in (a, b)):
        return None
    found = [call("interval_length", converted(side, INTERVAL)) for side in (a, b)]
    return found[0], found[1]


def _moved(moment: Scalar, by: Scalar, sign: int) -> Scalar | None:
    """A constant date moved by a constant, as a constant: what is filtered by it is told by statistics. A time on its clock."""
    if is_time(moment.dtype):
        return _on_the_clock(moment, by, sign)
    span = span_of(by)
    if (
        moment.dtype != DATE
        or span is None
        or span.nanos
        or not isinstance(moment, Literal)
        or not moment.value.is_valid
    ):
        return None
    day: dt.date = moment.value.as_py()
    months = day.year * 12 + day.month - 1 + sign * span.months
    year, month = divmod(months, 12)
    if not dt.MINYEAR < year < dt.MAXYEAR:
        return None
    kept = min(day.day, calendar.monthrange(year, month + 1)[1])
    try:
        found = dt.date(year, month + 1, kept) + dt.timedelta(days=sign * span.days)
    except OverflowError:
        return None
    return Literal(arrow.scalar(found, DATE))


def _on_the_clock(time: Scalar, by: Scalar, sign: int) -> Scalar:
    """A time of day moved by an interval, of which whole days do not matter."""
    unit = time.dtype.unit
    per_tick = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[unit]
    per_day = 86_400 * 10**9 // per_tick
    parts = call("interval_nanos_of_day", by)
    ticks = call("truncated_divide", parts, literal(per_tick, INT64))
    moved = call("add" if sign > 0 else "subtract", cast(time, INT64), ticks)
    return cast(call("modulo", moved, literal(per_day, INT64)), time.dtype)


def _days_later(day: Scalar, count: Scalar, sign: int) -> Scalar:
    by = spanning(count, unit_span("day"))
    function = "add" if sign > 0 else "subtract"
    if span_of(by) is not None:
        return _moved(day, by, sign) or call(function, day, by)
    return cast(call(function, cast(day, INT64), cast(count, INT64)), DATE)


def is_moment_or_span(value: Scalar) -> bool:
    return value.dtype == DATE or is_interval(value.dtype) or is_time(value.dtype)


__all__ = ["by_length", "is_moment_or_span", "minus", "plus", "times"]
