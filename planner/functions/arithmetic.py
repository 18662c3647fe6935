"""Arithmetic on numbers, and of dates with durations and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from lazyframe.planner.functions.definition import Function, Options, Signature, Types, by_name
from lazyframe.planner.types import (
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    INTERVAL,
    NULL,
    DataType,
    common_type,
    decimal_type,
    finer_unit,
    integer_digits,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_interval,
    is_null,
    is_numeric,
    is_time,
    is_timestamp,
    is_unsigned,
)

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar


def _numbers(types: Types) -> Types | None:
    """Both arguments as numbers of one kind: one integer type, one float type, or decimals of their own scale."""
    a, b = types
    if is_null(a) and is_null(b):
        return (INT64, INT64)
    if is_null(a):
        return (b, b) if is_numeric(b) else None
    if is_null(b):
        return (a, a) if is_numeric(a) else None
    if not is_numeric(a) or not is_numeric(b):
        return None
    common = common_type(a, b)
    assert common is not None
    if is_decimal(common):
        return tuple(t if is_decimal(t) else decimal_type(integer_digits(t), 0) for t in types)
    return (common, common)


def _add(types: Types, options: Options) -> Signature | None:
    a, b = types
    if numbers := _numbers(types):
        a, b = numbers
        if is_decimal(a):
            scale = max(a.scale, b.scale)
            whole = max(a.precision - a.scale, b.precision - b.scale)
            return Signature(numbers, decimal_type(whole + scale + 1, scale))
        return Signature(numbers, a)
    return _shift(a, b) or _flip(_shift(b, a))


def _subtract(types: Types, options: Options) -> Signature | None:
    a, b = types
    if _numbers(types):
        return _add(types, options)
    if a == DATE and b == DATE:
        return Signature((DATE, DATE), pa.duration("us"))
    if (a == DATE or is_timestamp(a)) and (b == DATE or is_timestamp(b)):
        common = common_type(a, b)
        return None if common is None else Signature((common, common), pa.duration(common.unit))
    if is_time(a) and is_time(b):
        common = common_type(a, b)
        assert common is not None
        return Signature((common, common), pa.duration(common.unit))
    return _shift(a, b)


def _shift(a: DataType, b: DataType) -> Signature | None:
    """A point in time moved by a span."""
    if is_interval(b) and (a == DATE or is_timestamp(a)):
        return Signature((a, b), a)
    if is_interval(a) and is_interval(b):
        return Signature((a, b), INTERVAL)
    if is_duration(b):
        if a == DATE:
            return Signature((pa.timestamp("us"), pa.duration("us")), pa.timestamp("us"))
        if is_timestamp(a):
            unit = finer_unit(a.unit, b.unit)
            return Signature((pa.timestamp(unit, a.tz), pa.duration(unit)), pa.timestamp(unit, a.tz))
        if is_duration(a):
            unit = finer_unit(a.unit, b.unit)
            return Signature((pa.duration(unit), pa.duration(unit)), pa.duration(unit))
    return None


def _flip(signature: Signature | None) -> Signature | None:
    return signature and Signature(signature.arguments[::-1], signature.result)


def _multiply(types: Types, options: Options) -> Signature | None:
    if numbers := _numbers(types):
        a, b = numbers
        if is_decimal(a):
            return Signature(numbers, decimal_type(a.precision + b.precision, a.scale + b.scale))
        return Signature(numbers, a)
    a, b = types
    if is_duration(a) and is_integer(b):
        return Signature((a, INT64), a)
    if is_integer(a) and is_duration(b):
        return Signature((INT64, b), b)
    return None


LEAST_PLACES = 12
"""How many places a quotient or a mean of decimals keeps where 38 digits do not hold all."""


def _divide(types: Types, options: Options) -> Signature | None:
    """True division: integers and floats give float64, decimals stay exact to max(6, s1 + p2 + 1) places.

    Where that is more than 38 digits, places are cut, but not below 12: the ratio of two sums has to tell more than cents.
    """
    numbers = _numbers(types)
    if numbers is None:
        a, b = types
        return Signature((a, INT64), a) if is_duration(a) and is_integer(b) else None
    a, b = numbers
    if is_decimal(a):
        whole = a.precision - a.scale + b.scale
        scale = max(6, a.scale + b.precision + 1)
        scale = max(min(scale, 38 - whole), min(scale, LEAST_PLACES))
        return Signature(numbers, decimal_type(whole + scale, scale))
    wanted = FLOAT32 if a == FLOAT32 else FLOAT64
    return Signature((wanted, wanted), wanted)


def _floor_divide(types: Types, options: Options) -> Signature | None:
    numbers = _numbers(types)
    if numbers is None:
        return None
    a, b = numbers
    if is_decimal(a):
        return Signature(numbers, decimal_type(min(38, a.precision - a.scale + b.scale + 1), 0))
    return Signature(numbers, a)


def _modulo(types: Types, options: Options) -> Signature | None:
    numbers = _numbers(types)
    if numbers is None:
        return None
    a, b = numbers
    if is_decimal(a):
        common = common_type(a, b)
        assert common is not None
        return Signature((common, common), common)
    return Signature(numbers, a)


def _negate(types: Types, options: Options) -> Signature | None:
    (t,) = types
    if is_unsigned(t):
        wider = common_type(t, pa.int8())
        assert wider is not None
        return Signature((wider,), wider)
    return Signature(types, t) if is_numeric(t) or is_duration(t) or is_interval(t) or is_null(t) else None


def _magnitude(types: Types, options: Options) -> Signature | None:
    (t,) = types
    return Signature(types, t) if is_numeric(t) or is_duration(t) or is_null(t) else None


def _sign(types: Types, options: Options) -> Signature | None:
    (t,) = types
    if is_null(t):
        return Signature(types, NULL)
    if not is_numeric(t):
        return None
    return Signature(types, t if is_float(t) else pa.int8())


def _power(types: Types, options: Options) -> Signature | None:
    numbers = _numbers(types)
    if numbers is None:
        return None
    if is_integer(numbers[0]):
        return Signature(numbers, numbers[0])
    wanted = FLOAT32 if numbers[0] == FLOAT32 else FLOAT64
    return Signature((wanted, wanted), wanted)


def _integers(types: Types, options: Options) -> Signature | None:
    numbers = _numbers(types)
    return Signature(numbers, numbers[0]) if numbers and is_integer(numbers[0]) else None


def _floats(args: Sequence[Scalar]) -> bool:
    """Only IEEE arithmetic has an answer for everything."""
    return all(is_float(a.dtype) for a in args)


FUNCTIONS = by_name(
    Function(name="add", resolver=_add, arity=(2, 2), total=_floats, literals="others", symbol="+", summary="Sum."),
    Function(
        name="subtract", resolver=_subtract, arity=(2, 2), total=_floats, literals="others", symbol="-",
        summary="Difference; of two points in time, the duration between them.",
    ),
    Function(name="multiply", resolver=_multiply, arity=(2, 2), total=_floats, literals="others", symbol="*", summary="Product."),
    Function(
        name="divide", resolver=_divide, arity=(2, 2), total=_floats, literals="others", symbol="/",
        summary="True division; of integers in float64, of decimals exact.",
    ),
    Function(
        name="floor_divide", resolver=_floor_divide, arity=(2, 2), total=_floats, literals="others", symbol="//",
        summary="The quotient rounded down.",
    ),
    Function(
        name="modulo", resolver=_modulo, arity=(2, 2), total=_floats, literals="others", symbol="%",
        summary="The remainder of floor division: it has the sign of the divisor.",
    ),
    Function(
        name="truncated_divide", resolver=_integers, arity=(2, 2), total=False, literals="others",
        summary="The quotient of integers rounded toward zero: SQL's //.",
    ),
    Function(
        name="truncated_modulo", resolver=_modulo, arity=(2, 2), total=_floats, literals="others", sql=("mod",),
        summary="The remainder of truncated division, SQL's %: it has the sign of the dividend.",
    ),
    Function(name="negate", resolver=_negate, arity=(1, 1), total=_floats, sql=("negate",), summary="The value with the other sign."),
    Function(name="abs", resolver=_magnitude, arity=(1, 1), total=_floats, sql=("abs",), summary="The magnitude."),
    Function(name="sign", resolver=_sign, arity=(1, 1), sql=("sign",), summary="-1, 0 or 1; NaN stays NaN."),
    Function(
        name="power", resolver=_power, arity=(2, 2), total=_floats, literals="others", symbol="**", sql=("pow", "power"),
        summary="The first to the power of the second; integers stay integers, and a negative exponent is an error there.",
    ),
    Function(name="bit_and", resolver=_integers, arity=(2, 2), literals="others", summary="Bitwise and of integers."),
    Function(name="bit_or", resolver=_integers, arity=(2, 2), literals="others", summary="Bitwise or of integers."),
    Function(name="bit_xor", resolver=_integers, arity=(2, 2), literals="others", summary="Bitwise exclusive or of integers."),
)  # fmt: skip
