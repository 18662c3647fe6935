"""Points in time, by the fields of the calendar and the clock. Time zones are left to the vectorized kernels."""

from __future__ import annotations

from functools import cached_property

from lazyframe.executors.compiled.calendar import (
    FARTHEST_DAY,
    Civil,
    civil,
    days_of,
    first_of_month,
    floor_quotient,
    months_of,
)
from lazyframe.executors.compiled.datum import Number
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.kinds import I32, I64
from lazyframe.executors.compiled.values import Value
from lazyframe.planner.scalars import Call
from lazyframe.planner.types import TICKS_PER_SECOND, DataType, is_date, is_time, is_timestamp

DAY_SECONDS = 86_400


def ticks_of_day(dtype: DataType) -> int:
    return DAY_SECONDS * TICKS_PER_SECOND[dtype.unit]


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


def is_naive(dtype: DataType) -> bool:
    return is_date(dtype) or is_time(dtype) or (is_timestamp(dtype) and dtype.tz is None)


def all_naive(call: Call) -> bool:
    return all(is_naive(argument.dtype) for argument in call.args)


def check_32_bits(application: Application, value: Value) -> None:
    application.fail_if(value.to(I32).to(I64) != value)


def at_days(application: Application, days: Value, ticks: Value | None = None) -> Number:
    """A date, or a timestamp at so many ticks of a day."""
    dtype = application.scalar.dtype
    if is_date(dtype):
        check_32_bits(application, days)
        return application.number(days.to(I32))
    per_day = ticks_of_day(dtype)
    bound = ((1 << 63) - 1) // per_day
    application.fail_if(application.cg.either(days >= bound, days < -bound))
    value = days * per_day
    if ticks is not None:
        value, overflows = value.with_overflow("add", ticks)
        application.fail_if(overflows)
    return application.number(value)
