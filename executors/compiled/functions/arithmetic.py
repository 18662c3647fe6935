"""Arithmetic: on integers checked, on floats IEEE, on decimals exact."""

from __future__ import annotations

from collections.abc import Callable

from lazyframe.executors.compiled.datum import NARROW_DIGITS, Datum, Number, kind_of
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.kinds import BOOL, I64, I128, Kind
from lazyframe.executors.compiled.stage import Function, Value
from lazyframe.planner.scalars import Call
from lazyframe.planner.types import MAX_DECIMAL_DIGITS, is_decimal, is_duration, is_float, is_integer, is_timestamp

Operation = Callable[[Value, Value], Value]

_LIMIT = 10**MAX_DECIMAL_DIGITS


def _alike(call: Call) -> bool:
    """Two numbers of one kind, or instants and durations that are counted in one unit."""
    a, b = (argument.dtype for argument in call.args)
    if is_decimal(a) and is_decimal(b):
        return True
    if (is_integer(a) or is_float(a)) and a == b:
        return True
    return (is_timestamp(a) or is_duration(a)) and is_duration(b) and a.unit == b.unit and is_duration(b)


def _sum(name: str, operation: Operation) -> Emitter:
    def emit(application: Application) -> Datum:
        dtype = application.scalar.dtype
        if is_decimal(dtype):
            return _decimal_sum(application, operation)
        a, b = application.values
        return _checked(application, name, operation, a, b)

    return Emitter(emit, _alike)


def _checked(application: Application, name: str, operation: Operation, a: Value, b: Value) -> Number:
    if is_float(application.scalar.dtype):
        return application.number(operation(a, b))
    value, overflows = a.with_overflow(name, b)
    application.fail_if(overflows)
    return application.number(value)


def _decimal_sum(application: Application, operation: Operation) -> Number:
    dtype = application.scalar.dtype
    kind = kind_of(dtype)
    assert kind is not None
    a, b = (rescaled(application.cg, x, dtype.scale, kind) for x in _decimals(application))
    value = operation(a, b)
    (p1, s1), (p2, s2) = ((x.dtype.precision, x.dtype.scale) for x in application.arguments)
    if max(p1 - s1, p2 - s2) + max(s1, s2) + 1 > MAX_DECIMAL_DIGITS:
        _check_digits(application, value)
    return application.number(value)


def _accepts_sum(call: Call) -> bool:
    if not _alike(call):
        return False
    if not is_decimal(call.dtype):
        return True
    # To bring a number to the result's scale must not overflow 128 bits.
    return all(a.dtype.precision + call.dtype.scale - a.dtype.scale <= MAX_DECIMAL_DIGITS for a in call.args)


def _decimals(application: Application) -> list[Number]:
    found = []
    for argument in application.arguments:
        assert isinstance(argument, Number)
        found.append(argument)
    return found


def rescaled(cg: Function, number: Number, scale: int, kind: Kind) -> Value:
    """The unscaled value at a larger scale, which fits in the kind."""
    value = number.value.to(kind)
    power = scale - number.dtype.scale
    return value if power == 0 else value * 10**power


def _check_digits(application: Application, value: Value) -> None:
    """Fail where a decimal has more than 38 digits."""
    cg = application.cg
    limit = cg.lift(_LIMIT, I128)
    application.fail_if(cg.either(value >= limit, value <= -limit))


def _multiply(application: Application) -> Datum:
    a, b = application.values
    if not is_decimal(application.scalar.dtype):
        return _checked(application, "mul", lambda x, y: x * y, a, b)
    left, right = (argument.dtype for argument in application.arguments)
    kind = kind_of(application.scalar.dtype)
    assert kind is not None
    if left.precision + right.precision <= MAX_DECIMAL_DIGITS:
        return application.number(a.to(kind) * b.to(kind))
    return application.number(_wide_product(application, a.to(I128), b.to(I128)))


def _wide_product(application: Application, a: Value, b: Value) -> Value:
    """A product that may need more than 128 bits: where both factors have 64, which is nearly always, it does not."""
    cg = application.cg
    low_a, low_b = a.to(I64), b.to(I64)
    narrow = cg.both(low_a.to(I128) == a, low_b.to(I128) == b)
    result = cg.variable(I128, 0)
    with cg.if_(narrow) as branch:
        result.set(low_a.to(I128) * low_b.to(I128))
    with branch.otherwise():
        product, overflows = cg.local("product_of_128_bits", I128, [I128, I128], _product, a, b), None
        del overflows
        result.set(product)
    value = result.get()
    _check_digits(application, value)
    return value


def _product(cg: Function, a: Value, b: Value) -> Value:
    """A product of 128 bits; where it does not fit, a number of more than 38 digits."""
    too_large = cg.lift(_LIMIT, I128)
    if_a = a < 0
    if_b = b < 0
    x, y = cg.choose(if_a, -a, a), cg.choose(if_b, -b, b)
    mask = (1 << 64) - 1
    x1, x0, y1, y0 = x.shifted_right(64), x & mask, y.shifted_right(64), y & mask
    # Both high words, or a middle product of more than 63 bits, do not fit.
    middle = x1 * y0 + x0 * y1
    low = x0 * y0
    overflows = cg.either((x1 != 0) & (y1 != 0), (middle.shifted_right(62)) != 0)
    total = low.shifted_right(64) + (middle & mask)
    overflows = cg.either(overflows, total.shifted_right(63) != 0)
    magnitude = (middle << 64) + low
    magnitude = cg.choose(overflows, too_large, magnitude)
    return cg.choose(if_a ^ if_b, -magnitude, magnitude)


def _accepts_product(call: Call) -> bool:
    a, b = (argument.dtype for argument in call.args)
    if is_decimal(a) and is_decimal(b):
        # Places that are cut are rounded, which is left to the vectorized kernel.
        return call.dtype.scale == a.scale + b.scale
    return (is_integer(a) or is_float(a)) and a == b


def _divide(application: Application) -> Datum:
    a, b = application.values
    return application.number(a.quotient(b))


def _negate(application: Application) -> Datum:
    (a,) = application.values
    dtype = application.scalar.dtype
    if not is_float(dtype) and not is_decimal(dtype):
        value, overflows = application.cg.lift(0, a.kind).with_overflow("sub", a)
        application.fail_if(overflows)
        return application.number(value)
    return application.number(-a)


def _is_number(call: Call) -> bool:
    return kind_of(call.args[0].dtype) not in (None, BOOL)


EMITTERS = {
    "add": Emitter(_sum("add", lambda a, b: a + b).emit, _accepts_sum),
    "subtract": Emitter(_sum("sub", lambda a, b: a - b).emit, _accepts_sum),
    "multiply": Emitter(_multiply, _accepts_product),
    "divide": Emitter(_divide, lambda call: is_float(call.args[0].dtype) and is_float(call.args[1].dtype)),
    "negate": Emitter(_negate, _is_number),
}

__all__ = ["EMITTERS", "NARROW_DIGITS", "rescaled"]
