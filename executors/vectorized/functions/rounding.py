"""Rounding half away from zero, and to whole numbers.

A float is rounded by its exact binary value, and given as the float nearest to the result: 2.675 is a little less than it
looks, so that to two places it is 2.67 (as DuckDB 2 and Python have it), while 0.125 is a true half and becomes 0.13.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions.layout import (
    arrow_array,
    first_row,
    joint_validity,
    numpy_type,
    numpy_values,
)
from lazyframe.executors.vectorized.functions.subject import mapped
from lazyframe.executors.vectorized.functions.unscaled import (
    Unscaled,
    drop_places,
    objects,
    pack,
    times_power,
    unscaled,
)
from lazyframe.executors.vectorized.kernel import Arguments, KernelError, Value
from lazyframe.planner.types import DataType, integer_bounds, is_decimal, is_float, type_name

if TYPE_CHECKING:
    # To load it takes longer than all of this package.
    import numpy.typing as npt

# The greatest power of ten that a float64 holds exactly, and the digits by which every float is out of reach.
_EXACT_POWER, _ALL_DIGITS = 22, 1100
_EXACT = decimal.Context(prec=2400, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, rounding=decimal.ROUND_HALF_UP)


def round_digits(values: Sequence[Value], arguments: Arguments, rows: int) -> pa.Array:
    """Rounded to the option `digits` after the point."""
    (column,), (dtype,) = values, arguments.types
    digits = int(arguments.options.get("digits") or 0)  # type: ignore[call-overload]
    if is_float(dtype):
        rounded = round_floats(numpy_values(column).astype(np.float64), digits)
        return arrow_array(rounded.astype(numpy_type(dtype)), dtype, joint_validity(values))
    if is_decimal(dtype):
        number = _rounded(unscaled(column), dtype.scale - min(digits, dtype.scale), max(-digits, 0))
        return pack(number.values, arguments.result, values, lambda row: f"round({column[row]}, {digits})")
    if digits >= 0:
        return column
    return _round_integers(column, digits, dtype)


def truncate_digits(values: Sequence[Value], arguments: Arguments, rows: int) -> pa.Array:
    """Cut off after the option `digits` after the point."""
    return _digit_by_digit(values, arguments, decimal.ROUND_DOWN)


def round_to_even(values: Sequence[Value], arguments: Arguments, rows: int) -> pa.Array:
    """Rounded to the option `digits` after the point, halves to the even neighbour."""
    return _digit_by_digit(values, arguments, decimal.ROUND_HALF_EVEN)


def _digit_by_digit(values: Sequence[Value], arguments: Arguments, rule: str) -> pa.Array:
    """Each different value by its decimal digits; of a float those that are shown."""
    (column,), (dtype,) = values, arguments.types
    digits = int(arguments.options.get("digits") or 0)  # type: ignore[call-overload]
    step = decimal.Decimal(1).scaleb(-min(digits, 400), _EXACT)

    def of_one(value: float | decimal.Decimal) -> float | decimal.Decimal:
        exact = decimal.Decimal(repr(value)) if isinstance(value, float) else decimal.Decimal(value)
        if not exact.is_finite():
            return value
        found = exact.quantize(step, rule, _EXACT)
        return float(found) if is_float(dtype) else found if is_decimal(dtype) else int(found)

    return mapped(column, of_one, arguments.result)


def _rounded(number: Unscaled, places: int, power: int) -> Unscaled:
    """Without the last `places` digits, then times ten to `power`."""
    if places > 80:
        return Unscaled(np.zeros(len(number.values), dtype=np.int64), 0, 0)
    return times_power(drop_places(number, places), power)


def _round_integers(column: pa.Array, digits: int, dtype: DataType) -> pa.Array:
    number = _rounded(unscaled(column), -digits, -digits)
    least, greatest = integer_bounds(dtype)
    if number.low < least or number.high > greatest:
        row = first_row(((number.values < least) | (number.values > greatest)).astype(np.bool_), [column])
        if row is not None:
            raise KernelError(
                f"integer overflow: round({column[row]}, {digits}) does not fit in {type_name(dtype)}", row
            )
    values = (
        number.values
        if number.values.dtype != object
        else np.where((number.values >= least) & (number.values <= greatest), number.values, 0)
    )
    return arrow_array(values.astype(numpy_type(dtype)), dtype, joint_validity([column]))


def round_floats(x: npt.NDArray[np.float64], digits: int) -> npt.NDArray[np.float64]:
    """Floats rounded to `digits` after the point, halves away from zero."""
    if digits > _ALL_DIGITS:
        return x
    if digits < -_ALL_DIGITS:
        return np.where(np.isfinite(x), np.copysign(0.0, x), x)
    if abs(digits) > _EXACT_POWER:
        return np.array([round_exactly(v, digits) for v in x.tolist()], dtype=np.float64)
    whole, doubtful = scaled_half_away(x, digits)
    power = 10.0 ** abs(digits)
    with np.errstate(all="ignore"):
        result = whole / power if digits >= 0 else whole * power
    # Where a step of the float is wider than the digits asked for it stays as it is; infinities and NaN do as well.
    limit = 2.0**55 if digits > 0 else np.inf
    if not max(whole.max(initial=0.0), -whole.min(initial=0.0)) < limit:
        unmoved = ~(np.abs(whole) < limit)
        result[unmoved] = x[unmoved]
        doubtful = None if doubtful is None else doubtful & ~unmoved
    for row in [] if doubtful is None else np.flatnonzero(doubtful).tolist():
        result[row] = round_exactly(float(x[row]), digits)
    return result


def scaled_half_away(
    x: npt.NDArray[np.float64], digits: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_] | None]:
    """Floats times ten to `digits` (from -22 to 22), rounded to whole numbers, and for which this may be one off."""
    power = 10.0 ** abs(digits)
    with np.errstate(all="ignore"):
        scaled = x if digits == 0 else x * power if digits > 0 else x / power
        size = np.abs(scaled)
        whole = np.floor(size)
        rest = size - whole
        whole += rest >= 0.5
        doubtful = None
        if digits:
            # The product is off by half a step of its own at most.
            greatest = size.max(initial=0.0)
            ordinary = greatest < 2.0**51
            rest -= 0.5
            doubtful = np.abs(rest, out=rest) <= (greatest if ordinary else size) * 2.0**-52
            if not ordinary:
                doubtful = (doubtful | (size >= 2.0**51)) & np.isfinite(x)
    return np.copysign(whole, x, out=whole), doubtful


def round_exactly(value: float, digits: int) -> float:
    """One float, rounded by its exact value."""
    if value != value or value in (np.inf, -np.inf):  # noqa: PLR0124
        return value
    step = decimal.Decimal(1).scaleb(-digits, _EXACT)
    return float(decimal.Decimal(value).quantize(step, context=_EXACT))


def whole(floats: np.ufunc, integers: Callable[[npt.NDArray, int], npt.NDArray]) -> Callable[..., pa.Array]:
    """A kernel that gives whole numbers: by `floats` on floats, by `integers` on unscaled integers and their factor."""

    def run(values: Sequence[Value], arguments: Arguments, rows: int) -> pa.Array:
        (column,), (dtype,) = values, arguments.types
        if is_float(dtype):
            return arrow_array(floats(numpy_values(column)), dtype, joint_validity(values))
        if not is_decimal(dtype):
            return column
        number = unscaled(column)
        unsafe = dtype.scale > 18 or number.low == -(1 << 63)
        numbers = objects(number.values) if unsafe else number.values
        return pack(integers(numbers, 10**dtype.scale), arguments.result, values, lambda row: str(column[row]))

    return run


def toward_zero(numbers: npt.NDArray, factor: int) -> npt.NDArray:
    quotient = np.abs(numbers) // factor
    return np.where(numbers < 0, -quotient, quotient)


floor = whole(np.floor, lambda numbers, factor: numbers // factor)
ceil = whole(np.ceil, lambda numbers, factor: -(-numbers // factor))
trunc = whole(np.trunc, toward_zero)
