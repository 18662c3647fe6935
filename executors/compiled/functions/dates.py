"""Fields of dates and timestamps, and how they are cut off and moved. Time zones are left to the vectorized kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from lazyframe.executors.compiled.calendar import (
    FARTHEST_DAY,
    Civil,
    civil,
    days_of,
    first_of_month,
    floor_quotient,
    is_leap,
    months_of,
)
from lazyframe.executors.compiled.datum import Datum, Number, kind_of
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.kinds import I32, I64
from lazyframe.executors.compiled.stage import Operand, Value
from lazyframe.planner.functions.spans import NO_SPAN, Span, parse_span, parse_unit, parse_window
from lazyframe.planner.scalars import Call
from lazyframe.planner.types import TICKS_PER_SECOND, DataType, is_date, is_duration, is_time, is_timestamp

_DAY_SECONDS = 86_400
_NANOS = 10**9
_WIDEST = 1 << 62


def ticks_of_day(dtype: DataType) -> int:
    return _DAY_SECONDS * TICKS_PER_SECOND[dtype.unit]


class Moment:
    """A date, a time or a timestamp without a zone, by its fields.

    Args:
        application: whose first argument it is.
        number: it, where it is another argument.
    """

    def __init__(self, application: Application, number: Number | None = None) -> None:
        if number is None:
            (number,) = application.numbers
        self._application = application
        self.dtype = number.dtype
        self.value = number.value.to(I64)
        self._cg = application.cg

    @cached_property
    def days(self) -> Value:
        """Days since 1970, which are near enough for the calendar."""
        if is_date(self.dtype):
            return self.value
        days = floor_quotient(self.value, ticks_of_day(self.dtype))
        if self.dtype.unit in ("s", "ms"):
            self._application.fail_if(self._cg.either(days > FARTHEST_DAY, days < -FARTHEST_DAY))
        return days

    @cached_property
    def ticks(self) -> Value:
        """Ticks since midnight."""
        if is_time(self.dtype):
            return self.value
        return self.value - floor_quotient(self.value, ticks_of_day(self.dtype)) * ticks_of_day(self.dtype)

    @cached_property
    def date(self) -> Civil:
        return civil(self._cg, self.days)

    @cached_property
    def weekday(self) -> Value:
        """Monday is 1; 1970-01-01 was a Thursday."""
        shifted = self.days + 3
        return shifted - floor_quotient(shifted, 7) * 7 + 1

    @cached_property
    def start_of_month(self) -> Value:
        return self.days - self.date.day + 1

    @cached_property
    def month_length(self) -> Value:
        return first_of_month(self._cg, months_of(self.date) + 1) - self.start_of_month

    @cached_property
    def ordinal_day(self) -> Value:
        january = self._cg.lift(1, I64)
        return self.days - days_of(self._cg, self.date.year, january, 1) + 1

    def part(self, seconds: int, count: int) -> Value:
        """How many times so many seconds have passed, of the last `count` times."""
        per_second = TICKS_PER_SECOND[self.dtype.unit]
        return self.ticks.quotient(seconds * per_second).remainder(count)

    def fraction(self, of_seconds: int, per_second: int) -> Value:
        """What has passed of the last so many seconds, in parts of a second."""
        mine = TICKS_PER_SECOND[self.dtype.unit]
        ticks = self.ticks.remainder(of_seconds * mine)
        return ticks.quotient(mine // per_second) if mine >= per_second else ticks * (per_second // mine)


def _is_naive(dtype: DataType) -> bool:
    return is_date(dtype) or is_time(dtype) or (is_timestamp(dtype) and dtype.tz is None)


def _accepts(call: Call) -> bool:
    return all(_is_naive(argument.dtype) for argument in call.args)


def _field(field: Callable[[Moment], Value]) -> Emitter:
    def emit(application: Application) -> Datum:
        value = field(Moment(application))
        kind = kind_of(application.scalar.dtype)
        assert kind is not None
        if kind is I32 and value.kind is I64:
            _check_32_bits(application, value)
        return application.number(value.to(kind))

    return Emitter(emit, _accepts)


def _check_32_bits(application: Application, value: Value) -> None:
    application.fail_if(value.to(I32).to(I64) != value)


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
    return _at_days(application, days)


def _at_days(application: Application, days: Value, ticks: Value | None = None) -> Number:
    """A date, or a timestamp at so many ticks of a day."""
    dtype = application.scalar.dtype
    if is_date(dtype):
        _check_32_bits(application, days)
        return application.number(days.to(I32))
    per_day = ticks_of_day(dtype)
    bound = ((1 << 63) - 1) // per_day
    application.fail_if(application.cg.either(days >= bound, days < -bound))
    value = days * per_day
    if ticks is not None:
        value, overflows = value.with_overflow("add", ticks)
        application.fail_if(overflows)
    return application.number(value)


def _accepts_truncate(call: Call) -> bool:
    (argument,) = call.args
    options = dict(call.options)
    if not _accepts(call) or parse_span(options.get("offset", "0ns")) != NO_SPAN:
        return False
    every = parse_window(options["every"])
    if max(every) > _WIDEST:
        return False
    if is_date(argument.dtype) or every.is_calendar:
        return every.is_calendar
    return every.nanos % (_NANOS // TICKS_PER_SECOND[argument.dtype.unit]) == 0


def _day(days: Callable[[Moment], Value]) -> Emitter:
    return Emitter(lambda application: _at_days(application, days(Moment(application))), _accepts)


def _month_edge(shift: Callable[[Moment], Value]) -> Emitter:
    def emit(application: Application) -> Datum:
        moment = Moment(application)
        ticks = None if is_date(moment.dtype) else moment.ticks
        return _at_days(application, moment.days + shift(moment), ticks)

    return Emitter(emit, _accepts)


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
        return _at_days(application, days)
    found = _at_days(application, days, moment.ticks)
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


_DAYS = {"d": 1, "w": 7}
_MONTHS = {"mo": 1, "q": 3, "y": 12}


def _unit(call: Call) -> str:
    return parse_unit(dict(call.options)["unit"])


def _date_diff(application: Application) -> Datum:
    """Starts of months, weeks or days between two moments."""
    call, (start, end) = application.call, application.numbers
    unit = _unit(call)
    a, b = Moment(application, start), Moment(application, end)
    if unit in _MONTHS:
        size = _MONTHS[unit]
        before, after = (floor_quotient(months_of(m.date), size) for m in (a, b))
        return application.number(after - before)
    shift = 3 if unit == "w" else 0
    before, after = (floor_quotient(m.days + shift, _DAYS[unit]) for m in (a, b))
    return application.number(after - before)


def _accepts_diff(call: Call) -> bool:
    return _accepts(call) and (_unit(call) in _MONTHS or _unit(call) in _DAYS)


def _epoch(application: Application) -> Datum:
    call = application.call
    unit = dict(call.options).get("unit", "s")
    (number,) = application.numbers
    value = number.value.to(I64)
    per_day = _DAY_SECONDS * TICKS_PER_SECOND.get(unit, 0) or 1
    have = 1 if is_date(number.dtype) else ticks_of_day(number.dtype)
    if have >= per_day:
        return application.number(floor_quotient(value, have // per_day) if have > per_day else value)
    # The day at the end of 64 bits is left to the vectorized kernel.
    bound = ((1 << 63) - 1) // (per_day // have)
    application.fail_if(application.cg.either(value >= bound, value < -bound))
    return application.number(value * (per_day // have))


def _total(nanos: int) -> Emitter:
    """The whole units of a duration, cut toward zero."""

    def emit(application: Application) -> Datum:
        (value,) = application.values
        per_tick = _NANOS // TICKS_PER_SECOND[application.arguments[0].dtype.unit]
        if nanos >= per_tick:
            return application.number(value.quotient(nanos // per_tick))
        found, overflows = value.with_overflow("mul", per_tick // nanos)
        application.fail_if(overflows)
        return application.number(found)

    return Emitter(emit, lambda call: is_duration(call.args[0].dtype))


EMITTERS = {
    "year": _field(lambda m: m.date.year),
    "quarter": _field(lambda m: (m.date.month + 2).quotient(3)),
    "month": _field(lambda m: m.date.month),
    "day": _field(lambda m: m.date.day),
    "weekday": _field(lambda m: m.weekday),
    "day_of_week": _field(lambda m: m.weekday.remainder(7)),
    "ordinal_day": _field(lambda m: m.ordinal_day),
    "days_in_month": _field(lambda m: m.month_length),
    "is_leap_year": _field(lambda m: is_leap(m.date.year)),
    "hour": _field(lambda m: m.part(3600, 24)),
    "minute": _field(lambda m: m.part(60, 60)),
    "second": _field(lambda m: m.part(1, 60)),
    "millisecond": _field(lambda m: m.fraction(1, 10**3)),
    "microsecond": _field(lambda m: m.fraction(1, 10**6)),
    "nanosecond": _field(lambda m: m.fraction(1, 10**9)),
    "milliseconds_of_minute": _field(lambda m: m.fraction(60, 10**3)),
    "microseconds_of_minute": _field(lambda m: m.fraction(60, 10**6)),
    "date": _day(lambda m: m.days),
    "last_day": _day(lambda m: m.start_of_month + m.month_length - 1),
    "month_start": _month_edge(lambda m: 1 - m.date.day),
    "month_end": _month_edge(lambda m: m.month_length - m.date.day),
    "truncate": Emitter(_truncate, _accepts_truncate),
    "offset_by": Emitter(_offset_by, _accepts_offset),
    "date_diff": Emitter(_date_diff, _accepts_diff),
    "epoch": Emitter(_epoch, _accepts),
    "total_days": _total(86_400 * _NANOS),
    "total_hours": _total(3600 * _NANOS),
    "total_minutes": _total(60 * _NANOS),
    "total_seconds": _total(_NANOS),
    "total_milliseconds": _total(10**6),
    "total_microseconds": _total(10**3),
    "total_nanoseconds": _total(1),
}
