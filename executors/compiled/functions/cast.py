"""Casts that need no rounding: to wider integers, decimals and floats."""

from __future__ import annotations

from lazyframe.executors.compiled.datum import Datum, Number, kind_of
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.arithmetic import rescaled
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.planner.scalars import Cast
from lazyframe.planner.types import (
    FLOAT64,
    integer_bounds,
    integer_digits,
    is_decimal,
    is_float,
    is_integer,
)


def _accepts(cast: Cast) -> bool:
    source, target = cast.arg.dtype, cast.to
    if is_integer(source):
        if is_integer(target):
            (low, high), (least, greatest) = integer_bounds(source), integer_bounds(target)
            return least <= low and high <= greatest
        if is_decimal(target):
            return integer_digits(source) + target.scale <= target.precision
        return target == FLOAT64
    if is_decimal(source) and is_decimal(target):
        return target.scale >= source.scale and target.precision - target.scale >= source.precision - source.scale
    return is_float(source) and target == FLOAT64


def _emit(application: Application) -> Datum:
    (argument,) = application.arguments
    assert isinstance(argument, Number)
    target = application.scalar.dtype
    kind = kind_of(target)
    assert kind is not None
    if is_decimal(target):
        if is_decimal(argument.dtype):
            return application.number(rescaled(application.cg, argument, target.scale, kind))
        return application.number(argument.value.to(kind) * 10**target.scale)
    return application.number(argument.value.to(kind))


EMITTER = Emitter(_emit, _accepts)
