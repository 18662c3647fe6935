"""Kernels of functions of integers as bits and as digits."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions.layout import (
    Mask,
    arrow_array,
    first_row,
    joint_validity,
    numpy_values,
)
from lazyframe.executors.vectorized.functions.subject import mapped, of_columns
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import integer_bounds, type_name

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _not(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    return arrow_array(~numpy_values(values), values.type, joint_validity([values]))


def _refuse(bad: Mask, numbers: pa.Array, places: pa.Array, what: str) -> None:
    if bad.any() and (row := first_row(bad, [numbers, places])) is not None:
        raise KernelError(f"{what}: {numbers[row]} and {places[row]} places", row)


def _left(numbers: pa.Array, places: pa.Array, *, arguments: Arguments) -> pa.Array:
    x, n = numpy_values(numbers), numpy_values(places)
    _refuse(n < 0, numbers, places, "bits are not moved up by a negative number")
    least, greatest = integer_bounds(arguments.result)
    width = np.clip(n, 0, 63).astype(x.dtype)
    # Rounded down, so that the least number itself fits.
    over = (x > greatest >> width) | (x < least >> width) | ((n > 63) & (x != 0))
    _refuse(over, numbers, places, f"moved up, the bits do not fit in {type_name(arguments.result)}")
    return arrow_array(
        np.where(n > 63, 0, x << width).astype(x.dtype), arguments.result, joint_validity([numbers, places])
    )


def _right(numbers: pa.Array, places: pa.Array, *, arguments: Arguments) -> pa.Array:
    x, n = numpy_values(numbers), numpy_values(places)
    _refuse(n < 0, numbers, places, "bits are not moved down by a negative number")
    return arrow_array(x >> np.clip(n, 0, 63).astype(x.dtype), arguments.result, joint_validity([numbers, places]))


def _count(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    x = numpy_values(values)
    bits = x.view(f"u{x.dtype.itemsize}")
    return arrow_array(np.bitwise_count(bits).astype(np.int8), pa.int8(), joint_validity([values]))


def _digits(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    base, least = (arguments.options.get(name, default) for name, default in (("base", 10), ("least", 1)))
    assert isinstance(base, int)
    assert isinstance(least, int)

    def write(number: int) -> str:
        number += (1 << 64) * (number < 0)
        written = ""
        while number:
            number, digit = divmod(number, base)
            written = _DIGITS[digit] + written
        return written.rjust(least, "0")

    negative = pc.less(values, 0)
    if base not in (2, 16) and pc.any(negative, min_count=0).as_py():
        row = int(np.argmax(arrow.numpy_of(pc.fill_null(negative, False))))
        raise KernelError(f"the negative number {values[row]} has no digits in base {base}", row)
    return mapped(values, write, pa.string())


KERNELS: dict[str, Kernel] = {
    "bit_not": of_columns(_not),
    "shift_left": of_columns(_left),
    "shift_right": of_columns(_right),
    "bit_count": of_columns(_count),
    "digits": of_columns(_digits),
}
