"""Constants as SQL, of just their type wherever they stand."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
from sqlglot import exp

from lazyframe.planner import arrow
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.sql.writing.types import cast
from lazyframe.planner.types import (
    DataType,
    is_binary,
    is_bool,
    is_date,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_interval,
    is_list,
    is_map,
    is_null,
    is_string,
    is_struct,
    is_time,
    is_timestamp,
    type_name,
)

# A decimal of so many digits becomes the very float that its text means; beyond, dividing by the power of ten rounds twice.
_EXACT_DIGITS = 15


def number(value: int) -> exp.Expression:
    literal = exp.Literal.number(abs(value))
    return exp.Neg(this=literal) if value < 0 else literal


def text(value: str) -> exp.Expression:
    return exp.Literal.string(value)


def bare(value: pa.Scalar) -> exp.Expression | None:
    """A number without its type, for where the other side of an operator tells it; None where it needs more."""
    dtype = value.type
    if not value.is_valid:
        return None
    content = value.as_py()
    if is_integer(dtype):
        return number(content)
    if is_decimal(dtype):
        plain = exp.Literal.number(format(abs(content), "f"))
        return exp.Neg(this=plain) if content < 0 else plain
    if is_float(dtype) and math.isfinite(content):
        digits = format(Decimal(repr(content)), "f")
        if len(digits.strip("-0").replace(".", "")) <= _EXACT_DIGITS:
            literal = exp.Literal.number(digits.removeprefix("-"))
            return exp.Neg(this=literal) if content < 0 else literal
    return None


def literal(value: pa.Scalar) -> exp.Expression:
    """A constant that has its type wherever it stands.

    Raises:
        UnsupportedError: where SQL has no such constant.
    """
    return _literal(value, value.type)


def _literal(value: pa.Scalar, dtype: DataType) -> exp.Expression:
    if not value.is_valid:
        return exp.Null() if is_null(dtype) else cast(exp.Null(), dtype)
    if is_list(dtype):
        items = [_literal(item, dtype.value_type) for item in value.values]
        return cast(exp.Array(expressions=items), dtype)
    if is_struct(dtype):
        fields = [(f.name, _literal(value[index], f.type)) for index, f in enumerate(dtype)]
        return struct(fields)
    if is_interval(dtype):
        months, days, nanoseconds = value.as_py()
        return interval(months, days, nanoseconds)
    if is_duration(dtype):
        return interval(0, 0, arrow.scalar(value.value, pa.int64()).as_py() * _NANOSECONDS[dtype.unit])
    if is_map(dtype):
        raise UnsupportedError(f"a constant of type {type_name(dtype)} cannot be written as SQL")
    return _plain(value, dtype)


_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def _plain(value: pa.Scalar, dtype: DataType) -> exp.Expression:
    if is_timestamp(dtype):
        return cast(text(_moment(value, dtype)), dtype)
    content: Any = value.as_py()
    if is_bool(dtype):
        return exp.true() if content else exp.false()
    if is_string(dtype):
        return text(content)
    if is_integer(dtype):
        return cast(number(content), dtype)
    if is_float(dtype):
        if not math.isfinite(content):
            return cast(text({"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[repr(content)]), dtype)
        plain = exp.Literal.number(repr(abs(content)))
        return cast(exp.Neg(this=plain) if math.copysign(1, content) < 0 else plain, dtype)
    if is_decimal(dtype):
        plain = exp.Literal.number(format(abs(content), "f"))
        return cast(exp.Neg(this=plain) if content < 0 else plain, dtype)
    if is_date(dtype) or is_time(dtype):
        return cast(text(content.isoformat()), dtype)
    if is_binary(dtype):
        return exp.Unhex(this=text(content.hex().upper()))
    raise UnsupportedError(f"a constant of type {type_name(dtype)} cannot be written as SQL")


def _moment(value: pa.Scalar, dtype: DataType) -> str:
    """A timestamp in ISO form, to the nanosecond where it has them; one with a zone in UTC."""
    ticks, per_second = value.value, 10**9 // _NANOSECONDS[dtype.unit]
    seconds, rest = divmod(ticks, per_second)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)  # noqa: DTZ001 - it is local or UTC
    fraction = f".{rest:0{len(str(per_second)) - 1}d}".rstrip("0") if rest else ""
    return moment.isoformat(sep=" ") + fraction + ("+00:00" if dtype.tz else "")


def struct(fields: list[tuple[str, exp.Expression]]) -> exp.Expression:
    return exp.Struct(
        expressions=[exp.PropertyEQ(this=exp.to_identifier(name), expression=value) for name, value in fields]
    )


def interval(months: int, days: int, nanoseconds: int) -> exp.Expression:
    """A span of time as a sum of intervals, each of one unit."""
    parts = []
    if months:
        parts.append((months // 12, "YEAR") if months % 12 == 0 else (months, "MONTH"))
    if days:
        parts.append((days, "DAY"))
    if nanoseconds or not parts:
        parts.append(_clock(nanoseconds))
    found = [exp.Interval(this=text(str(count)), unit=exp.var(unit)) for count, unit in parts]
    total: exp.Expression = found[0]
    for part in found[1:]:
        total = exp.Add(this=total, expression=part)
    return total if len(found) == 1 else exp.Paren(this=total)


def _clock(nanoseconds: int) -> tuple[int, str]:
    for size, unit in ((3600 * 10**9, "HOUR"), (60 * 10**9, "MINUTE"), (10**9, "SECOND"), (10**6, "MILLISECOND")):
        if nanoseconds % size == 0 and nanoseconds:
            return nanoseconds // size, unit
    if nanoseconds % 1000:
        raise UnsupportedError("a span of nanoseconds cannot be written as SQL, whose intervals count microseconds")
    return nanoseconds // 1000, "MICROSECOND" if nanoseconds else "SECOND"


def values_of(columns: list[pa.Array], count: int) -> list[exp.Tuple]:
    """The rows of some columns, as the tuples of VALUES."""
    written = [[literal(value) for value in column] for column in columns]
    return [exp.Tuple(expressions=[column[row] for column in written]) for row in range(count)]
