"""Fields of dates and timestamps, counts of what lies between them, and durations in whole units."""

from __future__ import annotations

from collections.abc import Callable

from lazyframe.executors.compiled.calendar import floor_quotient, is_leap, months_of
from lazyframe.executors.compiled.datum import Datum, kind_of
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.functions.moments import (
    DAY_SECONDS,
    Moment,
    all_naive,
    at_days,
    check_32_bits,
    ticks_of_day,
)
from lazyframe.executors.compiled.kinds import I32, I64
from lazyframe.executors.compiled.values import Value
from lazyframe.planner.functions.spans import parse_unit
from lazyframe.planner.scalars import Call
from lazyframe.planner.types import TICKS_PER_SECOND, is_date, is_duration

_NANOS = 10**9


def _field(field: Callable[[Moment], Value]) -> Emitter:
    def emit(application: Application) -> Datum:
        value = field(Moment(application))
        kind = kind_of(application.scalar.dtype)
        assert kind is not None
        if kind is I32 and value.kind is I64:
            check_32_bits(application, value)
        return application.number(value.to(kind))

    return Emitter(emit, all_naive)


def _day(days: Callable[[Moment], Value]) -> Emitter:
    return Emitter(lambda application: at_days(application, days(Moment(application))), all_naive)


def _month_edge(shift: Callable[[Moment], Value]) -> Emitter:
    def emit(application: Application) -> Datum:
        moment = Moment(application)
        ticks = None if is_date(moment.dtype) else moment.ticks
        return at_days(application, moment.days + shift(moment), ticks)

    return Emitter(emit, all_naive)


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
    return all_naive(call) and (_unit(call) in _MONTHS or _unit(call) in _DAYS)


def _epoch(application: Application) -> Datum:
    call = application.call
    unit = dict(call.options).get("unit", "s")
    (number,) = application.numbers
    value = number.value.to(I64)
    per_day = DAY_SECONDS * TICKS_PER_SECOND.get(unit, 0) or 1
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
    "date_diff": Emitter(_date_diff, _accepts_diff),
    "epoch": Emitter(_epoch, all_naive),
    "total_days": _total(86_400 * _NANOS),
    "total_hours": _total(3600 * _NANOS),
    "total_minutes": _total(60 * _NANOS),
    "total_seconds": _total(_NANOS),
    "total_milliseconds": _total(10**6),
    "total_microseconds": _total(10**3),
    "total_nanoseconds": _total(1),
}
