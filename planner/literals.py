"""Python constants as typed literals, and the type they take from what they meet."""

from __future__ import annotations

import datetime
import decimal
import math
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.nouns import with_article
from lazyframe.planner.scalars import Literal, null_of
from lazyframe.planner.types import (
    BINARY,
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    INTERVAL,
    NULL,
    STRING,
    UINT64,
    DataType,
    canonical,
    decimal_type,
    integer_bounds,
    is_date,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_time,
    is_timestamp,
    type_name,
)


def literal(value: Any, dtype: DataType | None = None) -> Literal:
    """A Python value as a literal, of `dtype` if given.

    Raises:
        InvalidArgumentError: where the value is of no type that we have, or is none of `dtype`.
    """
    if isinstance(value, pa.Scalar):
        wanted = dtype or canonical(value.type)
        if is_decimal(wanted) and value.type != wanted:
            # Arrow's cast of decimals wraps where there are too many digits.
            value = value.as_py()
            return literal(None if value is None else decimal.Decimal(value), wanted)
        return Literal(value if value.type == wanted else pc.cast(value, wanted))
    if isinstance(value, np.generic):
        value = (
            value.item()
            if not isinstance(value, (np.datetime64, np.timedelta64))
            else value.astype("M8[us]" if isinstance(value, np.datetime64) else "m8[us]").item()
        )
    if dtype is not None:
        try:
            scalar = arrow.scalar(value, dtype)
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            scalar = None
        # Arrow cuts off fractions.
        if scalar is None or (is_integer(dtype) and value is not None and value != scalar.as_py()):
            raise InvalidArgumentError(f"{value!r} is no value of type {type_name(dtype)}")
        return Literal(scalar)
    if value is None:
        return null_of(NULL)
    kind = type(value)
    if kind is bool:
        return Literal(arrow.scalar(value, BOOL))
    if kind is int:
        return Literal(_integer(value))
    if kind is float:
        return Literal(arrow.scalar(value, FLOAT64))
    if kind is str:
        return Literal(arrow.scalar(value, STRING))
    if isinstance(value, decimal.Decimal):
        return Literal(_decimal(value))
    if isinstance(value, datetime.datetime):
        zone = None if value.tzinfo is None else str(value.tzinfo)
        if zone is not None and isinstance(value.tzinfo, datetime.timezone):
            zone = "UTC" if value.utcoffset() == datetime.timedelta(0) else zone.removeprefix("UTC")
        return Literal(arrow.scalar(value, pa.timestamp("us", zone)))
    if isinstance(value, datetime.date):
        return Literal(arrow.scalar(value, DATE))
    if isinstance(value, datetime.time):
        return Literal(arrow.scalar(value, pa.time64("us")))
    if isinstance(value, datetime.timedelta):
        return Literal(arrow.scalar(value, pa.duration("us")))
    if isinstance(value, (bytes, bytearray)):
        return Literal(arrow.scalar(bytes(value), BINARY))
    try:
        scalar = arrow.scalar(value)
        wanted = canonical(scalar.type)
        return Literal(scalar if scalar.type == wanted else pc.cast(scalar, wanted))
    except (pa.ArrowException, TypeError, ValueError):
        raise InvalidArgumentError(
            f"{with_article(type(value).__name__)} cannot stand in an expression",
            hint="use numbers, strings, dates, None, lists or dicts of them",
        ) from None


@lru_cache(maxsize=256)
def _integer(value: int) -> pa.Scalar:
    if -(1 << 63) <= value < 1 << 63:
        return arrow.scalar(value, INT64)
    if 0 <= value < 1 << 64:
        return arrow.scalar(value, UINT64)
    if abs(value) < 10**38:
        return arrow.scalar(decimal.Decimal(value), decimal_type(38, 0))
    raise InvalidArgumentError(f"the integer {value} has more than 38 digits")


def _decimal(value: decimal.Decimal) -> pa.Scalar:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise InvalidArgumentError(f"{value} is no finite decimal number")
    scale = max(0, -exponent)
    precision = max(len(digits) + max(exponent, 0), scale, 1)
    if precision > 38:
        raise InvalidArgumentError(f"the decimal {value} has more than 38 digits")
    return arrow.scalar(value, decimal_type(precision, scale))


def adapted(value: Any, other: DataType, *, read_text: bool) -> Literal:
    """The literal for a constant that meets a value of type `other`.

    An integer takes the other's integer or float type if it fits in it; a float takes float32 beside float32; a whole
    number of days beside a date stays calendar days; and, where `read_text`, a string is read as the other's type.
    """
    if type(value) is int and not isinstance(value, bool):
        if is_integer(other):
            low, high = integer_bounds(other)
            if low <= value <= high:
                return Literal(arrow.scalar(value, other))
        elif is_float(other) and abs(value) <= (1 << (24 if other == FLOAT32 else 53)):
            return Literal(arrow.scalar(float(value), other))
        elif is_decimal(other) and abs(value) < 10**38:
            return Literal(arrow.scalar(decimal.Decimal(value), decimal_type(max(len(str(abs(value))), 1), 0)))
    elif isinstance(value, decimal.Decimal) and is_float(other) and value.is_finite():
        # Between floats a decimal is the nearest of them.
        return adapted(float(value), other, read_text=False)
    elif type(value) is float and other == FLOAT32:
        if not math.isfinite(value) or abs(value) <= 3.4028234663852886e38:
            return Literal(arrow.scalar(value, FLOAT32))
    elif isinstance(value, datetime.timedelta) and is_date(other) and not value % datetime.timedelta(days=1):
        return Literal(arrow.scalar(pa.MonthDayNano([0, value.days, 0]), INTERVAL))
    elif isinstance(value, datetime.timedelta) and is_timestamp(other) and other.unit == "ns":
        return Literal(arrow.scalar(value, pa.duration("ns")))
    elif isinstance(value, str) and read_text and other != STRING:
        return read_as(value, other)
    return literal(value)


def read_as(text: str, dtype: DataType) -> Literal:
    """A string read as a value of another type.

    Raises:
        TypeMismatchError: where it cannot be read so.
    """
    stripped = text.strip()
    try:
        if is_integer(dtype) or is_decimal(dtype):
            number = decimal.Decimal(stripped)
            whole = number == number.to_integral_value() and is_integer(dtype)
            return adapted(int(number), dtype, read_text=False) if whole else literal(number)
        if is_float(dtype):
            return Literal(arrow.scalar(float(stripped), FLOAT64))
        if is_date(dtype):
            try:
                return literal(datetime.date.fromisoformat(stripped))
            except ValueError:
                return literal(datetime.datetime.fromisoformat(stripped))
        if is_timestamp(dtype):
            return _timestamp(stripped, dtype)
        if is_time(dtype):
            return literal(datetime.time.fromisoformat(stripped))
        if dtype == BOOL and stripped.lower() in ("true", "false"):
            return literal(stripped.lower() == "true")
    except (ValueError, ArithmeticError, pa.ArrowException):
        pass
    else:
        if not is_duration(dtype) and dtype not in (BOOL, BINARY):
            return literal(text)
    raise TypeMismatchError(
        f"cannot read {text!r} as {type_name(dtype)}, which it is compared with",
        hint="write dates as 'YYYY-MM-DD' and times as 'HH:MM:SS', or cast one side",
    )


def _timestamp(text: str, dtype: DataType) -> Literal:
    moment = datetime.datetime.fromisoformat(text)
    if dtype.tz is None:
        if moment.tzinfo is not None:
            raise ValueError("a zone where there is none")
        return literal(moment)
    if moment.tzinfo is None:
        from zoneinfo import ZoneInfo

        moment = moment.replace(tzinfo=ZoneInfo(dtype.tz))
    return Literal(arrow.scalar(moment, pa.timestamp("us", dtype.tz)))
