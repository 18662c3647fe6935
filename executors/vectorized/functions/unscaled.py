"""Decimals as the integers under them: int64 where all fit, else Python's own, which are exact at any size."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import narrowed, unscaled_values
from lazyframe.executors.vectorized.functions.layout import (
    Mask,
    arrow_array,
    bounds,
    buffer_values,
    joint_validity,
    numpy_values,
    valid_rows,
)
from lazyframe.executors.vectorized.kernel import KernelError, Value
from lazyframe.planner.types import DataType, is_decimal, type_name

if TYPE_CHECKING:
    # To load it takes longer than all of this package.
    import numpy.typing as npt

# Beyond this a float64 no longer holds every integer; and up to this power, ten is exact in it.
_EXACT_INTEGERS, _EXACT_POWERS = 1 << 53, 22
_WORD = (1 << 64) - 1
LEAST, GREATEST = -(1 << 63), (1 << 63) - 1
_ROOMY = decimal.Context(prec=100, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)


class Unscaled(NamedTuple):
    """The integers of a decimal column or constant.

    Args:
        values: an int64 array, or an array of Python integers; of no dimension for a constant. What stands where the column
            is null means nothing.
        low: the least of the values that are not null.
        high: the greatest of them.
    """

    values: npt.NDArray
    low: int
    high: int


def fits(low: int, high: int) -> bool:
    return low >= LEAST and high <= GREATEST


def scale_of(dtype: DataType) -> int:
    return dtype.scale if is_decimal(dtype) else 0


def unscaled(value: Value) -> Unscaled:
    """The integers of a decimal or integer column in any layout."""
    if isinstance(value, pa.Scalar):
        return constant(unscaled_integer(value.as_py(), scale_of(value.type)))
    if is_decimal(value.type):
        value = narrowed(value)
        if is_decimal(value.type):
            return _wide(value)
    low, high = bounds(value)
    if not fits(low, high):
        return Unscaled(_blank(numpy_values(value).astype(object), value), low, high)
    values = unscaled_values(value) if value.type == pa.int64() else numpy_values(value).astype(np.int64)
    return Unscaled(values, low, high)


def constant(number: int) -> Unscaled:
    return Unscaled(np.array(number, dtype=np.int64 if fits(number, number) else object), number, number)


def unscaled_integer(number: decimal.Decimal | int, scale: int) -> int:
    return number if isinstance(number, int) else int(number.scaleb(scale, _ROOMY))


def decimal_of(number: int, scale: int) -> decimal.Decimal:
    return decimal.Decimal(number).scaleb(-scale, _ROOMY)


def _wide(array: pa.Array) -> Unscaled:
    words = buffer_values(array, np.dtype([("low", "<u8"), ("high", "<i8")]))
    values = _blank(words["high"].astype(object) * (1 << 64) + words["low"].astype(object), array)
    return Unscaled(values, int(values.min(initial=0)), int(values.max(initial=0)))


def _blank(values: npt.NDArray, column: pa.Array) -> npt.NDArray:
    valid = valid_rows([column])
    if valid is not None:
        values[~valid] = 0
    return values


def objects(values: npt.NDArray) -> npt.NDArray:
    """The same integers as Python's."""
    return values if values.dtype == object else values.astype(object)


def times_power(number: Unscaled, power: int) -> Unscaled:
    """All values times ten to `power`."""
    if power == 0:
        return number
    factor = 10**power
    low, high = number.low * factor, number.high * factor
    if number.values.dtype == object or not fits(low, high) or power > 18:
        # numpy gives a bare integer where the array has no dimension.
        return Unscaled(np.asarray(objects(number.values) * factor, dtype=object), low, high)
    return Unscaled(number.values * np.int64(factor), low, high)


def quotient_half_away(numerator: npt.NDArray, divisor: npt.NDArray | int) -> npt.NDArray:
    """Quotients rounded to the nearest integer, halves away from zero; no divisor is zero."""
    size, by = np.abs(numerator), np.abs(divisor)
    quotient = size // by
    rest = size - quotient * by
    quotient = quotient + (rest >= by - rest)
    return np.where((numerator < 0) != (np.asarray(divisor) < 0), -quotient, quotient)


def _half_away(numerator: int, divisor: int) -> int:
    quotient = (2 * abs(numerator) + divisor) // (2 * divisor)
    return -quotient if numerator < 0 else quotient


def drop_places(number: Unscaled, places: int) -> Unscaled:
    """All values over ten to `places`, rounded half away from zero."""
    if places == 0:
        return number
    factor = 10**places
    low, high = (_half_away(n, factor) for n in (number.low, number.high))
    narrow = number.values.dtype != object and places <= 18
    if not narrow or max(-number.low, number.high) > GREATEST - factor:
        return Unscaled(quotient_half_away(objects(number.values), factor), low, high)
    # Magnitudes by the sign bits, in place: this runs over whole columns.
    signs = number.values >> 63
    quotient = number.values ^ signs
    quotient -= signs
    quotient += np.int64(factor // 2)
    quotient //= np.int64(factor)
    quotient ^= signs
    quotient -= signs
    return Unscaled(quotient, low, high)


def pack(
    values: npt.NDArray,
    dtype: DataType,
    inputs: Sequence[Value],
    describe: Callable[[int], str],
    *,
    bounded: bool = False,
) -> pa.Array:
    """A decimal column of the integers `values`, null where an input is.

    Args:
        values: int64 or Python integers, one a row.
        dtype: the column's type.
        inputs: what it was computed from.
        describe: says for a row what was computed, in a message.
        bounded: whether all values are known to have no more digits than `dtype`.

    Raises:
        KernelError: where a value has more digits than `dtype`.
    """
    validity = joint_validity(inputs)
    if values.dtype != object:
        narrow = arrow_array(values, pa.int64(), validity)
        if not bounded and dtype.precision < 19:
            _check(values, dtype, inputs, describe)
        return narrow
    valid = valid_rows(inputs)
    if valid is not None:
        values = np.where(valid, values, 0)
    _check(values, dtype, inputs, describe)
    if fits(int(values.min(initial=0)), int(values.max(initial=0))):
        return arrow_array(values.astype(np.int64), pa.int64(), validity)
    return wide_array(values, dtype, validity)


def _check(values: npt.NDArray, dtype: DataType, inputs: Sequence[Value], describe: Callable[[int], str]) -> None:
    bad = too_long(values, dtype)
    valid = valid_rows(inputs)
    rows = np.flatnonzero(bad if valid is None else bad & valid)
    if len(rows):
        row = int(rows[0])
        raise KernelError(f"decimal overflow: {describe(row)} does not fit in {type_name(dtype)}", row)


def too_long(values: npt.NDArray, dtype: DataType) -> Mask:
    """Which integers have more digits than a decimal type."""
    limit = 10**dtype.precision
    if values.dtype != object and dtype.precision > 18:
        return np.zeros(len(values), dtype=np.bool_)
    return ((values <= -limit) | (values >= limit)).astype(np.bool_)


def wide_array(values: npt.NDArray, dtype: DataType, validity: pa.Buffer | None) -> pa.Array:
    """A decimal128 column of Python integers."""
    words = np.empty(len(values), dtype=[("low", "<u8"), ("high", "<i8")])
    words["low"] = (values & _WORD).astype(np.uint64)
    words["high"] = (values >> 64).astype(np.int64)
    return arrow_array(words, dtype, validity)


def to_float(number: Unscaled, scale: int) -> npt.NDArray[np.float64]:
    """The nearest floats of decimals."""
    exact = max(-number.low, number.high) <= _EXACT_INTEGERS and scale <= _EXACT_POWERS
    if exact and number.values.dtype != object:
        return number.values / 10.0**scale
    divisor = 10**scale
    # Python divides integers of any size to the nearest float; numpy would round each of them first.
    return np.asarray(np.vectorize(lambda v: v / divisor, otypes=[np.float64])(objects(number.values)))
