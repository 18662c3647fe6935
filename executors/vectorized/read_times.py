"""Dates, times and spans of time as people write them."""

from __future__ import annotations

import datetime as dt
import re
from fractions import Fraction
from typing import NamedTuple

from lazyframe.executors.vectorized.local_time import TICKS

_DATE = r"(\d{4})([-/])(\d{1,2})\2(\d{1,2})"
_CLOCK = r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?"
_ZONE = r"(Z|z|[+-]\d{2}(?::?\d{2})?)?"
_MOMENT = re.compile(rf"{_DATE}(?:[ T]{_CLOCK}\s*{_ZONE})?")
_TIME = re.compile(_CLOCK)
_SPAN = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*([a-z]+)|([+-]?)(\d+):(\d{2})(?::(\d{2}(?:\.\d+)?))?", re.IGNORECASE)
_EPOCH = dt.date(1970, 1, 1).toordinal()
_DAY_NANOS = 86_400 * 10**9

_MONTHS = {"month": 1, "mon": 1, "quarter": 3, "year": 12, "yr": 12, "y": 12, "decade": 120, "century": 1200}
_DAYS = {"day": 1, "d": 1, "week": 7, "w": 7}
_NANOS = {
    "hour": 3600 * 10**9, "hr": 3600 * 10**9, "h": 3600 * 10**9,
    "minute": 60 * 10**9, "min": 60 * 10**9, "m": 60 * 10**9,
    "second": 10**9, "sec": 10**9, "s": 10**9,
    "millisecond": 10**6, "ms": 10**6, "microsecond": 10**3, "us": 10**3, "nanosecond": 1, "ns": 1,
}  # fmt: skip


class Moment(NamedTuple):
    """A date with a time of day.

    Args:
        days: since 1970-01-01.
        ticks: of the unit asked for, since midnight.
        offset: from UTC in seconds, where it was written.
    """

    days: int
    ticks: int
    offset: int | None


def read_moment(text: str, unit: str) -> Moment | None:
    """A date, or a date and time of day; digits of the second beyond the unit are dropped."""
    m = _MOMENT.fullmatch(text)
    if m is None:
        return None
    try:
        days = dt.date(int(m[1]), int(m[3]), int(m[4])).toordinal() - _EPOCH
    except ValueError:
        return None
    if m[5] is None:
        return Moment(days, 0, None)
    ticks = _ticks(m[5], m[6], m[7], m[8], unit)
    zone = _offset(m[9])
    return None if ticks is None or zone == "" else Moment(days, ticks, zone if isinstance(zone, int) else None)


def has_offset(text: str) -> bool:
    """Whether a text is a date and time of day with an offset from UTC."""
    moment = read_moment(text.strip(), "s")
    return moment is not None and moment.offset is not None


def read_time(text: str, unit: str) -> int | None:
    """Ticks since midnight."""
    m = _TIME.fullmatch(text)
    return None if m is None else _ticks(m[1], m[2], m[3], m[4], unit)


def _ticks(hour: str, minute: str, second: str | None, fraction: str | None, unit: str) -> int | None:
    h, m, s = int(hour), int(minute), int(second or 0)
    if h > 23 or m > 59 or s > 59:
        return None
    scale = TICKS[unit]
    places = len(str(scale)) - 1
    return (h * 3600 + m * 60 + s) * scale + int((fraction or "").ljust(places, "0")[:places] or 0)


def _offset(zone: str | None) -> int | str | None:
    """Seconds from UTC, None where none is written, an empty text where there is no such zone."""
    if not zone:
        return None
    if zone in "Zz":
        return 0
    digits = zone[1:].replace(":", "")
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    if hours > 18 or minutes > 59:
        return ""
    return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)


class Span(NamedTuple):
    """A calendar interval."""

    months: int
    days: int
    nanos: int


def read_span(text: str) -> Span | None:
    """An interval such as `1 month 2 days 03:00:00` or `1.5 hours`.

    >>> read_span("1 year 2 days 03:00")
    Span(months=12, days=2, nanos=10800000000000)
    """
    months, days, nanos = Fraction(0), Fraction(0), Fraction(0)
    position = 0
    while position < len(text):
        m = _SPAN.match(text, position)
        if m is None:
            return None
        if m[2] is not None:
            amount, unit = Fraction(m[1]), m[2].lower()
            unit = unit if unit in _MONTHS or unit in _DAYS or unit in _NANOS else unit.removesuffix("s")
            if unit in _MONTHS:
                months += amount * _MONTHS[unit]
            elif unit in _DAYS:
                days += amount * _DAYS[unit]
            elif unit in _NANOS:
                nanos += amount * _NANOS[unit]
            else:
                return None
        else:
            clock = int(m[4]) * 3600 + int(m[5]) * 60 + Fraction(m[6] or 0)
            nanos += clock * 10**9 * (-1 if m[3] == "-" else 1)
        position = m.end()
        while position < len(text) and text[position] in " ,":
            position += 1
    if position == 0 or months.denominator != 1:
        return None
    whole_days = int(days)
    nanos += (days - whole_days) * _DAY_NANOS
    return Span(int(months), whole_days, int(nanos))
