"""Functions of dates, times and durations.

A timestamp with a zone speaks of local time: its argument is brought to that first, by AT TIME ZONE.
"""

from __future__ import annotations

from collections.abc import Callable

from lazyframe.planner.functions.spans import Span, parse_span, parse_unit, parse_window
from lazyframe.planner.scalars import Call
from lazyframe.planner.sql.writing.functions.form import Form, option, refuse
from lazyframe.planner.sql.writing.literals import interval
from lazyframe.planner.sql.writing.templates import quoted
from lazyframe.planner.sql.writing.types import type_text
from lazyframe.planner.types import is_date, is_timestamp

_UNITS = {
    "ns": "NANOSECOND", "us": "MICROSECOND", "ms": "MILLISECOND", "s": "SECOND", "m": "MINUTE", "h": "HOUR", "d": "DAY",
    "w": "WEEK", "mo": "MONTH", "q": "QUARTER", "y": "YEAR",
}  # fmt: skip

_HOUR = 3600 * 10**9
_NANOS = {10**3: "MICROSECOND", 10**6: "MILLISECOND", 10**9: "SECOND", 60 * 10**9: "MINUTE", 3600 * 10**9: "HOUR"}


def _local(call: Call, position: int = 0) -> str:
    """The argument as local time."""
    letter, dtype = "ab"[position], call.args[position].dtype
    if is_timestamp(dtype) and dtype.tz is not None:
        return f"({letter} AT TIME ZONE {quoted(dtype.tz)})"
    return letter


def _part(form: str) -> Form:
    """A form of local time, which it calls `t`."""
    return lambda call: form.replace("{t}", _local(call))


def _back(call: Call, form: str) -> str:
    """What was computed in local time, as the result is wanted."""
    dtype = call.dtype
    if is_date(dtype):
        return f"CAST({form} AS DATE)"
    return f"({form}) AT TIME ZONE {quoted(dtype.tz)}" if is_timestamp(dtype) and dtype.tz is not None else form


def _span(span: Span) -> str:
    return interval(*span).sql("duckdb")


def _truncated(call: Call, value: str, every: Span) -> str:
    months, days, nanoseconds = every
    unit = (
        {1: "MONTH", 3: "QUARTER", 12: "YEAR"}.get(months) or {1: "DAY", 7: "WEEK"}.get(days) or _NANOS.get(nanoseconds)
    )
    if unit is not None:
        return f"DATE_TRUNC('{unit}', {value})"
    origin = "1970-01-05" if days and days % 7 == 0 else _month_origin(months) if months else "1970-01-01"
    value = f"CAST({value} AS TIMESTAMP)" if is_date(call.args[0].dtype) else value
    return f"TIME_BUCKET({_span(every)}, {value}, CAST('{origin}' AS TIMESTAMP))"


def _month_origin(months: int) -> str:
    """A start of windows of months, which are counted from the year 0, not long ago."""
    start = -(-1970 * 12 // months) * months
    return f"{start // 12:04d}-{start % 12 + 1:02d}-01"


def _truncate(call: Call) -> str:
    every, offset = parse_window(option(call, "every")), parse_span(option(call, "offset", "0ns"))
    local, zoned = _local(call), _local(call) != "a"
    if zoned and 0 < every.nanos <= _HOUR and not any(offset):
        # So far back on the clock is as far back in time, also in an hour that the clock shows twice.
        return f"a - ({local} - {_truncated(call, local, every)})"
    if not any(offset):
        return _back(call, _truncated(call, local, every))
    moved = _truncated(call, f"({_local(call)} - {_span(offset)})", every)
    return _back(call, f"{moved} + {_span(offset)}")


def _offset_by(call: Call) -> str:
    months, days, nanoseconds = parse_span(option(call, "by"))
    if _local(call) == "a":
        return _back(call, f"a + {_span(Span(months, days, nanoseconds))}")
    # Days and months keep the local time; hours and less are time that passes.
    moved = _back(call, f"{_local(call)} + {_span(Span(months, days))}") if months or days else "a"
    return f"({moved}) + {_span(Span(nanos=nanoseconds))}" if nanoseconds else moved


def _month_edge(day: str, moment: str) -> Form:
    def form(call: Call) -> str:
        return day if is_date(call.dtype) else _back(call, moment.replace("{t}", _local(call)))

    return form


def _epoch(call: Call) -> str:
    unit = _UNITS[option(call, "unit", "s")]
    # Of an instant, whatever its zone.
    origin = "1970-01-01 00:00:00"
    dtype = call.args[0].dtype
    value = "a" if is_timestamp(dtype) and dtype.tz is None else "CAST(a AS TIMESTAMP)"
    if is_timestamp(dtype) and dtype.tz is not None:
        value = "(a AT TIME ZONE 'UTC')"
    return f"DATE_DIFF('{unit}', CAST('{origin}' AS TIMESTAMP), {value})"


def _from_epoch(call: Call) -> str:
    unit, zone = option(call, "unit", "s"), option(call, "time_zone")
    if unit == "ns":
        raise refuse(call, "of nanoseconds")
    moment = f"CAST('1970-01-01 00:00:00' AS TIMESTAMP) + TO_{_UNITS[unit]}S(a)"
    return moment if zone is None else f"({moment}) AT TIME ZONE 'UTC'"


def _convert_zone(call: Call) -> str:
    """The same instant; the zone shows only in what is computed of its local time."""
    return "a" if call.args[0].dtype.tz is not None else "a AT TIME ZONE 'UTC'"


def _replace_zone(call: Call) -> str:
    # AT TIME ZONE takes the later of two moments that clocks show.
    for name, written in (("ambiguous", ("raise", "latest")), ("non_existent", ("raise",))):
        if option(call, name, "raise") not in written:
            raise refuse(call, f"with {name}={option(call, name)!r}")
    zone = option(call, "time_zone")
    return _local(call) if zone is None else f"{_local(call)} AT TIME ZONE {quoted(zone)}"


def _combine(call: Call) -> str:
    return _back(call, "a + b")


def _make_timestamp(call: Call) -> str:
    return _back(call, "MAKE_TIMESTAMP(a, b, c, d, e, f)")


def _difference(name: str) -> Form:
    def form(call: Call) -> str:
        unit = _UNITS[parse_unit(option(call, "unit"))]
        if unit == "WEEK" and name == "DATE_DIFF":
            # Mondays are counted; DuckDB counts spans of seven days.
            mondays = [f"DATE_TRUNC('WEEK', {_local(call, position)})" for position in (0, 1)]
            return f"DATE_DIFF('DAY', {', '.join(mondays)}) // 7"
        return f"{name}('{unit}', {_local(call)}, {_local(call, 1)})"

    return form


def _cast_unit(call: Call) -> str:
    units = ("s", "ms", "us", "ns")
    before, after = call.args[0].dtype, call.dtype
    if units.index(after.unit) >= units.index(before.unit):
        return f"CAST(a AS {type_text(after)})" if is_timestamp(after) and after.tz is None else "a"
    if not is_timestamp(after):
        raise refuse(call, "of durations")
    return _back(call, f"DATE_TRUNC('{_UNITS[after.unit]}', {_local(call)})")


def _business_day(call: Call) -> str:
    if (
        option(call, "holidays")
        or tuple(option(call, "week_mask", (True,) * 5 + (False,) * 2)) != (True,) * 5 + (False,) * 2
    ):
        raise refuse(call, "with holidays or another week")
    return "ISODOW(a) <= 5"


def _total(microseconds: int) -> Form:
    """Whole units; SQL's // rounds toward zero, as we do here."""
    return "EPOCH_US(a)" if microseconds == 1 else f"EPOCH_US(a) // {microseconds}"


def _strftime(call: Call) -> str:
    value = _local(call)
    if not is_date(call.args[0].dtype) and not is_timestamp(call.args[0].dtype):
        raise refuse(call, "of times of day")
    return f"STRFTIME({value}, b)"


def _fraction_of_unit(name: str, of_second: int) -> Callable[[Call], str]:
    return lambda call: f"{name}({_local(call)}) % {of_second}"


FORMS: dict[str, Form] = {
    "year": _part("YEAR({t})"),
    "iso_year": _part("ISOYEAR({t})"),
    "quarter": _part("QUARTER({t})"),
    "month": _part("MONTH({t})"),
    "week": _part("WEEK({t})"),
    "weekday": _part("ISODOW({t})"),
    "day_of_week": _part("DAYOFWEEK({t})"),
    "day": _part("DAY({t})"),
    "ordinal_day": _part("DAYOFYEAR({t})"),
    "days_in_month": _part("DAY(LAST_DAY({t}))"),
    "decade": _part("DECADE({t})"),
    "century": _part("CENTURY({t})"),
    "is_leap_year": _part("YEAR({t}) % 4 = 0 AND (YEAR({t}) % 100 <> 0 OR YEAR({t}) % 400 = 0)"),
    "day_name": _part("DAYNAME({t})"),
    "month_name": _part("MONTHNAME({t})"),
    "hour": _part("HOUR({t})"),
    "minute": _part("MINUTE({t})"),
    "second": _part("SECOND({t})"),
    "millisecond": _fraction_of_unit("MILLISECOND", 1_000),
    "microsecond": _fraction_of_unit("MICROSECOND", 1_000_000),
    "nanosecond": _fraction_of_unit("NANOSECOND", 1_000_000_000),
    "milliseconds_of_minute": _part("MILLISECOND({t})"),
    "microseconds_of_minute": _part("MICROSECOND({t})"),
    "date": _part("CAST({t} AS DATE)"),
    "time": _part("CAST({t} AS TIME)"),
    "truncate": _truncate,
    "offset_by": _offset_by,
    "month_start": _month_edge("CAST(DATE_TRUNC('MONTH', a) AS DATE)", "{t} - TO_DAYS(CAST(DAY({t}) - 1 AS INTEGER))"),
    "month_end": _month_edge("LAST_DAY(a)", "{t} + TO_DAYS(CAST(DAY(LAST_DAY({t})) - DAY({t}) AS INTEGER))"),
    "last_day": _part("LAST_DAY({t})"),
    "strftime": _strftime,
    "epoch": _epoch,
    "from_epoch": _from_epoch,
    "convert_time_zone": _convert_zone,
    "replace_time_zone": _replace_zone,
    "utc_offset": lambda call: f"{_local(call)} - (a AT TIME ZONE 'UTC')",
    "combine": _combine,
    "make_timestamp": _make_timestamp,
    "date_diff": _difference("DATE_DIFF"),
    "date_sub": _difference("DATE_SUB"),
    "cast_time_unit": _cast_unit,
    "is_business_day": _business_day,
    "total_days": _total(86_400_000_000),
    "total_hours": _total(3_600_000_000),
    "total_minutes": _total(60_000_000),
    "total_seconds": _total(1_000_000),
    "total_milliseconds": _total(1_000),
    "total_microseconds": _total(1),
    "total_nanoseconds": "EPOCH_US(a) * 1000",
    "make_interval": ("TO_MONTHS(CAST(a AS INTEGER)) + TO_DAYS(CAST(b AS INTEGER)) + TO_MICROSECONDS(c // 1000)"),
    "scale_interval": "a * b",
    "interval_field": lambda call: f"DATE_PART('{option(call, 'field')}', a)",
    "interval_seconds": "EPOCH(a)",
    # Lengths stand in comparisons alone, and SQL compares intervals by their length.
    "interval_length": "a",
    "now": "NOW()",
}

REFUSED: dict[str, str] = {
    "round_time": "has no counterpart",
    "interval_nanos_of_day": "has no counterpart",
    "add_business_days": "has no counterpart",
    "business_day_count": "has no counterpart",
}
