"""Division of integers and decimals: quotients rounded down, toward zero, or in their last place; and remainders.

A divisor of 0, and of the least integer -1, has no answer, or is left to the vectorized kernel. Under a null they may stand
all the same, where the processor must not meet them.
"""

from __future__ import annotations

from collections.abc import Callable

from lazyframe.executors.compiled.datum import Datum, Number
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.functions.exact import (
    digits_of,
    half_away,
    kind_for,
    result_of,
    scale_of,
    scaled_up,
)
from lazyframe.executors.compiled.values import Value
from lazyframe.planner.scalars import Call
from lazyframe.planner.types import MAX_DECIMAL_DIGITS, integer_bounds, is_decimal, is_float, is_integer

Combine = Callable[[Application, Value, Value], Value]


def _safe_divisor(application: Application, a: Value, b: Value, *, overflows: bool) -> Value:
    """The divisor, after refusing those without an answer."""
    cg = application.cg
    bad = b == 0
    application.fail_if(bad)
    if overflows and a.kind.signed:
        dtype = application.scalar.dtype
        if is_integer(dtype):
            wrong = cg.both(b == -1, a == integer_bounds(dtype)[0])
            application.fail_if(wrong)
            bad = cg.either(bad, wrong)
    return cg.choose(bad, cg.lift(1, b.kind), b)


def _quotient_down(application: Application, a: Value, b: Value) -> Value:
    b = _safe_divisor(application, a, b, overflows=True)
    quotient = a.quotient(b)
    if not a.kind.signed:
        return quotient
    rest = a - quotient * b
    is_below = application.cg.both(rest != 0, (rest ^ b) < 0)
    return quotient - is_below.to(a.kind)


def _quotient_toward_zero(application: Application, a: Value, b: Value) -> Value:
    return a.quotient(_safe_divisor(application, a, b, overflows=True))


def _rest_by_sign(application: Application, a: Value, b: Value) -> tuple[Value, Value]:
    """What is left of division toward zero, and the divisor. By -1 nothing is left, as by 1."""
    cg = application.cg
    b = _safe_divisor(application, a, b, overflows=False)
    if a.kind.signed and not is_decimal(application.scalar.dtype):
        b = cg.choose(b == -1, cg.lift(1, b.kind), b)
    return a.remainder(b), b


def _rest_down(application: Application, a: Value, b: Value) -> Value:
    cg = application.cg
    rest, divisor = _rest_by_sign(application, a, b)
    if not a.kind.signed:
        return rest
    is_other = cg.both(rest != 0, (rest ^ divisor) < 0)
    return rest + cg.choose(is_other, divisor, cg.lift(0, a.kind))


def _rest_toward_zero(application: Application, a: Value, b: Value) -> Value:
    return _rest_by_sign(application, a, b)[0]


def _whole(combine: Combine) -> Emitter:
    """A quotient or a remainder of integers of one type, or of decimals, which are brought to one scale."""

    def emit(application: Application) -> Datum:
        if not is_decimal(application.scalar.dtype):
            a, b = application.values
            return application.number(combine(application, a, b))
        a, b = _at_one_scale(application)
        return result_of(application, combine(application, a, b))

    return Emitter(emit, _accepts_whole)


def _at_one_scale(application: Application) -> list[Value]:
    numbers = application.numbers
    scale = max(scale_of(n.dtype) for n in numbers)
    digits = max(digits_of(n.dtype) + scale - scale_of(n.dtype) for n in numbers)
    kind = kind_for(digits)
    return [scaled_up(application, n, scale - scale_of(n.dtype), kind) for n in numbers]


def _accepts_whole(call: Call) -> bool:
    a, b = (argument.dtype for argument in call.args)
    return (is_integer(a) and a == b) or (is_decimal(a) and is_decimal(b))


def divided(application: Application) -> Number:
    """A quotient of decimals, rounded half away from zero in the last place of the result."""
    a, b = application.numbers
    dtype = application.scalar.dtype
    shift = dtype.scale - scale_of(a.dtype) + scale_of(b.dtype)
    digits = max(digits_of(a.dtype) + max(shift, 0), digits_of(b.dtype) + max(-shift, 0))
    kind = kind_for(min(digits, MAX_DECIMAL_DIGITS))
    numerator = scaled_up(application, a, max(shift, 0), kind)
    divisor = scaled_up(application, b, max(-shift, 0), kind)
    divisor = _safe_divisor(application, numerator, divisor, overflows=False)
    return result_of(application, half_away(application.cg, numerator, divisor))


def _divide(application: Application) -> Datum:
    if is_decimal(application.scalar.dtype):
        return divided(application)
    a, b = application.values
    return application.number(a.quotient(b))


def _accepts_divide(call: Call) -> bool:
    a, b = (argument.dtype for argument in call.args)
    return (is_float(a) and a == b) or (is_decimal(a) and is_decimal(b))


EMITTERS = {
    "divide": Emitter(_divide, _accepts_divide),
    "floor_divide": _whole(_quotient_down),
    "truncated_divide": _whole(_quotient_toward_zero),
    "modulo": _whole(_rest_down),
    "truncated_modulo": _whole(_rest_toward_zero),
}
