"""Constants as points on the line of all values of a type, in the order of the engine."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner.scalars import Call, Literal, Scalar, is_total, is_volatile
from lazyframe.planner.types import (
    DATE,
    INT32,
    INT64,
    TICKS_PER_SECOND,
    DataType,
    integer_bounds,
    is_bool,
    is_date,
    is_decimal,
    is_float,
    is_integer,
    is_string,
    is_timestamp,
)

MIRRORED = {
    "less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal",
    "equal": "equal", "not_equal": "not_equal",
}  # fmt: skip
"""Each comparison, and the one that says the same with its sides exchanged."""

Point: TypeAlias = tuple[int, Any]
"""A value that compares as the engine compares it: NaN is after all numbers. Points of one type compare with each other."""

_NAN: Point = (1, 0)


def point_of(value: pa.Scalar) -> Point | None:
    """Where a constant stands; None for null and for types that are no line we know."""
    if not value.is_valid:
        return None
    dtype = value.type
    if is_timestamp(dtype) or is_date(dtype):
        return (0, value.value)
    if is_decimal(dtype):
        return (0, Fraction(value.as_py()))
    if is_integer(dtype) or is_string(dtype) or is_bool(dtype):
        return (0, value.as_py())
    if is_float(dtype):
        number = value.as_py()
        if math.isnan(number):
            return _NAN
        # A decimal that meets a float is compared in another way, but the two sides here have one type.
        return (0, number)
    return None


_EPOCH = dt.date(1970, 1, 1).toordinal()
_PYTHON_DAYS = range(dt.date.min.toordinal() - _EPOCH, dt.date.max.toordinal() - _EPOCH + 1)


class Line(NamedTuple):
    """A type whose values are the integers from `least` to `greatest`: counts of days or ticks, decimals without a point."""

    dtype: DataType
    least: int
    greatest: int
    value: Callable[[int], Any] = int
    """What Arrow makes the value of."""
    written: range | None = None
    """Those that can be literals, where not all can: Python knows the years from 1 to 9999."""

    def is_past(self, number: int) -> bool:
        """Whether it is a value that cannot be a literal."""
        return self.written is not None and number not in self.written and self.least <= number <= self.greatest

    def literal(self, number: int) -> Literal:
        return Literal(arrow.scalar(self.value(number), self.dtype))

    def array(self, numbers: Iterable[int | None]) -> pa.Array:
        return arrow.array([None if n is None else self.value(n) for n in numbers], self.dtype)


def line_of(dtype: DataType) -> Line | None:
    """The integers that the values of a type are; None where they are none."""
    if is_integer(dtype):
        return Line(dtype, *integer_bounds(dtype))
    if dtype == DATE:
        return Line(dtype, *integer_bounds(INT32), written=_PYTHON_DAYS)
    if is_timestamp(dtype):
        day = 86_400 * TICKS_PER_SECOND[dtype.unit]
        written = range((_PYTHON_DAYS.start + 1) * day, (_PYTHON_DAYS.stop - 1) * day)
        return Line(dtype, *integer_bounds(INT64), written=written)
    if is_decimal(dtype):
        top = 10**dtype.precision - 1
        return Line(dtype, -top, top, lambda number: _decimal(number, dtype.scale))
    return None


def _decimal(number: int, scale: int) -> decimal.Decimal:
    return decimal.Decimal((int(number < 0), tuple(map(int, str(abs(number)))), -scale))


def constant_unless_null(x: Scalar, *, value: bool) -> Scalar:
    """True, or false, wherever `x` is not null; null where it is.

    As a comparison of `x` with itself, so that `x` is still evaluated. Where only truth counts, or `x` is never null, that is
    simplified further.
    """
    return Call("equal" if value else "not_equal", (x, x))


def is_dispensable(scalar: Scalar) -> bool:
    """Whether nobody would notice if it were not evaluated, or twice."""
    return is_total(scalar) and not is_volatile(scalar)
