"""Comparison by value, in one total order; and membership in a list of constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyframe.executors.compiled.datum import Datum, Number, Text, is_instant, is_text
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.functions.exact import digits_of, kind_for, nearest_float, scale_of, scaled_up
from lazyframe.executors.compiled.kinds import F64, I64, I128
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.texts import texts_compared, texts_equal
from lazyframe.executors.compiled.values import Value
from lazyframe.planner.algebra.points import MIRRORED
from lazyframe.planner.types import (
    BOOL,
    FLOAT64,
    DataType,
    decimal_type,
    is_decimal,
    is_float,
    is_integer,
    is_numeric,
    is_unsigned,
)

Compare = Callable[[Value, Value], Value]


def comparable(a: DataType, b: DataType) -> bool:
    """Whether kernels compare values of two types."""
    if is_integer(a) and is_integer(b):
        return True
    if is_float(a) or is_float(b):
        return is_numeric(a) and is_numeric(b)
    if is_decimal(a) or is_decimal(b):
        return all(is_decimal(t) or is_integer(t) for t in (a, b))
    return a == b and (is_text(a) or a == BOOL or is_instant(a))


def _order(name: str, compare: Compare) -> Emitter:
    def emit(application: Application) -> Datum:
        a, b = _comparable_values(application)
        return application.number(compared(application.cg, name, compare, a, b))

    return Emitter(emit, lambda call: comparable(call.args[0].dtype, call.args[1].dtype))


def _missing(*, differs: bool) -> Emitter:
    """Equality in which null is equal to null alone."""

    def emit(application: Application) -> Datum:
        cg = application.cg
        a, b = _comparable_values(application)
        same = compared(cg, "equal", COMPARISONS["equal"], a, b)
        if application.valid is not None:
            flags = [cg.truth(True) if x.valid is None else x.valid for x in (a, b)]
            same = cg.either(cg.both(application.valid, same), cg.both(~flags[0], ~flags[1]))
        return Number(BOOL, ~same if differs else same)

    return Emitter(emit, lambda call: comparable(call.args[0].dtype, call.args[1].dtype))


def _comparable_values(application: Application) -> Sequence[Datum]:
    """The arguments; decimals that meet floats as the nearest floats, and other numbers at one scale."""
    numbers = application.numbers
    if any(is_float(n.dtype) for n in numbers):
        return [Number(FLOAT64, nearest_float(application, n), n.valid) if is_decimal(n.dtype) else n for n in numbers]
    if not any(is_decimal(n.dtype) for n in numbers):
        return application.arguments
    scale = max(scale_of(n.dtype) for n in numbers)
    digits = max(digits_of(n.dtype) + scale - scale_of(n.dtype) for n in numbers)
    kind = kind_for(digits)
    common = decimal_type(digits, scale)
    return [Number(common, scaled_up(application, n, scale - scale_of(n.dtype), kind), n.valid) for n in numbers]


def compared(cg: Function, name: str, compare: Compare, a: Datum, b: Datum) -> Value:
    """Whether two values, neither of them null, stand in an order."""
    if isinstance(a, Text):
        assert isinstance(b, Text)
        if name in ("equal", "not_equal"):
            same = texts_equal(cg, a, b)
            return same if name == "equal" else ~same
        return compare(texts_compared(cg, a, b), cg.lift(0, I64))
    assert isinstance(b, Number)
    if is_float(a.dtype) and is_float(b.dtype):
        x, y = a.value, b.value
        return _floats(cg, name, x, y) if x.kind is y.kind else _floats(cg, name, x.to(F64), y.to(F64))
    if is_float(b.dtype):
        return _integer_and_float(cg, name, compare, a.value, b.value.to(F64))
    if is_float(a.dtype):
        return compared(cg, MIRRORED[name], COMPARISONS[MIRRORED[name]], b, a)
    x, y = _common(cg, a, b)
    return compare(x, y)


def _floats(cg: Function, name: str, a: Value, b: Value) -> Value:
    """NaN is equal to itself and greater than all numbers."""
    nan_a, nan_b = a.is_nan(), b.is_nan()
    match name:
        case "equal":
            return cg.either(a == b, cg.both(nan_a, nan_b))
        case "not_equal":
            return ~_floats(cg, "equal", a, b)
        case "less":
            return cg.either(a < b, cg.both(nan_b, ~nan_a))
        case "greater":
            return _floats(cg, "less", b, a)
        case "less_equal":
            return cg.either(a <= b, nan_b)
    return _floats(cg, "less_equal", b, a)


def _integer_and_float(cg: Function, name: str, compare: Compare, a: Value, b: Value) -> Value:
    """By value: the nearest float of an integer tells, unless it is the other and rounding may have made it so."""
    nearest = a.to(F64)
    by_floats = _floats(cg, name, nearest, b)
    if a.kind.bits < 64:
        return by_floats
    wide = cg.choose(nearest == b, b, cg.lift(0.0, F64)).to(I128)
    return cg.choose(nearest == b, compare(a.to(I128), wide), by_floats)


def _common(cg: Function, a: Number, b: Number) -> tuple[Value, Value]:
    """Two integers as integers of one kind; decimals have one scale already."""
    if a.value.kind is b.value.kind:
        return a.value, b.value
    widest = max(a.value.kind.bits, b.value.kind.bits)
    kind = I64 if widest < 64 or not (is_unsigned(a.dtype) or is_unsigned(b.dtype)) else I128
    return a.value.to(kind), b.value.to(kind)


COMPARISONS: dict[str, Compare] = {
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
}

EMITTERS = {name: _order(name, compare) for name, compare in COMPARISONS.items()} | {
    "equal_missing": _missing(differs=False),
    "not_equal_missing": _missing(differs=True),
}
