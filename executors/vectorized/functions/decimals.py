"""Exact arithmetic on decimals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions.integers import (
    Range,
    difference_range,
    product_range,
    sum_range,
)
from lazyframe.executors.vectorized.functions.layout import first_row
from lazyframe.executors.vectorized.functions.unscaled import (
    GREATEST,
    LEAST,
    Unscaled,
    decimal_of,
    fits,
    objects,
    pack,
    quotient_half_away,
    scale_of,
    times_power,
    unscaled,
)
from lazyframe.executors.vectorized.kernel import Arguments, KernelError, Value

if TYPE_CHECKING:
    # To load it takes longer than all of this package.
    import numpy.typing as npt

Combine: TypeAlias = "Callable[[npt.NDArray, npt.NDArray], npt.NDArray]"


def add(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    x, y = unscaled(a), unscaled(b)
    values = _combined(*_common(x, y, arguments), np.add, sum_range)
    return pack(values, arguments.result, [a, b], _description(x, y, arguments, "+"), bounded=True)


def subtract(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    x, y = unscaled(a), unscaled(b)
    values = _combined(*_common(x, y, arguments), np.subtract, difference_range)
    return pack(values, arguments.result, [a, b], _description(x, y, arguments, "-"), bounded=True)


def multiply(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    """Products. Places beyond the 38th are rounded half away from zero."""
    x, y = unscaled(a), unscaled(b)
    surplus = sum(scale_of(t) for t in arguments.types) - arguments.result.scale
    product = _combined(x, y, np.multiply, product_range)
    if surplus:
        product = quotient_half_away(objects(product), 10**surplus)
    return pack(product, arguments.result, [a, b], _description(x, y, arguments, "*"), bounded=not surplus)


def divide(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    """Quotients, rounded half away from zero in the last place of the result."""
    x, y = unscaled(a), unscaled(b)
    left, right = (scale_of(t) for t in arguments.types)
    divisors = _nonzero(x, y, [a, b], arguments, "/")
    shift = arguments.result.scale - left + right
    describe = _description(x, y, arguments, "/")
    stepped = _divide_by_steps(x, y, divisors, shift)
    if stepped is not None:
        return pack(stepped, arguments.result, [a, b], describe)
    numerator = times_power(x, max(shift, 0))
    if shift < 0:
        divisors = objects(divisors) * 10**-shift
    if _narrow(numerator.values, divisors) and min(numerator.low, y.low) > LEAST:
        quotient = quotient_half_away(numerator.values, divisors)
    else:
        quotient = quotient_half_away(objects(numerator.values), objects(divisors))
    return pack(quotient, arguments.result, [a, b], describe)


def _divide_by_steps(x: Unscaled, y: Unscaled, divisors: npt.NDArray, places: int) -> npt.NDArray | None:
    """Quotients to `places` after the point by long division, as many digits at a time as int64 has room for.

    None where a quotient may not fit in int64, or there is no room.
    """
    size, by = max(-x.low, x.high), max(-y.low, y.high, 1)
    if places <= 0 or not _narrow(x.values, divisors) or not fits(-size, size) or not fits(-by, by):
        return None
    room = len(str(GREATEST // by)) - 1
    if room == 0 or size * 10**places >= GREATEST // 2:
        # What the quotients come to is known only once they are there.
        whole = np.abs(x.values) // np.abs(divisors) if room else None
        if whole is None or (int(whole.max(initial=0)) + 1) * 10**places >= GREATEST // 2:
            return None
    rest, divisor = np.abs(x.values), np.abs(divisors)
    quotient = rest // divisor
    rest -= quotient * divisor
    while places:
        step = min(room, places)
        rest *= np.int64(10**step)
        digits = rest // divisor
        rest -= digits * divisor
        quotient *= np.int64(10**step)
        quotient += digits
        places -= step
    quotient += rest >= divisor - rest
    return np.where((x.values < 0) != (divisors < 0), -quotient, quotient)


def floor_divide(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    """Quotients rounded down to a whole number."""
    x, y = unscaled(a), unscaled(b)
    numerator, divisors = _common(x, y, arguments)
    wide = numerator.low == LEAST
    quotient = _divided(numerator, _nonzero(x, divisors, [a, b], arguments, "//"), np.floor_divide, wide=wide)
    return pack(quotient, arguments.result, [a, b], _description(x, y, arguments, "//"))


def modulo(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    """Remainders of floor division."""
    return _remainders(np.remainder, a, b, arguments)


def truncated_modulo(a: Value, b: Value, arguments: Arguments) -> pa.Array:
    """Remainders of truncated division."""
    return _remainders(_truncated_remainder, a, b, arguments)


def _truncated_remainder(x: npt.NDArray, y: npt.NDArray) -> npt.NDArray:
    rest = np.abs(x) % np.abs(y)
    return np.where(x < 0, -rest, rest)


def _remainders(combine: Combine, a: Value, b: Value, arguments: Arguments) -> pa.Array:
    x, y = unscaled(a), unscaled(b)
    numerator, divisors = _common(x, y, arguments)
    wide = min(numerator.low, divisors.low) == LEAST
    rest = _divided(numerator, _nonzero(x, divisors, [a, b], arguments, "%"), combine, wide=wide)
    return pack(rest, arguments.result, [a, b], _description(x, y, arguments, "%"), bounded=True)


def negate(a: pa.Array, arguments: Arguments) -> pa.Array:
    return pack(-_safe(unscaled(a)), arguments.result, [a], str, bounded=True)


def magnitude(a: pa.Array, arguments: Arguments) -> pa.Array:
    return pack(np.abs(_safe(unscaled(a))), arguments.result, [a], str, bounded=True)


def sign(a: pa.Array) -> npt.NDArray[np.int8]:
    """-1, 0 or 1 for each row."""
    values = unscaled(a).values
    return (values > 0).astype(np.int8) - (values < 0).astype(np.int8)


def _narrow(x: npt.NDArray, y: npt.NDArray) -> bool:
    return x.dtype == y.dtype == np.int64


def _safe(number: Unscaled) -> npt.NDArray:
    """Values whose negatives are as well."""
    return objects(number.values) if number.low == LEAST else number.values


def _common(x: Unscaled, y: Unscaled, arguments: Arguments) -> tuple[Unscaled, Unscaled]:
    left, right = (scale_of(t) for t in arguments.types)
    scale = max(left, right)
    return times_power(x, scale - left), times_power(y, scale - right)


def _combined(x: Unscaled, y: Unscaled, combine: Combine, reach: Callable[[Range, Range], Range]) -> npt.NDArray:
    """In int64 where no result can leave it, else exactly."""
    if _narrow(x.values, y.values) and fits(*reach((x.low, x.high), (y.low, y.high))):
        return combine(x.values, y.values)
    return combine(objects(x.values), objects(y.values))


def _divided(x: Unscaled, divisors: npt.NDArray, combine: Combine, *, wide: bool = False) -> npt.NDArray:
    if _narrow(x.values, divisors) and not wide:
        with np.errstate(over="ignore"):
            return combine(x.values, divisors)
    return combine(objects(x.values), objects(divisors))


def _nonzero(x: Unscaled, y: Unscaled, values: Sequence[Value], arguments: Arguments, symbol: str) -> npt.NDArray:
    """The divisors, 1 where they stand under a null.

    Raises:
        KernelError: where one is zero.
    """
    zero = (y.values == 0).astype(np.bool_)
    if not zero.any():
        return y.values
    row = first_row(np.broadcast_to(zero, np.broadcast_shapes(x.values.shape, zero.shape)), values)
    if row is not None:
        dividend = x.values if x.values.ndim == 0 else x.values[row]
        shown = decimal_of(int(dividend), scale_of(arguments.types[0]))
        raise KernelError(f"division by zero: {shown} {symbol} 0", row)
    return np.where(zero, y.values.dtype.type(1) if y.values.dtype != object else 1, y.values)


def _description(x: Unscaled, y: Unscaled, arguments: Arguments, symbol: str) -> Callable[[int], str]:
    def describe(row: int) -> str:
        shown = [
            decimal_of(int(n.values if n.values.ndim == 0 else n.values[row]), scale_of(t))
            for n, t in zip((x, y), arguments.types, strict=True)
        ]
        return f"{shown[0]} {symbol} {shown[1]}"

    return describe
