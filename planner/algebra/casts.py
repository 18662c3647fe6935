"""Comparisons of a converted value with a constant."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pyarrow as pa

from lazyframe.planner.algebra.law import law
from lazyframe.planner.algebra.points import MIRRORED, line_of
from lazyframe.planner.algebra.preimages import Cut, Preimage, among, compared, cut_at
from lazyframe.planner.functions.definition import cast_is_total
from lazyframe.planner.scalars import CAST, Call, Cast, Literal, Scalar, is_volatile
from lazyframe.planner.types import (
    DATE,
    FLOAT64,
    TICKS_PER_SECOND,
    DataType,
    is_decimal,
    is_float,
    is_integer,
    is_timestamp,
    is_unsigned,
)

_DAY = 86_400

_BEYOND = 1 << 200
"""After all values of any line."""

_EXACT_DIGITS = 15
"""Decimals of so many digits are floats without a point, so that one division gives the nearest float."""


@law(CAST)
def without_cast(scalar: Scalar) -> Scalar | None:
    """`cast(x) < c` as `x < c'`; `cast(x) < cast(y)` as `x < y`; `cast(x) in (...)` as `x in (...)`."""
    match scalar:
        case Call(function=function, args=(Cast() as cast, Literal(value=constant))) if function in MIRRORED:
            return _compared(function, cast, constant)
        case Call(function=function, args=(Literal(value=constant), Cast() as cast)) if function in MIRRORED:
            return _compared(MIRRORED[function], cast, constant)
        case Call(function=function, args=(Cast() as a, Cast() as b)) if function in MIRRORED and a.to == b.to:
            return _both(function, a, b)
        case Call(function="is_in", args=(Cast() as cast,)):
            return _among(scalar, cast)
    return None


def _compared(function: str, cast: Cast, constant: pa.Scalar) -> Scalar | None:
    line = line_of(cast.arg.dtype)
    preimage = _preimage(cast)
    if line is None or preimage is None or not constant.is_valid or is_volatile(cast.arg):
        return None
    cut = preimage(constant)
    return None if cut is None else compared(function, cast.arg, cut, line)


def _among(call: Call, cast: Cast) -> Scalar | None:
    values = dict(call.options)["values"]
    line = line_of(cast.arg.dtype)
    preimage = _preimage(cast)
    if line is None or preimage is None or len(values) == 0 or is_volatile(cast.arg):
        return None
    cuts = [preimage(value) for value in values if value.is_valid]
    known = [cut for cut in cuts if cut is not None]
    return among(cast.arg, known, line, nulls=values.null_count) if len(known) == len(cuts) else None


def _both(function: str, a: Cast, b: Cast) -> Scalar | None:
    """Two values converted in the same way, which keeps values that differ apart and in order."""
    source, other = a.arg.dtype, b.arg.dtype
    if a.lenient or b.lenient:
        return None
    if is_integer(source) and is_integer(other) and is_unsigned(source) == is_unsigned(other):
        keeps = cast_is_total(source, a.to) and cast_is_total(other, a.to) and is_integer(a.to)
    else:
        keeps = source == other and _keeps_instants(source, a.to)
    return Call(function, (a.arg, b.arg)) if keeps else None


def _preimage(cast: Cast) -> Preimage | None:
    """Where constants of the type it converts to cut the line of what it converts."""
    source, to = cast.arg.dtype, cast.to
    if cast.lenient:
        return None
    if is_integer(source) and (is_integer(to) or is_decimal(to)) and cast_is_total(source, to):
        return lambda value: _plainly(value, 1)
    if is_decimal(source) and is_decimal(to) and cast_is_total(source, to):
        return lambda value: _plainly(value, 10**source.scale)
    if to == FLOAT64 and is_integer(source):
        return lambda value: _of_float(_as_float(value), float, 1)
    if to == FLOAT64 and is_decimal(source) and source.precision <= _EXACT_DIGITS:
        divisor = 10**source.scale
        return lambda value: _of_float(_as_float(value), lambda number: number / divisor, divisor)
    if _keeps_instants(source, to):
        ticks = (
            TICKS_PER_SECOND[to.unit] * _DAY
            if source == DATE
            else TICKS_PER_SECOND[to.unit] // TICKS_PER_SECOND[source.unit]
        )
        return lambda value: cut_at(Fraction(value.value, ticks))
    if is_timestamp(source) and to == DATE and cast_is_total(source, to):
        day = TICKS_PER_SECOND[source.unit] * _DAY
        return lambda value: Cut(value.value * day, (value.value + 1) * day)
    return None


def _keeps_instants(source: DataType, to: DataType) -> bool:
    """Whether it turns dates into their midnights or timestamps into those of a finer unit, of the same clock.

    Those that the target's unit does not reach are an error there; as they are, they compare as what they are.
    """
    if not is_timestamp(to):
        return False
    if source == DATE:
        return to.tz is None
    return is_timestamp(source) and source.tz == to.tz and TICKS_PER_SECOND[to.unit] >= TICKS_PER_SECOND[source.unit]


def _plainly(value: pa.Scalar, factor: int) -> Cut | None:
    return None if is_float(value.type) else cut_at(Fraction(value.as_py()) * factor)


def _as_float(value: pa.Scalar) -> float:
    """A number that meets a float: a decimal is the nearest float then, an integer stays what it is."""
    number = value.as_py()
    return float(number) if is_decimal(value.type) else number


def _of_float(number: float, image: Callable[[int], float], factor: int) -> Cut:
    """Where a float cuts integers whose image is the nearest float of the integer divided by `factor`."""
    if math.isnan(number) or number == math.inf:
        # No integer here is infinite, and NaN is after all numbers.
        return Cut(_BEYOND, _BEYOND)
    if number == -math.inf:
        return Cut(-_BEYOND, -_BEYOND)
    if abs(number) > 2.0**70:
        return Cut(_BEYOND, _BEYOND) if number > 0 else Cut(-_BEYOND, -_BEYOND)
    guess = math.floor(Fraction(number) * factor)
    # The nearest float never falls as the integer grows, and half a step of the float is as far as it can be off.
    reach = math.ceil(Fraction(math.ulp(number)) * factor) + 1
    return Cut(
        _first(lambda n: image(n) >= number, guess - reach, guess + reach),
        _first(lambda n: image(n) > number, guess - reach, guess + reach),
    )


def _first(test: Callable[[int], bool], low: int, high: int) -> int:
    """The first integer from `low` on for which `test` holds; it does for `high`, and for all after one."""
    while low < high:
        middle = (low + high) // 2
        if test(middle):
            high = middle
        else:
            low = middle + 1
    return low
