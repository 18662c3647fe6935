"""Arithmetic on integers that never wraps: what does not fit is an error."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions.layout import (
    arrow_array,
    bounds,
    first_row,
    joint_validity,
    numpy_type,
    numpy_values,
)
from lazyframe.executors.vectorized.kernel import KernelError, Value
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import DataType, integer_bounds, type_name

Range = tuple[int, int]


class Operation(NamedTuple):
    """An operation of two integers.

    Args:
        symbol: how messages show it.
        wrapping: the kernel for where nothing can overflow.
        checked: the kernel that raises where something does.
        exact: the operation on Python's integers.
        reach: from the ranges of the arguments to the range of the result; None where that is not worth knowing.
    """

    symbol: str
    wrapping: Callable[[Value, Value], pa.Array]
    checked: Callable[[Value, Value], pa.Array]
    exact: Callable[[int, int], int]
    reach: Callable[[Range, Range], Range] | None


def sum_range(a: Range, b: Range) -> Range:
    return a[0] + b[0], a[1] + b[1]


def difference_range(a: Range, b: Range) -> Range:
    return a[0] - b[1], a[1] - b[0]


def product_range(a: Range, b: Range) -> Range:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _exact_power(base: int, exponent: int) -> int:
    if exponent < 0:
        raise KernelError(f"an integer has no negative power: {base} ** {exponent}; cast to float64")
    # From 2 on the 64th power fits nowhere, and to compute it takes as long as it is great.
    return base ** min(exponent, 64 + exponent % 2)


ADD = Operation("+", pc.add, pc.add_checked, operator.add, sum_range)
SUBTRACT = Operation("-", pc.subtract, pc.subtract_checked, operator.sub, difference_range)
MULTIPLY = Operation("*", pc.multiply, pc.multiply_checked, operator.mul, product_range)
POWER = Operation("**", pc.power, pc.power_checked, _exact_power, None)


def compute(operation: Operation, a: Value, b: Value, dtype: DataType, what: str = "integer overflow") -> pa.Array:
    """`a` and `b`, of which one is a column at least, combined row by row.

    Raises:
        KernelError: where a result does not fit in `dtype`.
    """
    least, greatest = integer_bounds(dtype)
    if operation.reach is not None:
        low, high = operation.reach(bounds(a), bounds(b))
        if least <= low and high <= greatest:
            return operation.wrapping(a, b)
    try:
        return operation.checked(a, b)
    except pa.ArrowInvalid:
        return _exactly(operation, a, b, dtype, what)


def _exactly(operation: Operation, a: Value, b: Value, dtype: DataType, what: str) -> pa.Array:
    """Row by row, up to the first that does not fit."""
    least, greatest = integer_bounds(dtype)
    rows = len(a) if isinstance(a, pa.Array) else len(b)
    lefts = a.to_pylist() if isinstance(a, pa.Array) else [a.as_py()] * rows
    rights = b.to_pylist() if isinstance(b, pa.Array) else [b.as_py()] * rows
    results: list[int | None] = []
    for row, (x, y) in enumerate(zip(lefts, rights, strict=True)):
        if x is None or y is None:
            results.append(None)
            continue
        try:
            result = operation.exact(x, y)
        except KernelError as error:
            raise KernelError(error.message, row) from None
        if not least <= result <= greatest:
            raise KernelError(f"{what}: {x} {operation.symbol} {_bracketed(y)} does not fit in {type_name(dtype)}", row)
        results.append(result)
    return arrow.array(results, dtype)


def _bracketed(y: int) -> str:
    return f"({y})" if y < 0 else str(y)


def floor_divide(a: Value, b: Value, dtype: DataType) -> pa.Array:
    """Quotients rounded down."""
    return _divide(np.floor_divide, a, b, dtype)


def truncated_divide(a: Value, b: Value, dtype: DataType) -> pa.Array:
    """Quotients rounded toward zero."""
    return _divide(_truncated, a, b, dtype)


def modulo(a: Value, b: Value, dtype: DataType) -> pa.Array:
    """Remainders of floor division."""
    return _remainders(np.remainder, a, b, dtype)


def truncated_modulo(a: Value, b: Value, dtype: DataType) -> pa.Array:
    """Remainders of truncated division."""
    return _remainders(np.fmod, a, b, dtype)


def _truncated(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    quotient = np.floor_divide(x, y)
    quotient += (quotient < 0) & (np.fmod(x, y) != 0)
    return quotient


def _divide(quotients: Callable[[np.ndarray, np.ndarray], np.ndarray], a: Value, b: Value, dtype: DataType) -> pa.Array:
    x, y = _dividend_and_divisor(a, b, "//")
    least, _ = integer_bounds(dtype)
    if least < 0:
        row = _minimum_by_minus_one(x, y, a, b, least)
        if row is not None:
            raise KernelError(f"integer overflow: {least} // (-1) does not fit in {type_name(dtype)}", row)
    with np.errstate(divide="ignore", over="ignore"):
        return arrow_array(quotients(x, y), dtype, joint_validity([a, b]))


def _remainders(function: np.ufunc, a: Value, b: Value, dtype: DataType) -> pa.Array:
    x, y = _dividend_and_divisor(a, b, "%")
    with np.errstate(divide="ignore", over="ignore"):
        return arrow_array(function(x, y), dtype, joint_validity([a, b]))


def numpy_operand(value: Value) -> np.ndarray:
    """The integers of a column, or of a constant as an array of no dimension."""
    if isinstance(value, pa.Array):
        return numpy_values(value)
    return np.array(value.as_py(), dtype=numpy_type(value.type))


def _dividend_and_divisor(a: Value, b: Value, symbol: str) -> tuple[np.ndarray, np.ndarray]:
    x, y = numpy_operand(a), numpy_operand(b)
    zero = y == 0
    if zero.any():
        row = first_row(np.broadcast_to(zero, np.broadcast_shapes(x.shape, y.shape)), [a, b])
        if row is not None:
            raise KernelError(f"division by zero: {x if x.ndim == 0 else x[row]} {symbol} 0", row)
    return x, y


def _minimum_by_minus_one(x: np.ndarray, y: np.ndarray, a: Value, b: Value, least: int) -> int | None:
    minus_one = y == -1
    if not minus_one.any():
        return None
    bad = minus_one & (x == least)
    return first_row(bad, [a, b]) if bad.any() else None


def negate(a: pa.Array, dtype: DataType, what: str = "integer overflow") -> pa.Array:
    least, _ = integer_bounds(dtype)
    if bounds(a)[0] == least:
        row = first_row(numpy_values(a) == least, [a])
        raise KernelError(f"{what}: -({least}) does not fit in {type_name(dtype)}", row)
    return pc.negate(a)


def magnitude(a: pa.Array, dtype: DataType, what: str = "integer overflow") -> pa.Array:
    least, _ = integer_bounds(dtype)
    if least < 0 and bounds(a)[0] == least:
        row = first_row(numpy_values(a) == least, [a])
        raise KernelError(f"{what}: the magnitude of {least} does not fit in {type_name(dtype)}", row)
    return pc.abs(a)
