"""Unscaled values of decimals: brought to more places or fewer, divided, and held against the digits of a type.

What does not fit in 128 bits on the way is left to the vectorized kernel, which has no bounds.
"""

from __future__ import annotations

from lazyframe.executors.compiled.datum import Number, kind_of
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.kinds import F64, I64, I128, Kind
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Value
from lazyframe.planner.types import MAX_DECIMAL_DIGITS, DataType, integer_digits, is_bool, is_decimal

NARROW_DIGITS = 18
_EXACT_INTEGERS, _EXACT_POWERS = 1 << 53, 22
"""Floats hold all integers up to the first, and the powers of ten up to the second."""


def digits_of(dtype: DataType) -> int:
    """How many digits the numbers of a type have at most; a boolean is 0 or 1."""
    if is_bool(dtype):
        return 1
    return dtype.precision if is_decimal(dtype) else integer_digits(dtype)


def scale_of(dtype: DataType) -> int:
    return dtype.scale if is_decimal(dtype) else 0


def kind_for(digits: int) -> Kind:
    """The kind of integers of so many digits."""
    return I64 if digits <= NARROW_DIGITS else I128


def magnitude(cg: Function, value: Value) -> Value:
    return cg.choose(value < 0, -value, value)


def scaled_up(application: Application, number: Number, places: int, kind: Kind) -> Value:
    """A decimal's or an integer's value times ten to `places`, in a kind that holds all but those that nobody expects."""
    value = number.value.to(kind)
    if places == 0:
        return value
    digits = MAX_DECIMAL_DIGITS if kind is I128 else NARROW_DIGITS
    if digits_of(number.dtype) + places > digits:
        refuse_from(application, value, digits - places)
    return value * 10**places


def refuse_from(application: Application, value: Value, digits: int) -> None:
    """Leave values of more digits to the vectorized kernel."""
    application.fail_if(has_more_digits(application.cg, value, digits))


def has_more_digits(cg: Function, value: Value, digits: int) -> Value:
    if digits >= (MAX_DECIMAL_DIGITS if value.kind is I128 else NARROW_DIGITS + 1):
        if value.kind is not I128:
            return cg.truth(False)
        digits = MAX_DECIMAL_DIGITS
    limit = 10 ** max(digits, 0)
    return cg.either(value >= limit, value <= -limit)


def half_away(cg: Function, value: Value, divisor: Value) -> Value:
    """A quotient rounded to the nearest integer, halves away from zero; the divisor is not 0."""
    quotient = value.quotient(divisor)
    rest, by = magnitude(cg, value - quotient * divisor), magnitude(cg, divisor)
    one = cg.choose((value ^ divisor) < 0, cg.lift(-1, value.kind), cg.lift(1, value.kind))
    return quotient + cg.choose(rest >= by - rest, one, cg.lift(0, value.kind))


def without_places(cg: Function, value: Value, places: int) -> Value:
    """A value over ten to `places`, halves away from zero."""
    if places == 0:
        return value
    if value.kind is I64 and places > NARROW_DIGITS:
        return cg.lift(0, I64)
    return half_away(cg, value, cg.lift(10**places, value.kind))


def result_of(application: Application, value: Value, *, bounded: bool = False) -> Number:
    """A value as the decimal that the call gives; those of too many digits are refused, unless there are none."""
    dtype = application.scalar.dtype
    if not bounded:
        refuse_from(application, value, dtype.precision)
    kind = kind_of(dtype)
    assert kind is not None
    return application.number(value.to(kind))


def nearest_float(application: Application, number: Number) -> Value:
    """The nearest float of a decimal. Of many digits it is left to the vectorized kernel, unless there are no places."""
    value, scale = number.value, scale_of(number.dtype)
    if scale == 0:
        return value.to(F64)
    cg = application.cg
    if scale > _EXACT_POWERS:
        application.fail_if(cg.truth(True))
    elif digits_of(number.dtype) > 15:
        limit = _EXACT_INTEGERS
        application.fail_if(cg.either(value > limit, value < -limit))
    return value.to(I64).to(F64).quotient(10.0 ** min(scale, _EXACT_POWERS))
