"""The fields of dates and times in SQL: what `EXTRACT` and its like read of them."""

from __future__ import annotations

from collections.abc import Callable

from lazyframe.planner.bind import call, choice
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError, did_you_mean
from lazyframe.planner.functions.intervals import INTERVAL_FIELDS
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Scalar, cast
from lazyframe.planner.sql.expressions.intervals import unit_name
from lazyframe.planner.sql.expressions.types import TIMESTAMP
from lazyframe.planner.sql.functions.conditional import guarded
from lazyframe.planner.types import (
    DATE,
    FLOAT64,
    INT64,
    STRING,
    is_duration,
    is_interval,
    is_null,
    is_time,
    is_timestamp,
    type_name,
)

Part = Callable[[Scalar], Scalar]


def _plus(a: Scalar, b: Scalar | int) -> Scalar:
    return call("add", a, b if isinstance(b, Scalar) else literal(b, INT64))


def _times(a: Scalar, n: int) -> Scalar:
    return call("multiply", a, literal(n, INT64))


def _integer(function: str) -> Part:
    return lambda value: cast(call(function, value), INT64)


def _days(value: Scalar) -> Scalar:
    """The days since 1970 of a date or timestamp."""
    return cast(cast(value, DATE), INT64)


def _nanos_of_day(value: Scalar) -> Scalar:
    t = value if is_time(value.dtype) else call("time", value)
    ticks = cast(t, INT64)
    return _times(ticks, {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}[t.dtype.unit])


def _nanos_of_minute(value: Scalar) -> Scalar:
    return call("truncated_modulo", _nanos_of_day(value), literal(60 * 10**9, INT64))


def seconds_of(value: Scalar) -> Scalar:
    """Seconds since 1970, of a time since midnight, of an interval in it; with a fraction."""
    t = value.dtype
    if is_interval(t):
        return call("interval_seconds", value)
    if is_time(t):
        return call("divide", cast(_nanos_of_day(value), FLOAT64), literal(1e9))
    if is_duration(t):
        return call("divide", cast(call("total_microseconds", value), FLOAT64), literal(1e6))
    if t == DATE:
        return cast(call("epoch", value), FLOAT64)
    unit = t.unit if is_timestamp(t) else "us"
    per_second = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[unit]
    return call("divide", cast(call("epoch", value, unit=unit), FLOAT64), literal(per_second))


def _millennium(value: Scalar) -> Scalar:
    return call("floor_divide", _plus(_integer("century")(value), 9), literal(10, INT64))


def _era(value: Scalar) -> Scalar:
    year = call("year", value)
    return guarded(year, choice([call("greater", year, literal(0))], [None, None], [literal(1), literal(0)]))


def _julian(value: Scalar) -> Scalar:
    """The Julian day, with the time of day as its fraction."""
    day = _plus(_days(value), 2_440_588)
    if not is_timestamp(value.dtype):
        return cast(day, FLOAT64)
    part = call("divide", cast(_nanos_of_day(value), FLOAT64), literal(86_400e9))
    return call("add", cast(day, FLOAT64), part)


def _year_and_week(value: Scalar) -> Scalar:
    return _plus(_times(_integer("iso_year")(value), 100), _integer("week")(value))


def _offset(divisor: int, rest: int | None = None) -> Part:
    """What the local time is ahead of UTC, in parts of seconds; 0 where there is no zone."""

    def part(value: Scalar) -> Scalar:
        if not is_timestamp(value.dtype) or value.dtype.tz is None:
            return _times(_integer("year")(value), 0)
        seconds = cast(call("utc_offset", value), INT64)
        if rest is not None:
            seconds = call("truncated_modulo", seconds, literal(rest, INT64))
        return call("truncated_divide", seconds, literal(divisor, INT64))

    return part


_PARTS: dict[str, Part] = {
    "era": _era, "millennium": _millennium, "century": _integer("century"), "decade": _integer("decade"),
    "year": _integer("year"), "isoyear": _integer("iso_year"), "quarter": _integer("quarter"), "month": _integer("month"),
    "week": _integer("week"), "yearweek": _year_and_week, "day": _integer("day"), "dayofyear": _integer("ordinal_day"),
    "dayofweek": _integer("day_of_week"), "isodow": _integer("weekday"), "julian": _julian, "epoch": seconds_of,
    "hour": _integer("hour"), "minute": _integer("minute"), "second": _integer("second"),
    "millisecond": _integer("milliseconds_of_minute"), "microsecond": _integer("microseconds_of_minute"),
    "nanosecond": _nanos_of_minute, "timezone": _offset(1), "timezone_hour": _offset(3600),
    "timezone_minute": _offset(60, 3600),
}  # fmt: skip
_CLOCK = frozenset({"hour", "minute", "second", "millisecond", "microsecond", "nanosecond"})
_PART_NAMES = {
    "doy": "dayofyear", "dow": "dayofweek", "weekday": "dayofweek", "dayofmonth": "day", "weekofyear": "week", "iso_year": "isoyear",
    "dayofweekiso": "isodow", "dayofweek_iso": "isodow", "isoweek": "week",
}  # fmt: skip


def part_of(name: str, value: Scalar) -> Scalar:
    """A field of a date, timestamp, time or interval, as an integer but for a few.

    Raises:
        InvalidArgumentError: where there is no such field.
        TypeMismatchError: where the value is no date or time.
    """
    lowered = name.lower()
    lowered = _PART_NAMES.get(lowered, lowered)
    if lowered not in _PARTS:
        try:
            lowered = unit_name(lowered)
        except InvalidArgumentError:
            raise InvalidArgumentError(
                f"dates and times have no field {lowered!r}", hint=did_you_mean(name.lower(), [*_PARTS, *_PART_NAMES])
            ) from None
    t = value.dtype
    if is_interval(t) and lowered != "epoch":
        if lowered not in INTERVAL_FIELDS:
            raise InvalidArgumentError(f"an interval has no field {name!r}")
        return call("interval_field", value, field=lowered)
    if is_duration(t) and lowered != "epoch":
        return _part_of_duration(lowered, value)
    if not (t == DATE or is_timestamp(t) or is_time(t) or is_interval(t) or is_duration(t) or is_null(t)):
        raise TypeMismatchError(
            f"{lowered} is a field of dates and times, not of {type_name(t)}",
            hint="write DATE '...' or TIMESTAMP '...'" if t == STRING else None,
        )
    if is_null(t) or (t == DATE and lowered in _CLOCK):
        value = cast(value, TIMESTAMP)
    if is_time(t) and lowered not in _CLOCK and lowered != "epoch":
        raise TypeMismatchError(f"{lowered} is a field of dates, not of {type_name(t)}")
    return _PARTS[lowered](value)


def _part_of_duration(name: str, value: Scalar) -> Scalar:
    """A difference of timestamps counts whole days, and the rest as hours."""
    if name not in ("day", "hour", "minute", "second", "millisecond", "microsecond"):
        raise InvalidArgumentError(
            f"a difference of timestamps has no field {name!r}", hint="there are days, hours and less"
        )
    days = call("total_days", value)
    if name == "day":
        return days
    nanos = call("subtract", call("total_nanoseconds", value), _times(days, 86_400 * 10**9))
    zero = literal(0)
    return call("interval_field", call("make_interval", zero, zero, nanos), field=name)
