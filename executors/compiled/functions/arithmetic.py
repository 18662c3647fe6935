"""Arithmetic: on integers checked, on floats IEEE, on decimals exact, on dates by the calendar."""

from __future__ import annotations

from collections.abc import Callable

from lazyframe.executors.compiled.datum import Datum, Number, kind_of
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.functions.exact import result_of, scale_of, scaled_up
from lazyframe.executors.compiled.functions.motion import moved, moves
from lazyframe.executors.compiled.kinds import BOOL, I64, I128
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Value
from lazyframe.planner.functions.spans import Span
from lazyframe.planner.scalars import Call, Literal
from lazyframe.planner.types import (
    INT64,
    MAX_DECIMAL_DIGITS,
    DataType,
    is_date,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_interval,
    is_time,
    is_timestamp,
)

Operation = Callable[[Value, Value], Value]

_DAY_MICROSECONDS = 86_400 * 10**6


def _sum(name: str, operation: Operation) -> Emitter:
    def emit(application: Application) -> Datum:
        dtype, call = application.scalar.dtype, application.call
        span = _interval(call)
        if span is not None:
            (moment,) = application.numbers
            return moved(application, moment, span)
        if is_decimal(dtype):
            return _decimal_sum(application, operation)
        a, b = application.values
        if is_date(call.args[0].dtype):
            # Only the difference of dates is none of numbers of one unit.
            day = application.cg.lift(_DAY_MICROSECONDS, I64)
            return _checked(application, "mul", operation, a.to(I64) - b.to(I64), day)
        return _checked(application, name, operation, a, b)

    return Emitter(emit, _accepts_sum)


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
    a, b = (scaled_up(application, n, dtype.scale - scale_of(n.dtype), kind) for n in application.numbers)
    (p1, s1), (p2, s2) = ((n.dtype.precision, n.dtype.scale) for n in application.numbers)
    fits = max(p1 - s1, p2 - s2) + max(s1, s2) + 1 <= MAX_DECIMAL_DIGITS
    return result_of(application, operation(a, b), bounded=fits)


def _interval(call: Call) -> Span | None:
    """The span by which a date or timestamp is moved, if it is a constant."""
    for argument, sign in ((call.args[1], -1 if call.function == "subtract" else 1), (call.args[0], 1)):
        if is_interval(argument.dtype) and isinstance(argument, Literal) and argument.value.is_valid:
            months, days, nanos = argument.value.as_py()
            return Span(sign * months, sign * days, sign * nanos)
    return None


def _accepts_sum(call: Call) -> bool:
    """Two numbers of one kind, or instants and durations that are counted in one unit."""
    a, b = (argument.dtype for argument in call.args)
    span = _interval(call)
    if span is not None:
        return not (is_interval(a) and is_interval(b)) and moves(b if is_interval(a) else a, span)
    if is_decimal(a) and is_decimal(b):
        return True
    if (is_integer(a) or is_float(a)) and a == b:
        return True
    if call.function == "subtract" and a == b and (is_date(a) or is_timestamp(a) or is_time(a)):
        return is_date(a) or kind_of(a) is I64
    return _has_ticks(a) and _has_ticks(b) and a.unit == b.unit and (is_duration(a) or is_duration(b))


def _has_ticks(dtype: DataType) -> bool:
    return is_timestamp(dtype) or is_duration(dtype)


def _multiply(application: Application) -> Datum:
    a, b = application.values
    if not is_decimal(application.scalar.dtype):
        return _checked(application, "mul", lambda x, y: x * y, a, b)
    left, right = (argument.dtype for argument in application.arguments)
    kind = kind_of(application.scalar.dtype)
    assert kind is not None
    if left.precision + right.precision <= MAX_DECIMAL_DIGITS:
        return application.number(a.to(kind) * b.to(kind))
    return result_of(application, _wide_product(application, a.to(I128), b.to(I128)))


def _wide_product(application: Application, a: Value, b: Value) -> Value:
    """A product that may need more than 128 bits: where both factors have 64, which is nearly always, it does not."""
    cg = application.cg
    low_a, low_b = a.to(I64), b.to(I64)
    narrow = cg.both(low_a.to(I128) == a, low_b.to(I128) == b)
    result = cg.variable(I128, 0)
    with cg.if_(narrow) as branch:
        result.set(low_a.to(I128) * low_b.to(I128))
    with branch.otherwise():
        result.set(cg.local("product_of_128_bits", I128, [I128, I128], _product, a, b))
    return result.get()


def _product(cg: Function, a: Value, b: Value) -> Value:
    """A product of 128 bits; where it does not fit, a number of more than 38 digits."""
    too_large = cg.lift(10**MAX_DECIMAL_DIGITS, I128)
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
    if is_duration(a) or is_duration(b):
        return INT64 in (a, b)
    return (is_integer(a) or is_float(a)) and a == b


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
    "add": _sum("add", lambda a, b: a + b),
    "subtract": _sum("sub", lambda a, b: a - b),
    "multiply": Emitter(_multiply, _accepts_product),
    "negate": Emitter(_negate, _is_number),
}
