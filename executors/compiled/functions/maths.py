"""Magnitudes, signs, bits, and rounding to whole numbers and places.

Functions of floats are those that IEEE arithmetic defines to the last bit; for exponentials, logarithms and powers see `elementary.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from lazyframe.executors.compiled.datum import Datum
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.functions.exact import magnitude, result_of, scale_of, without_places
from lazyframe.executors.compiled.kinds import F64, I8
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Value
from lazyframe.planner.scalars import Call
from lazyframe.planner.types import is_decimal, is_duration, is_float, is_integer, is_numeric, is_unsigned

_GREATEST_POWER = 22
"""Up to this power ten is exact as a float."""


def _abs(application: Application) -> Datum:
    (a,) = application.values
    cg, dtype = application.cg, application.scalar.dtype
    if is_float(dtype):
        return application.number(cg.intrinsic("llvm.fabs", a.kind, a))
    if is_unsigned(dtype):
        return application.number(a)
    found = magnitude(cg, a)
    if not is_decimal(dtype):
        application.fail_if(found < 0)
    return application.number(found)


def _is_measure(call: Call) -> bool:
    return is_numeric(call.args[0].dtype) or is_duration(call.args[0].dtype)


def _sign(application: Application) -> Datum:
    (a,) = application.values
    cg = application.cg
    if a.kind.sort == "float":
        # Of both zeros it is 0.0, and NaN is compared in vain.
        found = cg.choose(a == 0.0, cg.lift(0.0, a.kind), a)
        for test, one in ((a > 0.0, 1.0), (a < 0.0, -1.0)):
            found = cg.choose(test, cg.lift(one, a.kind), found)
        return application.number(found)
    return application.number((a > 0).to(I8) - (a < 0).to(I8))


def _bits(operation: Callable[[Value, Value], Value]) -> Emitter:
    def emit(application: Application) -> Datum:
        a, b = application.values
        return application.number(operation(a, b))

    return Emitter(emit, lambda call: is_integer(call.args[0].dtype) and call.args[0].dtype == call.args[1].dtype)


def _not(application: Application) -> Datum:
    (a,) = application.values
    return application.number(~a)


def _bit_count(application: Application) -> Datum:
    (a,) = application.values
    return application.number(application.cg.intrinsic("llvm.ctpop", a.kind, a).to(I8))


def _of_integer(call: Call) -> bool:
    return is_integer(call.args[0].dtype)


def _of_float(call: Call) -> bool:
    return is_float(call.args[0].dtype)


def _float(name: str) -> Emitter:
    def emit(application: Application) -> Datum:
        (a,) = application.values
        return application.number(application.cg.intrinsic(f"llvm.{name}", a.kind, a))

    return Emitter(emit, _of_float)


def _whole(name: str, of_decimal: Callable[[Function, Value, Value], Value]) -> Emitter:
    """To a whole number; integers are."""

    def emit(application: Application) -> Datum:
        (number,) = application.numbers
        cg, value, dtype = application.cg, number.value, number.dtype
        if is_float(dtype):
            return application.number(cg.intrinsic(f"llvm.{name}", value.kind, value))
        scale = scale_of(dtype)
        if scale == 0:
            return result_of(application, value, bounded=True) if is_decimal(dtype) else application.number(value)
        if value.kind.bits == 64 and scale > 18:
            raise AssertionError("so many places have 128 bits")
        return result_of(application, of_decimal(cg, value, cg.lift(10**scale, value.kind)), bounded=True)

    return Emitter(emit, lambda call: is_numeric(call.args[0].dtype))


def _down(cg: Function, a: Value, b: Value) -> Value:
    quotient = a.quotient(b)
    return quotient - (quotient * b > a).to(a.kind)


def _up(cg: Function, a: Value, b: Value) -> Value:
    quotient = a.quotient(b)
    return quotient + (quotient * b < a).to(a.kind)


def _toward_zero(cg: Function, a: Value, b: Value) -> Value:
    return a.quotient(b)


def _round(application: Application) -> Datum:
    (number,) = application.numbers
    dtype, digits = number.dtype, _digits(application.call)
    if is_float(dtype):
        kind = number.value.kind
        found, doubtful = rounded(application.cg, number.value.to(F64), digits)
        application.fail_if(doubtful)
        return application.number(found.to(kind))
    if is_decimal(dtype):
        value = without_places(application.cg, number.value, dtype.scale - min(digits, dtype.scale))
        return result_of(application, value)
    return application.number(number.value)


def rounded(cg: Function, x: Value, digits: int) -> tuple[Value, Value]:
    """A float rounded half away from zero, and whether its product with a power of ten was too near to a half to tell."""
    whole, doubtful = scaled_half_away(cg, x, digits)
    found = whole.quotient(10.0**digits) if digits else whole
    # Where a step of the float is wider than the digits asked for it stays as it is; infinities and NaN do as well.
    limit = 2.0**55 if digits > 0 else float("inf")
    moved = cg.intrinsic("llvm.fabs", F64, whole) < limit
    return cg.choose(moved, found, x), cg.both(doubtful, moved)


def scaled_half_away(cg: Function, x: Value, digits: int) -> tuple[Value, Value]:
    """A float times ten to `digits`, rounded to a whole number, and whether this may be one off."""
    scaled = x * 10.0**digits if digits else x
    size = cg.intrinsic("llvm.fabs", F64, scaled)
    whole = cg.intrinsic("llvm.floor", F64, size)
    rest = size - whole
    one = cg.choose(rest >= 0.5, cg.lift(1.0, F64), cg.lift(0.0, F64))
    whole = cg.intrinsic("llvm.copysign", F64, whole + one, x)
    if not digits:
        return whole, cg.truth(False)
    # The product is off by half a step of its own at most.
    near = cg.intrinsic("llvm.fabs", F64, rest - 0.5) <= size * 2.0**-52
    finite = cg.intrinsic("llvm.fabs", F64, x) < float("inf")
    return whole, cg.both(cg.either(near, size >= 2.0**51), finite)


def _digits(call: Call) -> int:
    return int(dict(call.options).get("digits") or 0)


def _accepts_round(call: Call) -> bool:
    dtype, digits = call.args[0].dtype, _digits(call)
    if digits < 0:
        return False
    return is_decimal(dtype) or is_integer(dtype) or (is_float(dtype) and digits <= _GREATEST_POWER)


def _test(of_float: Callable[[Function, Value], Value], otherwise: bool) -> Emitter:
    def emit(application: Application) -> Datum:
        (a,) = application.values
        cg = application.cg
        return application.number(of_float(cg, a) if a.kind.sort == "float" else cg.truth(otherwise))

    return Emitter(emit, lambda call: is_numeric(call.args[0].dtype))


def _size(cg: Function, a: Value) -> Value:
    return cg.intrinsic("llvm.fabs", a.kind, a)


_INFINITE = float("inf")

EMITTERS = {
    "abs": Emitter(_abs, _is_measure),
    "sign": Emitter(_sign, lambda call: is_numeric(call.args[0].dtype)),
    "bit_and": _bits(lambda a, b: a & b),
    "bit_or": _bits(lambda a, b: a | b),
    "bit_xor": _bits(lambda a, b: a ^ b),
    "bit_not": Emitter(_not, _of_integer),
    "bit_count": Emitter(_bit_count, _of_integer),
    "sqrt": _float("sqrt"),
    "floor": _whole("floor", _down),
    "ceil": _whole("ceil", _up),
    "trunc": _whole("trunc", _toward_zero),
    "round": Emitter(_round, _accepts_round),
    "is_nan": _test(lambda cg, a: _size(cg, a) != _size(cg, a), otherwise=False),
    "is_finite": _test(lambda cg, a: _size(cg, a) < _INFINITE, otherwise=True),
    "is_infinite": _test(lambda cg, a: _size(cg, a) == _INFINITE, otherwise=False),
}
