"""Intervals in SQL: `INTERVAL '1 day 2 hours'`, `INTERVAL 3 MONTH`, `INTERVAL '1-2' YEAR TO MONTH`, `INTERVAL (x) DAY`."""

from __future__ import annotations

import re
from fractions import Fraction

import pyarrow as pa
from sqlglot import exp

from lazyframe.planner import arrow
from lazyframe.planner.bind import call
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError, UnsupportedError, did_you_mean
from lazyframe.planner.functions.spans import NO_SPAN, Span
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Literal, Scalar, cast, null_of
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.types import INT64, INTERVAL, STRING, is_integer, is_null, type_name

_DAY_NANOS = 86_400 * 10**9

_UNITS: dict[str, Span] = {
    "millennium": Span(12_000), "century": Span(1200), "decade": Span(120), "year": Span(12), "quarter": Span(3),
    "month": Span(1), "week": Span(days=7), "day": Span(days=1), "hour": Span(nanos=3600 * 10**9),
    "minute": Span(nanos=60 * 10**9), "second": Span(nanos=10**9), "millisecond": Span(nanos=10**6),
    "microsecond": Span(nanos=10**3), "nanosecond": Span(nanos=1),
}  # fmt: skip
_SPELLINGS = {
    "millennia": "millennium", "millenium": "millennium", "mil": "millennium", "centuries": "century", "cent": "century",
    "c": "century", "dec": "decade", "yr": "year", "y": "year", "qtr": "quarter", "mon": "month", "w": "week", "d": "day",
    "dayofmonth": "day", "hr": "hour", "h": "hour", "min": "minute", "m": "minute", "sec": "second", "s": "second",
    "msec": "millisecond", "ms": "millisecond", "usec": "microsecond", "us": "microsecond", "nsec": "nanosecond",
    "ns": "nanosecond",
}  # fmt: skip
_AMOUNT = re.compile(r"([+-]?\s*(?:\d+(?:\.\d*)?|\.\d+))\s*([A-Za-zµ]*)\s*,?\s*")
_CLOCK = re.compile(r"([+-]?)(\d+):(\d{1,2})(?::(\d{1,2}(?:\.\d+)?))?\s*")
_YEARS = re.compile(r"([+-]?)(\d+)-(\d{1,2})(?!\d)\s*")
_ISO = re.compile(
    r"(-?)P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)W)?(?:(-?\d+)D)?"
    r"(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+(?:\.\d+)?)S)?)?",
    re.IGNORECASE,
)


def unit_name(word: str) -> str:
    """The name of a unit of time, from its name, short form, singular or plural.

    Raises:
        InvalidArgumentError: where there is none.

    >>> unit_name("MINS")
    'minute'
    """
    lowered = word.lower()
    for spelling in (lowered, lowered.removesuffix("s")):
        if spelling in _UNITS:
            return spelling
        if spelling in _SPELLINGS:
            return _SPELLINGS[spelling]
    raise InvalidArgumentError(f"no unit of time named {lowered!r}", hint=did_you_mean(lowered, _UNITS))


def unit_span(word: str) -> Span:
    """One of a unit.

    Raises:
        InvalidArgumentError: where there is no such unit.
    """
    return _UNITS[unit_name(word)]


def parse_interval(text: str, first: str | None = None, last: str | None = None) -> Span:
    """Read an interval as PostgreSQL writes them, and ISO 8601 and the SQL standard.

    Args:
        text: what stands between the quotes.
        first: the unit behind it, if one is written.
        last: the unit behind TO.

    Raises:
        InvalidArgumentError: where it is no interval, or one of parts of years that are no months.

    >>> parse_interval("1 year -2 days 03:00:00"), parse_interval("1-2", "year", "month")
    (Span(months=12, days=-2, nanos=10800000000000), Span(months=14, days=0, nanos=0))
    """
    bare = text.strip().lstrip("@").strip()
    if (iso := _ISO.fullmatch(bare)) and bare[-1] not in "PpTt":
        return _of_iso(iso)
    backwards = bare.lower().endswith(" ago")
    bare = bare[:-4].strip() if backwards else bare
    total = [Fraction(0), Fraction(0), Fraction(0)]
    position = 0
    while position < len(bare):
        position = _read_part(bare, position, total, first, last)
        if position < 0:
            raise _no_interval(text)
    if not bare:
        raise _no_interval(text)
    return _whole([-part for part in total] if backwards else total, text)


def _no_interval(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"not an interval: {text!r}", hint="write it as '1 year 2 months', '3 days' or '04:05:06'"
    )


def _read_part(text: str, position: int, total: list[Fraction], first: str | None, last: str | None) -> int:
    """Add the part of an interval that stands there; where the next one begins, or -1 where there is none."""
    if m := _YEARS.match(text, position):
        sign = -1 if m[1] == "-" else 1
        total[0] += sign * (int(m[2]) * 12 + int(m[3]))
        return m.end()
    if m := _CLOCK.match(text, position):
        sign = -1 if m[1] == "-" else 1
        a, b, c = Fraction(m[2]), Fraction(m[3]), m[4]
        # Two numbers before SECOND are minutes and seconds.
        of_minutes = c is None and last is not None and unit_name(last) == "second"
        seconds = a * 60 + b if of_minutes else a * 3600 + b * 60 + Fraction(c or 0)
        total[2] += sign * seconds * 10**9
        return m.end()
    m = _AMOUNT.match(text, position)
    if m is None:
        return -1
    unit = m[2]
    if not unit:
        if _CLOCK.match(text, m.end()):
            unit = "day"
        elif position == 0 and m.end() == len(text):
            unit = last or first or "second"
        else:
            return -1
    elif first is not None:
        return -1
    span, amount = unit_span(unit), Fraction(m[1].replace(" ", ""))
    if span.months == 1:
        # A part of a month is one of 30 days.
        total[1] += (amount - int(amount)) * 30
        amount = Fraction(int(amount))
    for index, part in enumerate(span):
        total[index] += amount * part
    return m.end()


def _of_iso(m: re.Match[str]) -> Span:
    years, months, weeks, days, hours, minutes = (int(part or 0) for part in m.groups()[1:7])
    nanos = (hours * 3600 + minutes * 60 + Fraction(m[8] or 0)) * 10**9
    sign = -1 if m[1] else 1
    return Span(sign * (years * 12 + months), sign * (weeks * 7 + days), sign * int(nanos))


def _whole(total: list[Fraction], text: str) -> Span:
    months, days, nanos = total
    if months.denominator != 1:
        raise InvalidArgumentError(f"a part of a year is of whole months: {text!r}", hint="write months or days")
    whole_days = int(days)
    span = Span(int(months), whole_days, round(nanos + (days - whole_days) * _DAY_NANOS))
    if max(abs(span.months), abs(span.days)) >= 2**31 or abs(span.nanos) >= 2**63:
        raise InvalidArgumentError(f"the interval {text!r} is too long")
    return span


def interval_literal(span: Span) -> Literal:
    return Literal(arrow.scalar(pa.MonthDayNano(list(span)), INTERVAL))


def span_of(value: Scalar) -> Span | None:
    """The parts of a constant interval, or of a constant duration; None of other expressions."""
    if isinstance(value, Literal) and value.dtype == INTERVAL and value.value.is_valid:
        return Span(*value.value.as_py())
    return None


def spanning(amount: Scalar, unit: Span) -> Scalar:
    """So many of a unit as an interval.

    Args:
        amount: integers; of units shorter than a day also fractions.

    Raises:
        TypeMismatchError: where it is no such number.
    """
    if is_null(amount.dtype):
        return null_of(INTERVAL)
    if isinstance(amount, Literal) and is_integer(amount.dtype) and amount.value.is_valid:
        number = amount.value.as_py()
        span = Span(*[number * part for part in unit])
        if max(abs(span.months), abs(span.days)) < 2**31 and abs(span.nanos) < 2**63:
            return interval_literal(span)
    zero = literal(0)
    if is_integer(amount.dtype):
        whole = cast(amount, INT64)
        parts = [call("multiply", whole, literal(part, INT64)) if part not in (0, 1) else whole for part in unit]
        return call("make_interval", *[part if size else zero for part, size in zip(parts, unit, strict=True)])
    if not unit.nanos:
        raise TypeMismatchError(
            f"days and longer units are counted in whole numbers, not {type_name(amount.dtype)}",
            hint="cast it to BIGINT",
        )
    from lazyframe.planner.sql.expressions.casts import converted

    nanos = converted(call("multiply", amount, literal(unit.nanos)), INT64)
    return call("make_interval", zero, zero, nanos)


def _interval(e: Expressions, tree: exp.Interval) -> Scalar:
    first, last = _units(e, tree)
    value = tree.this
    if value is None:
        raise e.error(tree, InvalidArgumentError, "an interval of nothing", "write it as INTERVAL '1 day'")
    if isinstance(value, exp.Literal):
        return interval_literal(parse_interval(value.this, first, last))
    bound = e.bind(value)
    if last is not None:
        raise e.error(tree, UnsupportedError, f"an interval of {first} TO {last} is written as a constant")
    if bound.dtype == STRING and first is None:
        return cast(bound, INTERVAL)
    return spanning(bound, unit_span(first or "second"))


def _units(e: Expressions, tree: exp.Interval) -> tuple[str | None, str | None]:
    unit = tree.args.get("unit")
    if unit is None:
        return None, None
    if isinstance(unit, exp.IntervalSpan):
        return unit.this.name, unit.expression.name
    return unit.name, None


def _of_unit(name: str) -> Handler:
    """`to_days(n)` and its like."""
    unit = _UNITS[name]

    def bind(e: Expressions, tree: exp.Expr) -> Scalar:
        args = tree.expressions if isinstance(tree, exp.Anonymous) else [tree.this]
        if len(args) != 1:
            raise InvalidArgumentError(f"it takes the number of {name}s alone")
        return spanning(e.bind(args[0]), unit)

    return bind


_ARGUMENTS = ("year", "month", "week", "day", "hour", "minute", "second")


def _make_interval(e: Expressions, tree: exp.MakeInterval) -> Scalar:
    e.only(tree, *_ARGUMENTS)
    found: Scalar = interval_literal(NO_SPAN)
    for name in _ARGUMENTS:
        value = tree.args.get(name)
        if value is None:
            continue
        # What is written by name may stand under another argument's.
        unit, amount = (value.this.name, value.expression) if isinstance(value, exp.Kwarg) else (name, value)
        found = call("add", found, spanning(e.bind(amount), unit_span(unit)))
    return found


FORMS: dict[type | str, Handler] = {
    exp.Interval: _interval,
    exp.MakeInterval: _make_interval,
    exp.ToDays: _of_unit("day"),
    "to_days": _of_unit("day"),
    **{
        f"to_{plural}": _of_unit(name)
        for name, plural in (
            ("millennium", "millennia"), ("century", "centuries"), ("decade", "decades"), ("year", "years"),
            ("quarter", "quarters"), ("month", "months"), ("week", "weeks"), ("hour", "hours"), ("minute", "minutes"),
            ("second", "seconds"), ("millisecond", "milliseconds"), ("microsecond", "microseconds"),
        )
    },
}  # fmt: skip

__all__ = ["FORMS", "interval_literal", "parse_interval", "span_of", "spanning", "unit_name", "unit_span"]
