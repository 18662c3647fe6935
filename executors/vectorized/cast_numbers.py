"""Casts between booleans and numbers."""

from __future__ import annotations

import decimal
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions.layout import (
    Mask,
    arrow_array,
    bounds,
    joint_validity,
    numpy_type,
    numpy_values,
    valid_rows,
)
from lazyframe.executors.vectorized.functions.rounding import scaled_half_away, toward_zero
from lazyframe.executors.vectorized.functions.unscaled import (
    Unscaled,
    drop_places,
    fits,
    objects,
    times_power,
    to_float,
    too_long,
    unscaled,
    wide_array,
)
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import BOOL, DataType, integer_bounds, is_bool, is_decimal, is_float, is_integer

if TYPE_CHECKING:
    # To load it takes longer than all of this package.
    import numpy.typing as npt

Conversion: TypeAlias = "tuple[pa.Array, Mask | None]"
"""Values in the new type, and in which rows there is none, if in any; nulls stay null, and may be marked too."""

_EXACT = decimal.Context(prec=1400, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, rounding=decimal.ROUND_HALF_UP)


def cast_number(array: pa.Array, source: DataType, target: DataType, rounding: str) -> Conversion:
    """Cast between boolean and numeric types.

    Args:
        array: values of type `source`; decimals in any layout.
        source: a numeric type or bool.
        target: another.
        rounding: of floats and decimals to integers: `truncate` toward zero, or `half_even` as SQL has it, which rounds
            halves of floats to even and those of decimals away from zero.
    """
    if is_bool(source):
        array, source = pc.cast(array, pa.uint8()), pa.uint8()
        if target == source:
            return array, None
    if is_integer(source):
        return _from_integer(array, source, target)
    if is_float(source):
        return _from_float(array, source, target, rounding)
    return _from_decimal(array, source, target, rounding)


def _from_integer(array: pa.Array, source: DataType, target: DataType) -> Conversion:
    if is_bool(target):
        return pc.not_equal(array, arrow.scalar(0, source)), None
    if is_float(target):
        values = numpy_values(array).astype(numpy_type(target))
        return arrow_array(values, target, joint_validity([array])), None
    if is_decimal(target):
        return _decimal(times_power(unscaled(array), target.scale), target, array)
    return to_integer(array, target)


def to_integer(array: pa.Array, target: DataType) -> Conversion:
    """Integers as integers of another type."""
    least, greatest = integer_bounds(target)
    low, high = bounds(array)
    bad = None
    if low < least or high > greatest:
        values = numpy_values(array)
        bad = np.zeros(len(values), dtype=np.bool_)
        if low < least:
            bad |= values < least
        if high > greatest:
            bad |= values > greatest
    return pc.cast(array, target, safe=False), bad


def _from_float(array: pa.Array, source: DataType, target: DataType, rounding: str) -> Conversion:
    if is_bool(target):
        return pc.not_equal(array, arrow.scalar(0.0, source)), None
    values = numpy_values(array)
    validity = joint_validity([array])
    if is_float(target):
        with np.errstate(all="ignore"):
            return arrow_array(values.astype(numpy_type(target)), target, validity), None
    wide = values.astype(np.float64)
    if is_decimal(target):
        return _decimal_of_floats(wide, target, array)
    whole = np.rint(wide) if rounding == "half_even" else np.trunc(wide)
    least, greatest = integer_bounds(target)
    # One more than the greatest is a power of two, which a float can be; NaN is within no bounds.
    bad = ~((whole >= float(least)) & (whole < float(greatest + 1)))
    if bad.any():
        whole = np.where(bad, 0.0, whole)
    return arrow_array(whole.astype(numpy_type(target)), target, validity), bad


def _decimal_of_floats(values: npt.NDArray[np.float64], target: DataType, array: pa.Array) -> Conversion:
    """The exact value of each float, rounded half away from zero."""
    scale = target.scale
    bad = ~(np.abs(values) < 10.0 ** (target.precision - scale))
    values = np.where(bad, 0.0, values)
    doubtful: Mask | None = np.ones(len(values), dtype=np.bool_)
    whole = np.zeros(len(values))
    # Without places nothing is scaled, and nothing doubtful; but a float may be past int64 all the same.
    if scale <= 22 and (scale or target.precision < 19):
        whole, doubtful = scaled_half_away(values, scale)
    numbers = whole.astype(np.int64) if doubtful is None else np.where(doubtful, 0.0, whole).astype(np.int64)
    if doubtful is not None and doubtful.any():
        numbers = objects(numbers)
        for row in np.flatnonzero(doubtful).tolist():
            number = decimal.Decimal(float(values[row])).scaleb(scale, _EXACT)
            numbers[row] = int(number.to_integral_value(decimal.ROUND_HALF_UP, _EXACT))
    low, high = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    if fits(low, high):
        numbers = numbers.astype(np.int64)
    converted, too_many = _decimal(Unscaled(numbers, low, high), target, array)
    return converted, bad if too_many is None else bad | too_many


def _decimal(number: Unscaled, target: DataType, array: pa.Array) -> Conversion:
    """A decimal column of unscaled integers, and which of them have too many digits."""
    limit = 10**target.precision
    bad = None
    values = number.values
    if number.low <= -limit or number.high >= limit:
        bad = too_long(values, target)
        values = np.where(bad, 0, values)
    if values.dtype != object:
        return arrow_array(values, pa.int64(), joint_validity([array])), bad
    valid = valid_rows([array])
    if valid is not None:
        values = np.where(valid, values, 0)
    if fits(int(values.min(initial=0)), int(values.max(initial=0))):
        return arrow_array(values.astype(np.int64), pa.int64(), joint_validity([array])), bad
    return wide_array(values, target, joint_validity([array])), bad


def _from_decimal(array: pa.Array, source: DataType, target: DataType, rounding: str) -> Conversion:
    number = unscaled(array)
    validity = joint_validity([array])
    if is_bool(target):
        return arrow_array((number.values != 0).astype(np.bool_), BOOL, validity), None
    if is_float(target):
        return arrow_array(to_float(number, source.scale).astype(numpy_type(target)), target, validity), None
    if is_decimal(target):
        places = target.scale - source.scale
        rescaled = times_power(number, places) if places >= 0 else drop_places(number, -places)
        return _decimal(rescaled, target, array)
    if rounding == "half_even":
        whole = drop_places(number, source.scale).values
    else:
        wide = source.scale > 18 or number.low == -(1 << 63)
        whole = toward_zero(objects(number.values) if wide else number.values, 10**source.scale)
    least, greatest = integer_bounds(target)
    bad = ((whole < least) | (whole > greatest)).astype(np.bool_)
    return arrow_array(np.where(bad, 0, whole).astype(numpy_type(target)), target, validity), bad
