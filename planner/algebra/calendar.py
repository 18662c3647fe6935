"""Comparisons of a field of the calendar, or of the start of a window of time, with a constant."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa

from lazyframe.planner.algebra.law import law
from lazyframe.planner.algebra.points import MIRRORED, line_of
from lazyframe.planner.algebra.preimages import Cut, Preimage, among, compared
from lazyframe.planner.functions.spans import NO_SPAN, Span, parse_span, parse_window
from lazyframe.planner.scalars import CALENDAR, Call, Literal, Scalar, is_volatile
from lazyframe.planner.types import DATE, TICKS_PER_SECOND, DataType, is_timestamp

_EPOCH = dt.date(1970, 1, 1).toordinal()
_DAY = 86_400


@law(CALENDAR)
def without_calendar(scalar: Scalar) -> Scalar | None:
    """`year(d) == 1994` and `truncate(d, '1mo') == '1994-01-01'` as the dates between which d lies."""
    match scalar:
        case Call(function=function, args=(Call() as call, Literal(value=constant))) if function in MIRRORED:
            return _compared(function, call, constant)
        case Call(function=function, args=(Literal(value=constant), Call() as call)) if function in MIRRORED:
            return _compared(MIRRORED[function], call, constant)
        case Call(function="is_in", args=(Call() as call,)):
            return _among(scalar, call)
    return None


def _compared(function: str, call: Call, constant: pa.Scalar) -> Scalar | None:
    preimage = _preimage(call)
    if preimage is None or not constant.is_valid:
        return None
    (x,) = call.args
    cut, line = preimage(constant), line_of(x.dtype)
    return None if cut is None or line is None else compared(function, x, cut, line)


def _among(member: Call, call: Call) -> Scalar | None:
    preimage = _preimage(call)
    values = dict(member.options)["values"]
    if preimage is None or len(values) == 0:
        return None
    (x,) = call.args
    line = line_of(x.dtype)
    cuts = [preimage(value) for value in values if value.is_valid]
    known = [cut for cut in cuts if cut is not None]
    if line is None or len(known) < len(cuts):
        return None
    return among(x, known, line, nulls=values.null_count)


def _preimage(call: Call) -> Preimage | None:
    """Where the constants that a function is compared with cut the line of its argument.

    Only where there is no zone: on a local clock that is set back a later instant has an earlier time.
    """
    if call.function not in ("year", "truncate", "date") or len(call.args) != 1:
        return None
    (x,) = call.args
    day = _day_of(x.dtype)
    if day is None or is_volatile(x):
        return None
    if call.function == "year":
        return lambda value: _years(value.as_py(), day)
    if call.function == "date":
        return lambda value: Cut(value.value * day, (value.value + 1) * day)
    options = dict(call.options)
    if parse_span(options.get("offset", "0ns")) != NO_SPAN:
        return None
    return _of_windows(parse_window(options["every"]), x.dtype, day)


def _day_of(dtype: DataType) -> int | None:
    """How many units of a type a day has; None where its values are no points of one clock."""
    if dtype == DATE:
        return 1
    if is_timestamp(dtype) and dtype.tz is None:
        return _DAY * TICKS_PER_SECOND[dtype.unit]
    return None


def _years(year: int, day: int) -> Cut | None:
    start, end = _day_of_month(year * 12), _day_of_month((year + 1) * 12)
    return None if start is None or end is None else Cut(start * day, end * day)


def _of_windows(every: Span, dtype: DataType, day: int) -> Preimage | None:
    if every.nanos:
        tick = 10**9 // TICKS_PER_SECOND[dtype.unit]
        width = every.nanos // tick
        return None if every.nanos % tick else lambda value: _within(value.value, *_regular(value.value, width, 0))
    if every.months:
        return lambda value: _of_months(value.value, every.months, day)
    # 1970-01-05 was a Monday, on which windows of weeks begin; those of other days begin with 1970.
    origin = 4 * day if every.days % 7 == 0 else 0
    width = every.days * day
    return lambda value: _within(value.value, *_regular(value.value, width, origin))


def _regular(at: int, width: int, origin: int) -> tuple[int, int]:
    start = at - (at - origin) % width
    return start, start + width


def _of_months(at: int, months: int, day: int) -> Cut | None:
    """Windows of months begin with January of the year 0."""
    number = at // day + _EPOCH
    if not 1 <= number <= dt.date.max.toordinal():
        return None
    date = dt.date.fromordinal(number)
    month = date.year * 12 + date.month - 1
    month -= month % months
    start, end = _day_of_month(month), _day_of_month(month + months)
    return None if start is None or end is None else _within(at, start * day, end * day)


def _within(at: int, start: int, end: int) -> Cut:
    """Where a constant cuts the line, that lies in the window from `start` to `end`: no window begins within another."""
    return Cut(start, end) if at == start else Cut(end, end)


def _day_of_month(month: int) -> int | None:
    """The first day of a month, counted from January of the year 0; None where Python has no such date."""
    year, index = divmod(month, 12)
    return dt.date(year, index + 1, 1).toordinal() - _EPOCH if 1 <= year <= dt.MAXYEAR else None
