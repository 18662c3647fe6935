"""SQL's functions of dates and times: their windows and differences. Fields stand in `date_parts`, texts in `formats`."""

from __future__ import annotations

import pyarrow as pa
from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError, UnsupportedError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Scalar, cast
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.expressions.casts import converted
from lazyframe.planner.sql.expressions.intervals import (
    interval_literal,
    parse_interval,
    spanning,
    unit_name,
    unit_span,
)
from lazyframe.planner.sql.expressions.types import INSTANT, TIMESTAMP
from lazyframe.planner.sql.functions.arguments import arguments
from lazyframe.planner.sql.functions.conditional import guarded
from lazyframe.planner.sql.functions.date_parts import part_of, seconds_of
from lazyframe.planner.types import (
    DATE,
    INT64,
    STRING,
    is_duration,
    is_interval,
    is_null,
    is_time,
    is_timestamp,
    type_name,
)


def _extract(e: Expressions, tree: exp.Extract) -> Scalar:
    e.only(tree, "this", "expression")
    return part_of(tree.this.name, e.bind(tree.expression))


def _date_part(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`date_part('year', x)`, or of a list of names a struct."""
    names, value = arguments(tree, 2)
    if isinstance(names, exp.Array):
        found = [e.constant(name, "the name of a field", str) for name in names.expressions]
        subject = e.bind(value)
        parts = call("make_struct", *[part_of(name, subject) for name in found], names=tuple(found))
        return guarded(subject, parts)
    return part_of(e.constant(names, "the name of a field", str), e.bind(value))


def _part(name: str) -> Handler:
    def bind(e: Expressions, tree: exp.Expression) -> Scalar:
        (arg,) = arguments(tree, 1) if isinstance(tree, exp.Anonymous) else [tree.this]
        return part_of(name, e.bind(arg))

    return bind


_SPANS = {
    "millennium": "1000y", "century": "100y", "decade": "10y", "year": "1y", "quarter": "1q", "month": "1mo", "week": "1w",
    "day": "1d", "hour": "1h", "minute": "1m", "second": "1s", "millisecond": "1ms", "microsecond": "1us",
}  # fmt: skip


def _truncated(value: Scalar, unit: str) -> Scalar:
    """The start of the window of a unit, in local time, as a timestamp."""
    t = value.dtype
    name = unit_name(unit)
    if name not in _SPANS:
        raise UnsupportedError(f"truncation to {name}s is not supported")
    if is_null(t) or t == DATE:
        value = cast(value, TIMESTAMP)
    elif not is_timestamp(t):
        hint = "write DATE '...' or TIMESTAMP '...'" if t == STRING else None
        raise TypeMismatchError(f"only dates and timestamps are truncated, not {type_name(t)}", hint=hint)
    return call("truncate", value, every=_SPANS[name])


def _date_trunc(e: Expressions, tree: exp.Expression) -> Scalar:
    if isinstance(tree, exp.Anonymous):
        written_unit, written = arguments(tree, 2)
        return _truncated(e.bind(written), e.constant(written_unit, "the unit", str))
    e.only(tree, "this", "unit", "zone", "input_type_preserved")
    value = e.bind(tree.this)
    unit = tree.args["unit"]
    if not isinstance(unit, (exp.Var, exp.Literal, exp.WeekStart, exp.Identifier, exp.Column)):
        raise e.error(unit, InvalidArgumentError, "the unit must be a constant", "choose between truncations by CASE")
    if isinstance(unit, exp.WeekStart):
        raise e.error(tree, UnsupportedError, "weeks begin on Monday here")
    zone = tree.args.get("zone")
    return _truncated(value, unit.name) if zone is None else _truncated_in(e, value, unit.name, zone)


def _date_trunc_in(e: Expressions, tree: exp.Anonymous) -> Scalar:
    unit, value, zone = arguments(tree, 3)
    return _truncated_in(e, e.bind(value), e.constant(unit, "the unit", str), zone)


def _truncated_in(e: Expressions, value: Scalar, unit: str, zone: exp.Expression) -> Scalar:
    """The start of a window in the local time of a zone, as an instant."""
    name = e.constant(zone, "the time zone", str)
    if not is_timestamp(value.dtype) or value.dtype.tz is None:
        raise e.error(zone, TypeMismatchError, "a time zone goes with timestamps that have one")
    return cast(_truncated(call("convert_time_zone", value, time_zone=name), unit), value.dtype)


def _last_day(e: Expressions, tree: exp.LastDay) -> Scalar:
    e.only(tree, "this")
    return e.apply("last_day", tree.this)


def _difference(function: str, e: Expressions, unit: str, start: Scalar, end: Scalar) -> Scalar:
    name = _unit_of_difference(unit)
    if function == "date_diff" and name == "week":
        # Seven days, wherever a week begins.
        return call("truncated_divide", call("date_diff", start, end, unit="day"), literal(7))
    return call(function, start, end, unit=name)


def _unit_of_difference(word: str) -> str:
    name = unit_name(word)
    if name in ("decade", "century", "millennium"):
        raise UnsupportedError(f"differences in units of a {name} are not supported", hint="count years")
    return name


def _date_diff(e: Expressions, tree: exp.Expression) -> Scalar:
    """How many starts of the unit lie between, or of weeks how many whole ones; sqlglot has the later one first."""
    e.only(tree, "this", "expression", "unit", "date_part_boundary", "big_int")
    unit = tree.args.get("unit")
    start, end = e.bind(tree.expression), e.bind(tree.this)
    return _difference("date_diff", e, "day" if unit is None else unit.name, start, end)


def _date_sub(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """`date_sub('day', a, b)` counts whole days; `date_sub(a, INTERVAL 1 DAY)` goes back."""
    args = arguments(tree, 2, 3)
    if len(args) == 2:
        return moved(e.bind(args[0]), e.bind(args[1]), backwards=True)
    unit = e.constant(args[0], "the unit", str)
    return _difference("date_sub", e, unit, e.bind(args[1]), e.bind(args[2]))


def _date_diff_by_name(e: Expressions, tree: exp.Anonymous) -> Scalar:
    args = arguments(tree, 3)
    unit = e.constant(args[0], "the unit", str)
    return _difference("date_diff", e, unit, e.bind(args[1]), e.bind(args[2]))


def moved(value: Scalar, by: Scalar, *, backwards: bool = False) -> Scalar:
    """A date or timestamp moved by an interval, or by a number of days.

    A date moved by months and days stays a date where that is known, else it becomes a timestamp.
    """
    from lazyframe.planner.bind import applied

    if pa.types.is_integer(by.dtype):
        by = spanning(by, unit_span("day"))
        if value.dtype == DATE:
            return call("subtract" if backwards else "add", value, by)
    return applied("subtract" if backwards else "add", [None, None], [value, by], {})


def _shifted(*, backwards: bool) -> Handler:
    def bind(e: Expressions, tree: exp.Expression) -> Scalar:
        e.only(tree, "this", "expression", "unit")
        value, amount, unit = e.bind(tree.this), tree.expression, tree.args.get("unit")
        if isinstance(amount, exp.Literal) and amount.is_string and unit is not None:
            # sqlglot has taken an interval apart, whose number it writes as a text.
            by: Scalar = interval_literal(parse_interval(amount.this, unit.name))
        else:
            by = e.bind(amount)
        if not is_interval(by.dtype) and unit is not None:
            by = spanning(by, unit_span(unit.name))
        return moved(value, by, backwards=backwards)

    return bind


def _add_months(e: Expressions, tree: exp.AddMonths) -> Scalar:
    e.only(tree, "this", "expression")
    return moved(e.bind(tree.this), spanning(e.bind(tree.expression), unit_span("month")))


def _make_date(e: Expressions, tree: exp.Expression) -> Scalar:
    """Of year, month and day, or of a count of days since 1970."""
    if isinstance(tree, exp.Anonymous):
        args = arguments(tree, 1, 3)
    else:
        e.only(tree, "year", "month", "day")
        args = [part for key in ("year", "month", "day") if (part := tree.args.get(key)) is not None]
    if len(args) == 1:
        days = e.bind(args[0])
        if not pa.types.is_integer(days.dtype) and not is_null(days.dtype):
            raise e.error(
                args[0], TypeMismatchError, f"days are counted in whole numbers, not in {type_name(days.dtype)}"
            )
        return converted(cast(days, INT64), DATE)
    if len(args) != 3:
        raise InvalidArgumentError("make_date() takes a year, a month and a day")
    return call("make_date", *[e.bind(arg) for arg in args])


def _make_time(e: Expressions, tree: exp.TimeFromParts) -> Scalar:
    e.only(tree, "hour", "min", "sec")
    return call("make_time", *[e.bind(tree.args[key]) for key in ("hour", "min", "sec")])


def _make_timestamp(e: Expressions, tree: exp.TimestampFromParts) -> Scalar:
    keys = ("year", "month", "day", "hour", "min", "sec")
    e.only(tree, *keys)
    if any(tree.args.get(key) is None for key in keys):
        raise InvalidArgumentError("make_timestamp() takes year, month, day, hour, minute and second")
    return call("make_timestamp", *[e.bind(tree.args[key]) for key in keys])


def _make_instant(e: Expressions, tree: exp.Anonymous) -> Scalar:
    given = arguments(tree, 6, 7)
    parts, zone = given[:6], given[6] if len(given) > 6 else None
    name = "UTC" if zone is None else e.constant(zone, "the time zone", str)
    made = call("make_timestamp", *[e.bind(part) for part in parts], time_zone=name)
    return cast(made, INSTANT)


_TICKS = {0: "s", 3: "ms", 6: "us", 9: "ns"}


def _from_unix(e: Expressions, tree: exp.UnixToTime) -> Scalar:
    """`to_timestamp(seconds)` gives an instant, `epoch_ms(n)` and `make_timestamp(n)` plain timestamps."""
    e.only(tree, "this", "scale")
    value = e.bind(tree.this)
    scale = tree.args.get("scale")
    if scale is None:
        if value.dtype == STRING:
            return converted(value, TIMESTAMP)
        if value.dtype == DATE or is_timestamp(value.dtype):
            return converted(value, TIMESTAMP)
        return cast(call("from_epoch", value, unit="s", time_zone="UTC"), INSTANT)
    if isinstance(scale, exp.Literal) and scale.is_string:
        from lazyframe.planner.sql.functions.formats import parsed_by

        return parsed_by(e, tree.this, scale)
    unit = _TICKS.get(e.constant(scale, "the scale", int))
    if unit is None:
        raise e.error(scale, UnsupportedError, "timestamps are counted in s, ms, us or ns")
    if value.dtype == DATE or is_timestamp(value.dtype):
        return call("epoch", value, unit=unit)
    return _from_ticks(value, unit)


def _from_ticks(value: Scalar, unit: str) -> Scalar:
    """The timestamp so many ticks after 1970, in microseconds but for nanoseconds."""
    found = call("from_epoch", value, unit=unit)
    wanted = pa.timestamp("ns") if unit == "ns" else TIMESTAMP
    return cast(found, wanted)


def _to_unit(unit: str) -> Handler:
    """`to_timestamp_millis(x)`: of a count of the unit, of text, or of another timestamp."""

    def bind(e: Expressions, tree: exp.Anonymous) -> Scalar:
        value = e.bind(arguments(tree, 1)[0])
        target = pa.timestamp(unit)
        if value.dtype in (STRING, DATE) or is_timestamp(value.dtype):
            return converted(value, target)
        return cast(call("from_epoch", value, unit=unit), target)

    return bind


def _epoch(unit: str) -> Handler:
    """`epoch_us(x)`: of a date or timestamp its count of the unit, of a count the timestamp."""

    def bind(e: Expressions, tree: exp.Anonymous) -> Scalar:
        value = e.bind(arguments(tree, 1)[0])
        if pa.types.is_integer(value.dtype):
            return _from_ticks(value, unit)
        if is_interval(value.dtype) or is_time(value.dtype) or is_duration(value.dtype):
            ticks = call("multiply", seconds_of(value), literal(float({"ms": 10**3, "us": 10**6, "ns": 10**9}[unit])))
            return converted(ticks, INT64)
        return call("epoch", cast(value, TIMESTAMP) if is_null(value.dtype) else value, unit=unit)

    return bind


def _make_ticks(unit: str) -> Handler:
    return lambda e, tree: _from_ticks(e.bind(arguments(tree, 1)[0]), unit)


def _age(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """Of one argument up to the day that begins today."""
    args = [e.bind(arg) for arg in arguments(tree, 1, 2)]
    args = [cast(arg, TIMESTAMP) if is_null(arg.dtype) else arg for arg in args]
    if len(args) == 1:
        args.insert(0, converted(cast(call("now"), DATE), args[0].dtype))
    if any(part.dtype == STRING for part in args):
        raise TypeMismatchError("age() is of timestamps", hint="write TIMESTAMP '...'")
    return call("age", *args)


def _at_zone(e: Expressions, tree: exp.AtTimeZone) -> Scalar:
    return at_zone(e, tree.this, tree.args["zone"])


def at_zone(e: Expressions, value: exp.Expression, zone: exp.Expression) -> Scalar:
    """`x AT TIME ZONE z`: of a timestamp without zone the instant at which clocks in z show it, of an instant what they show."""
    name = e.constant(zone, "the time zone", str)
    moment = e.bind(value)
    if moment.dtype == DATE or is_null(moment.dtype):
        moment = cast(moment, TIMESTAMP)
    if not is_timestamp(moment.dtype):
        raise e.error(
            value, TypeMismatchError, f"only timestamps are moved to a time zone, not {type_name(moment.dtype)}"
        )
    if moment.dtype.tz is None:
        placed = call("replace_time_zone", moment, time_zone=name, ambiguous="latest")
        return cast(placed, pa.timestamp(moment.dtype.unit, "UTC"))
    return call("replace_time_zone", call("convert_time_zone", moment, time_zone=name), time_zone=None)


def _timezone(e: Expressions, tree: exp.Anonymous) -> Scalar:
    args = arguments(tree, 1, 2)
    return part_of("timezone", e.bind(args[0])) if len(args) == 1 else at_zone(e, args[1], args[0])


def _ago(e: Expressions, tree: exp.Anonymous) -> Scalar:
    return moved(call("now"), e.bind(arguments(tree, 1)[0]), backwards=True)


def _days_in_month(e: Expressions, tree: exp.Anonymous) -> Scalar:
    return cast(call("days_in_month", e.bind(arguments(tree, 1)[0])), INT64)


def _date(e: Expressions, tree: exp.Date) -> Scalar:
    e.only(tree, "this")
    return converted(e.bind(tree.this), DATE)


def _datetime_of(target: pa.DataType) -> Handler:
    def bind(e: Expressions, tree: exp.Expression) -> Scalar:
        e.only(tree, "this")
        return converted(e.bind(tree.this), target)

    return bind


def _today(e: Expressions, tree: exp.Expression) -> Scalar:
    if not isinstance(tree, exp.Anonymous):
        e.only(tree)
    return cast(call("now"), DATE)


def _now(e: Expressions, tree: exp.Expression) -> Scalar:
    if not isinstance(tree, exp.Anonymous):
        e.only(tree)
    return call("now")


def _local_now(e: Expressions, tree: exp.Expression) -> Scalar:
    e.only(tree)
    return cast(call("now"), TIMESTAMP)


def _time_now(e: Expressions, tree: exp.Expression) -> Scalar:
    e.only(tree)
    return cast(call("now"), pa.time64("us"))


FORMS: dict[type | str, Handler] = {
    exp.AddMonths: _add_months,
    exp.AtTimeZone: _at_zone,
    exp.CurrentDate: _today,
    exp.CurrentTime: _time_now,
    exp.CurrentTimestamp: _now,
    exp.Date: _date,
    exp.DateAdd: _shifted(backwards=False),
    exp.DateDiff: _date_diff,
    exp.DateFromParts: _make_date,
    exp.DateSub: _shifted(backwards=True),
    exp.DateTrunc: _date_trunc,
    exp.DatetimeAdd: _shifted(backwards=False),
    exp.DatetimeDiff: _date_diff,
    exp.DatetimeSub: _shifted(backwards=True),
    exp.Day: _part("day"),
    exp.DayOfMonth: _part("day"),
    exp.DayOfWeek: _part("dayofweek"),
    exp.DayOfWeekIso: _part("isodow"),
    exp.DayOfYear: _part("dayofyear"),
    exp.Extract: _extract,
    exp.Hour: _part("hour"),
    exp.LastDay: _last_day,
    exp.Localtime: _time_now,
    exp.Localtimestamp: _local_now,
    exp.Minute: _part("minute"),
    exp.Month: _part("month"),
    exp.Quarter: _part("quarter"),
    exp.Second: _part("second"),
    exp.TimeFromParts: _make_time,
    exp.TimestampAdd: _shifted(backwards=False),
    exp.TimestampDiff: _date_diff,
    exp.TimestampFromParts: _make_timestamp,
    exp.TimestampSub: _shifted(backwards=True),
    exp.TimestampTrunc: _date_trunc,
    exp.TimeToUnix: _part("epoch"),
    exp.TsOrDsToDate: _date,
    exp.TsOrDsToTimestamp: _datetime_of(TIMESTAMP),
    exp.UnixToTime: _from_unix,
    exp.Week: _part("week"),
    exp.WeekOfYear: _part("week"),
    exp.Year: _part("year"),
    "age": _age,
    "ago": _ago,
    "date_diff": _date_diff_by_name,
    "date_part": _date_part,
    "date_sub": _date_sub,
    "date_trunc/3": _date_trunc_in,
    "datediff": _date_diff_by_name,
    "datepart": _date_part,
    "datesub": _date_sub,
    "datetrunc": _date_trunc,
    "days_in_month": _days_in_month,
    "epoch": _part("epoch"),
    "epoch_ms": _epoch("ms"),
    "epoch_ns": _epoch("ns"),
    "epoch_us": _epoch("us"),
    "from_unixtime": _to_unit("s"),
    "get_current_timestamp": _now,
    "make_date": _make_date,
    "make_timestamp_ms": _make_ticks("ms"),
    "make_timestamp_ns": _make_ticks("ns"),
    "make_timestamptz": _make_instant,
    "now": _now,
    "timezone": _timezone,
    "to_timestamp_micros": _to_unit("us"),
    "to_timestamp_millis": _to_unit("ms"),
    "to_timestamp_nanos": _to_unit("ns"),
    "to_timestamp_seconds": _to_unit("s"),
    "to_unixtime": _part("epoch"),
    "today": _today,
    "transaction_timestamp": _now,
    **{
        name: _part(name)
        for name in (
            "century", "dayofmonth", "dayofweek", "dayofyear", "decade", "era", "isodow", "isoyear", "julian", "microsecond",
            "millennium", "millisecond", "nanosecond", "timezone_hour", "timezone_minute", "weekday", "weekofyear", "yearweek",
        )
    },
}  # fmt: skip

__all__ = ["FORMS", "at_zone", "moved", "part_of"]
