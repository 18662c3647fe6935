"""Dates and timestamps moved by spans of the calendar, and cut off to the windows that hold them."""

from __future__ import annotations

from lazyframe.executors.compiled.calendar import first_of_month, floor_quotient, months_of
from lazyframe.executors.compiled.datum import Datum, Number
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.functions.moments import Moment, all_naive, at_days
from lazyframe.executors.compiled.values import Operand, Value
from lazyframe.planner.functions.spans import NO_SPAN, Span, parse_span, parse_window
from lazyframe.planner.scalars import Call
from lazyframe.planner.types import TICKS_PER_SECOND, DataType, is_date, is_timestamp

_NANOS = 10**9
_WIDEST = 1 << 62


def _truncate(application: Application) -> Datum:
    """The start of a window, of which there are no two sorts: of months, of days, or of ticks."""
    call, cg = application.call, application.cg
    every = parse_window(dict(call.options)["every"])
    moment = Moment(application)
    if not every.is_calendar:
        width = every.nanos // (_NANOS // TICKS_PER_SECOND[moment.dtype.unit])
        start, overflows = (floor_quotient(moment.value, width)).with_overflow("mul", width)
        application.fail_if(overflows)
        return application.number(start)
    if every.months:
        months = months_of(moment.date)
        days = first_of_month(cg, floor_quotient(months, every.months) * every.months)
    else:
        # 1970-01-05 was a Monday.
        shift = 4 if every.days % 7 == 0 else 0
        days = floor_quotient(moment.days - shift, every.days) * every.days + shift
    return at_days(application, days)


def _accepts_truncate(call: Call) -> bool:
    (argument,) = call.args
    options = dict(call.options)
    if not all_naive(call) or parse_span(options.get("offset", "0ns")) != NO_SPAN:
        return False
    every = parse_window(options["every"])
    if max(every) > _WIDEST:
        return False
    if is_date(argument.dtype) or every.is_calendar:
        return every.is_calendar
    return every.nanos % (_NANOS // TICKS_PER_SECOND[argument.dtype.unit]) == 0


def moved(application: Application, number: Number, span: Span) -> Number:
    """A date or timestamp moved by a constant span: months cut the day to the month's last.

    The kernel is that of a span with the same measures; how long they are are its constants.
    """
    cg, constants = application.cg, application.row.constants
    if span == NO_SPAN:
        return application.number(number.value)
    moment = Moment(application, number)
    name = constants.new(span)
    if not span.months and not span.days:
        return _later(application, moment.value, _constant(application, f"{name}.ticks", _ticks(span, number.dtype)))
    days = moment.days
    if span.months:
        months = months_of(moment.date) + _constant(application, f"{name}.months", span.months)
        first = first_of_month(cg, months)
        length = first_of_month(cg, months + 1) - first
        day = moment.date.day
        days = first + cg.choose(day < length, day, length) - 1
    if span.days:
        days = days + _constant(application, f"{name}.days", span.days)
    if is_date(number.dtype):
        return at_days(application, days)
    found = at_days(application, days, moment.ticks)
    if not span.nanos:
        return found
    return _later(application, found.value, _constant(application, f"{name}.ticks", _ticks(span, number.dtype)))


def _ticks(span: Span, dtype: DataType) -> int:
    return span.nanos // (_NANOS // TICKS_PER_SECOND[dtype.unit])


def _constant(application: Application, name: str, number: int) -> Value:
    application.row.constants.put(name, number)
    return application.cg.slot(name)


def _later(application: Application, ticks: Value, shift: Operand) -> Number:
    value, overflows = ticks.with_overflow("add", shift)
    application.fail_if(overflows)
    return application.number(value)


def moves(dtype: DataType, span: Span) -> bool:
    """Whether kernels move values of a type by a span."""
    if abs(span.months) > 1 << 31 or abs(span.days) > 1 << 31 or abs(span.nanos) > _WIDEST:
        return False
    return (is_date(dtype) and span.is_calendar) or (is_timestamp(dtype) and dtype.tz is None)


def _offset_by(application: Application) -> Datum:
    (number,) = application.numbers
    return moved(application, number, parse_span(dict(application.call.options)["by"]))


def _accepts_offset(call: Call) -> bool:
    return moves(call.args[0].dtype, parse_span(dict(call.options)["by"]))


EMITTERS = {
    "truncate": Emitter(_truncate, _accepts_truncate),
    "offset_by": Emitter(_offset_by, _accepts_offset),
}
