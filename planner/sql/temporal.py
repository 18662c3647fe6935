"""Arithmetic of dates, times and intervals as SQL has it, where it is more than that of the fluent API."""

from __future__ import annotations

from lazyframe.planner.bind import call
from lazyframe.planner.scalars import Scalar, cast
from lazyframe.planner.sql.casts import converted
from lazyframe.planner.sql.intervals import span_of, spanning, unit_span
from lazyframe.planner.types import DATE, INT64, INTERVAL, is_duration, is_integer, is_interval, is_time


def plus(a: Scalar, b: Scalar) -> Scalar | None:
    """A date and a number of days, or a date and a time of day; None of what needs no rule of its own."""
    if is_integer(a.dtype) or is_time(a.dtype):
        a, b = b, a
    if a.dtype != DATE:
        return None
    if is_integer(b.dtype):
        return _days_later(a, b, "add")
    return call("combine", a, b) if is_time(b.dtype) else None


def minus(a: Scalar, b: Scalar) -> Scalar | None:
    """The days between two dates, or a date so many days earlier; None of what needs no rule of its own."""
    if a.dtype != DATE:
        return None
    if b.dtype == DATE:
        return call("date_diff", b, a, unit="day")
    return _days_later(a, b, "subtract") if is_integer(b.dtype) else None


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


def _days_later(day: Scalar, count: Scalar, function: str) -> Scalar:
    by = spanning(count, unit_span("day"))
    if span_of(by) is not None:
        return call(function, day, by)
    return cast(call(function, cast(day, INT64), cast(count, INT64)), DATE)


def is_moment_or_span(value: Scalar) -> bool:
    return value.dtype == DATE or is_interval(value.dtype) or is_time(value.dtype)


__all__ = ["by_length", "is_moment_or_span", "minus", "plus", "times"]
