"""The calendar within kernels: days since 1970 and years, months and days of the proleptic Gregorian calendar.

Years are taken to begin in March, so that a leap day is the last of its year; the algorithms are those of H. Hinnant,
"chrono-compatible low-level date algorithms".
"""

from __future__ import annotations

from typing import NamedTuple

from lazyframe.executors.compiled.kinds import I64
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Operand, Value

_ERA_DAYS, _ERA_YEARS = 146_097, 400
_TO_MARCH_OF_0 = 719_468
"""The days from the first of March of the year 0 to 1970."""

_ERAS = 1 << 24
"""So many eras are added, so that nothing is negative: they reach further than 32 bits of days do."""

FARTHEST_DAY = 1 << 32
"""How far from 1970 days may be."""


class Civil(NamedTuple):
    """A date."""

    year: Value
    month: Value
    day: Value


def floor_quotient(a: Value, divisor: Operand) -> Value:
    """Division of signed integers, rounded down, by what is positive."""
    quotient, rest = a.quotient(divisor), a.remainder(divisor)
    return quotient - (rest < 0).to(a.kind)


def civil(cg: Function, days: Value) -> Civil:
    """The date of days since 1970, which are at most `FARTHEST_DAY` of them."""
    shifted = days + (_TO_MARCH_OF_0 + _ERAS * _ERA_DAYS)
    era = shifted.quotient(_ERA_DAYS)
    day_of_era = shifted - era * _ERA_DAYS
    year_of_era = (
        day_of_era - day_of_era.quotient(1460) + day_of_era.quotient(36_524) - day_of_era.quotient(146_096)
    ).quotient(365)
    day_of_year = day_of_era - (year_of_era * 365 + year_of_era.quotient(4) - year_of_era.quotient(100))
    shifted_month = (day_of_year * 5 + 2).quotient(153)
    day = day_of_year - (shifted_month * 153 + 2).quotient(5) + 1
    is_late = shifted_month >= 10
    month = shifted_month + cg.choose(is_late, cg.lift(-9, I64), cg.lift(3, I64))
    year = year_of_era + era * _ERA_YEARS + is_late.to(I64) - _ERAS * _ERA_YEARS
    return Civil(year, month, day)


def days_of(cg: Function, year: Value, month: Value, day: Operand) -> Value:
    """The days since 1970 of a date."""
    is_early = month <= 2
    shifted_year = year - is_early.to(I64) + _ERAS * _ERA_YEARS
    era = shifted_year.quotient(_ERA_YEARS)
    year_of_era = shifted_year - era * _ERA_YEARS
    shifted_month = month + cg.choose(is_early, cg.lift(9, I64), cg.lift(-3, I64))
    day_of_year = (shifted_month * 153 + 2).quotient(5) + day - 1
    day_of_era = year_of_era * 365 + year_of_era.quotient(4) - year_of_era.quotient(100) + day_of_year
    return era * _ERA_DAYS + day_of_era - (_TO_MARCH_OF_0 + _ERAS * _ERA_DAYS)


def months_of(date: Civil) -> Value:
    """The months since January of the year 0."""
    return date.year * 12 + date.month - 1


def first_of_month(cg: Function, months: Value) -> Value:
    """The days since 1970 of the first of a month, counted from January of the year 0."""
    year = floor_quotient(months, 12)
    return days_of(cg, year, months - year * 12 + 1, 1)


def is_leap(year: Value) -> Value:
    return ((year & 3) == 0) & ((year.remainder(100) != 0) | (year.remainder(400) == 0))
