"""Functions of dates, times, timestamps and durations. Of a timestamp with a zone they speak of the local time there."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.functions.definition import Function, Options, Resolver, Signature, Types, by_name, fixed, same
from lazyframe.planner.functions.spans import parse_span, parse_unit, parse_window
from lazyframe.planner.functions.zones import check_zone
from lazyframe.planner.types import (
    BOOL,
    DATE,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    DataType,
    common_type,
    is_date,
    is_duration,
    is_integer,
    is_null,
    is_numeric,
    is_time,
    is_timestamp,
)

TIME = pa.time64("us")
MICROSECONDS = pa.timestamp("us")
_UNITS = ("s", "ms", "us", "ns")


def _is_day(t: DataType) -> bool:
    return is_date(t) or is_timestamp(t)


def _has_clock(t: DataType) -> bool:
    return is_time(t) or is_timestamp(t)


def _part(name: str, result: DataType, summary: str, *sql: str, clock: bool = False) -> Function:
    """A field of the calendar, or with `clock` of the time of day."""
    return Function(
        name=name, resolver=same(_has_clock if clock else _is_day, result), arity=(1, 1), sql=sql, summary=summary
    )


def _unit_of(options: Options, default: str = "us") -> str:
    unit = options.get("unit", default)
    if unit not in _UNITS:
        raise InvalidArgumentError(f"a time unit is one of 's', 'ms', 'us' and 'ns', not {unit!r}")
    return str(unit)


def _window(types: Types, options: Options) -> Signature | None:
    every = parse_window(options["every"])
    parse_span(options.get("offset", "0ns"))
    (t,) = types
    if is_date(t) and not every.is_calendar:
        raise InvalidArgumentError(
            f"dates have no windows of {options['every']!r}", hint="cast them to timestamps first"
        )
    return Signature(types, t) if _is_day(t) or is_null(t) else None


def _offset_by(types: Types, options: Options) -> Signature | None:
    by = parse_span(options["by"])
    (t,) = types
    if is_date(t) and not by.is_calendar:
        return Signature((MICROSECONDS,), MICROSECONDS)
    return Signature(types, t) if _is_day(t) or is_null(t) else None


def _month_edge(types: Types, options: Options) -> Signature | None:
    (t,) = types
    return Signature(types, t) if _is_day(t) or is_null(t) else None


def _strftime(types: Types, options: Options) -> Signature | None:
    t, text = types
    if text != STRING and not is_null(text):
        return None
    return Signature((DATE if is_null(t) else t, STRING), STRING) if _is_day(t) or is_time(t) or is_null(t) else None


def _epoch(types: Types, options: Options) -> Signature | None:
    unit = options.get("unit", "s")
    if unit not in (*_UNITS, "d"):
        raise InvalidArgumentError(f"an epoch is counted in 's', 'ms', 'us', 'ns' or 'd', not {unit!r}")
    return same(_is_day, INT64)(types, options)


def _from_epoch(types: Types, options: Options) -> Signature | None:
    zone = options.get("time_zone")
    if zone is not None:
        check_zone(zone)
    unit = _unit_of(options, "s")
    (t,) = types
    if not is_numeric(t) and not is_null(t):
        return None
    wanted = INT64 if is_integer(t) or is_null(t) else FLOAT64
    return Signature((wanted,), pa.timestamp(unit if wanted == INT64 and unit != "s" else "us", zone))


def _convert_zone(types: Types, options: Options) -> Signature | None:
    (t,) = types
    check_zone(options["time_zone"])
    return Signature(types, pa.timestamp(t.unit, options["time_zone"])) if is_timestamp(t) else None


_AMBIGUOUS, _NON_EXISTENT = ("raise", "earliest", "latest", "null"), ("raise", "earliest", "latest", "null")


def _replace_zone(types: Types, options: Options) -> Signature | None:
    (t,) = types
    zone = options["time_zone"]
    if zone is not None:
        check_zone(zone)
    for name, choices in (("ambiguous", _AMBIGUOUS), ("non_existent", _NON_EXISTENT)):
        if options.get(name, "raise") not in choices:
            raise InvalidArgumentError(f"{name} is one of {', '.join(choices)}, not {options[name]!r}")
    return Signature(types, pa.timestamp(t.unit, zone)) if is_timestamp(t) else None


def _zone_offset(types: Types, options: Options) -> Signature | None:
    (t,) = types
    return Signature(types, pa.duration("s")) if is_timestamp(t) and t.tz else None


def _combine(types: Types, options: Options) -> Signature | None:
    day, time = types
    if not (is_date(day) or is_null(day)) or not (is_time(time) or is_null(time)):
        return None
    zone = options.get("time_zone")
    if zone is not None:
        check_zone(zone)
    unit = time.unit if is_time(time) else "us"
    return Signature((DATE, time if is_time(time) else TIME), pa.timestamp(unit, zone))


def _date_difference(types: Types, options: Options) -> Signature | None:
    parse_unit(options["unit"])
    a, b = (DATE if is_null(t) else t for t in types)
    if not _is_day(a) or not _is_day(b):
        return None
    common = common_type(a, b)
    return None if common is None else Signature((common, common), INT64)


def _cast_unit(types: Types, options: Options) -> Signature | None:
    unit = _unit_of(options)
    (t,) = types
    if is_timestamp(t):
        return Signature(types, pa.timestamp(unit, t.tz))
    return Signature(types, pa.duration(unit)) if is_duration(t) else None


def _business(arguments: Types, result: DataType) -> Resolver:
    inner = fixed(arguments, result)

    def resolve(types: Types, options: Options) -> Signature | None:
        mask: Any = options.get("week_mask", (True,) * 5 + (False,) * 2)
        if len(mask) != 7 or not any(mask):
            raise InvalidArgumentError("week_mask is seven truth values, Monday first, not all of them false")
        if options.get("roll", "raise") not in ("raise", "forward", "backward"):
            raise InvalidArgumentError(f"roll is one of raise, forward and backward, not {options['roll']!r}")
        return inner(types, options)

    return resolve


def _make_timestamp(types: Types, options: Options) -> Signature | None:
    if options.get("time_zone") is not None:
        check_zone(options["time_zone"])
    return fixed((INT64,) * 5 + (FLOAT64,), pa.timestamp("us", options.get("time_zone")))(types, options)


def _total(name: str, unit: str) -> Function:
    return Function(
        name=name, resolver=same(is_duration, INT64), arity=(1, 1), total=unit in ("days", "hours", "minutes", "seconds"),
        summary=f"The duration in whole {unit}, without what is left over.",
    )  # fmt: skip


FUNCTIONS = by_name(
    _part("year", INT32, "The year.", "year"),
    _part("iso_year", INT32, "The year to which the ISO week belongs.", "isoyear"),
    _part("quarter", INT8, "The quarter, 1 to 4.", "quarter"),
    _part("month", INT8, "The month, 1 to 12.", "month"),
    _part("week", INT8, "The ISO week, 1 to 53.", "week", "weekofyear"),
    _part("weekday", INT8, "The day of the week, Monday 1 to Sunday 7.", "isodow"),
    _part("day_of_week", INT8, "SQL's day of the week, Sunday 0 to Saturday 6.", "dayofweek", "weekday", "dow"),
    _part("day", INT8, "The day of the month, 1 to 31.", "day", "dayofmonth"),
    _part("ordinal_day", INT16, "The day of the year, 1 to 366.", "dayofyear", "doy"),
    _part("days_in_month", INT8, "How many days the month has."),
    _part("decade", INT32, "The year divided by ten.", "decade"),
    _part("century", INT32, "The century: the years 2001 to 2100 are the 21st.", "century"),
    _part("is_leap_year", BOOL, "Whether the year has 366 days."),
    _part("day_name", STRING, "The English name of the day of the week.", "dayname"),
    _part("month_name", STRING, "The English name of the month.", "monthname"),
    _part("hour", INT8, "The hour, 0 to 23.", "hour", clock=True),
    _part("minute", INT8, "The minute, 0 to 59.", "minute", clock=True),
    _part("second", INT8, "The second, 0 to 59.", "second", clock=True),
    _part("millisecond", INT32, "The milliseconds since the last second.", clock=True),
    _part("microsecond", INT32, "The microseconds since the last second.", clock=True),
    _part("nanosecond", INT32, "The nanoseconds since the last second.", clock=True),
    _part("milliseconds_of_minute", INT32, "SQL's millisecond: those since the last minute.", "millisecond", "milliseconds", clock=True),
    _part("microseconds_of_minute", INT32, "SQL's microsecond: those since the last minute.", "microsecond", "microseconds", clock=True),
    _part("date", DATE, "The date, without the time of day."),
    Function(name="time", resolver=lambda types, options: Signature(types, pa.time64("ns" if types[0].unit == "ns" else "us")) if is_timestamp(types[0]) else None, arity=(1, 1), summary="The time of day, without the date."),
    Function(name="truncate", resolver=_window, arity=(1, 1), total=False, summary="The start of the window of the width `every` (moved by `offset`) that holds the value, in local time."),
    Function(name="round_time", resolver=_window, arity=(1, 1), total=False, summary="The nearest start of a window of the width `every`; the later one halfway."),
    Function(name="offset_by", resolver=_offset_by, arity=(1, 1), total=False, summary="Moved by the span `by`: months keep the day or take the month's last, days and months keep the local time of day."),
    Function(name="month_start", resolver=_month_edge, arity=(1, 1), total=False, summary="The first day of the month, at the same time of day."),
    Function(name="month_end", resolver=_month_edge, arity=(1, 1), total=False, summary="The last day of the month, at the same time of day."),
    _part("last_day", DATE, "The last day of the month, as a date.", "last_day"),
    Function(name="strftime", resolver=_strftime, arity=(2, 2), total=False, sql=("strftime",), summary="Written in a format of C's directives; %f is microseconds, %3f milliseconds."),
    Function(name="epoch", resolver=_epoch, arity=(1, 1), total=False, summary="How many of the option `unit` ('s', 'ms', 'us', 'ns' or 'd') have passed since 1970 began in UTC, rounded down."),
    Function(name="from_epoch", resolver=_from_epoch, arity=(1, 1), total=False, summary="The timestamp so many of the option `unit` after 1970 began in UTC."),
    Function(name="convert_time_zone", resolver=_convert_zone, arity=(1, 1), summary="The same instant in another zone; a timestamp without a zone is taken as UTC."),
    Function(name="replace_time_zone", resolver=_replace_zone, arity=(1, 1), nulls="maybe", total=False, summary="The same local time in another zone, or in none."),
    Function(name="utc_offset", resolver=_zone_offset, arity=(1, 1), summary="How far the local time is ahead of UTC."),
    Function(name="combine", resolver=_combine, arity=(2, 2), total=False, summary="The timestamp of a date and a time of day."),
    Function(name="make_date", resolver=fixed((INT64,) * 3, DATE), arity=(3, 3), total=False, sql=("make_date",), summary="The date of a year, month and day."),
    Function(name="make_time", resolver=fixed((INT64, INT64, FLOAT64), TIME), arity=(3, 3), total=False, sql=("make_time",), summary="The time of an hour, minute and second, which may have a fraction."),
    Function(name="make_timestamp", resolver=_make_timestamp, arity=(6, 6), total=False, sql=("make_timestamp",), summary="The timestamp of a year, month, day, hour, minute and second, which may have a fraction."),
    Function(name="date_diff", resolver=_date_difference, arity=(2, 2), total=False, summary="How many starts of the option `unit` lie after the first and up to the second: from 31 December to 1 January it is one year."),
    Function(name="date_sub", resolver=_date_difference, arity=(2, 2), total=False, summary="How many whole spans of the option `unit` lie between the first and the second."),
    Function(name="cast_time_unit", resolver=_cast_unit, arity=(1, 1), total=False, summary="In the time unit of the option `unit`; what is finer is cut off."),
    Function(name="add_business_days", resolver=_business((DATE, INT64), DATE), arity=(2, 2), total=False, summary="The date so many business days later. What a start on a day off means is the option `roll`: 'raise', 'forward' or 'backward'."),
    Function(name="business_day_count", resolver=_business((DATE, DATE), INT64), arity=(2, 2), summary="How many business days lie from the first date up to before the second."),
    Function(name="is_business_day", resolver=_business((DATE,), BOOL), arity=(1, 1), summary="Whether the date is a business day."),
    _total("total_days", "days"),
    _total("total_hours", "hours"),
    _total("total_minutes", "minutes"),
    _total("total_seconds", "seconds"),
    _total("total_milliseconds", "milliseconds"),
    _total("total_microseconds", "microseconds"),
    _total("total_nanoseconds", "nanoseconds"),
)  # fmt: skip
