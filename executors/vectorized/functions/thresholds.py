"""Integers compared with a constant that is none of their type: as two integers between which it lies.

A decimal column is its unscaled integers here, and the constant any number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import DataType, integer_bounds

INFINITE = 1 << 200
"""Beyond all integers of a column."""

_PAST_DECIMALS = 1e40


class Threshold(NamedTuple):
    """Where a constant stands among the integers.

    Args:
        lower: the least integer that is not less than it.
        upper: the least integer that is greater than it; `lower` itself where no integer equals it.
    """

    lower: int
    upper: int


def exact(number: Fraction | int) -> Threshold:
    return Threshold(math.ceil(number), math.floor(number) + 1)


def of_float(number: float) -> Threshold:
    """Where a float stands among integers, by value; NaN is after all."""
    if math.isnan(number) or number == math.inf:
        return Threshold(INFINITE, INFINITE)
    if number == -math.inf:
        return Threshold(-INFINITE, -INFINITE)
    return exact(Fraction(number))


def of_float_among_decimals(number: float, scale: int) -> Threshold:
    """Where a float stands among decimals of a scale that are compared as the nearest floats."""
    if not abs(number) < _PAST_DECIMALS:
        return of_float(number if math.isnan(number) else math.copysign(math.inf, number))
    divisor = 10**scale
    guess = math.floor(Fraction(number) * divisor)
    # The nearest float of v / divisor never falls as v grows, and half a step of the float is as far as one can be off.
    reach = math.ceil(Fraction(math.ulp(number)) * divisor) + 1
    return Threshold(
        _first(lambda v: _nearest(v, divisor) >= number, guess - reach, guess + reach),
        _first(lambda v: _nearest(v, divisor) > number, guess - reach, guess + reach),
    )


def _nearest(value: int, divisor: int) -> float:
    return value / divisor


def _first(test: Callable[[int], bool], low: int, high: int) -> int:
    """The least integer from `low` for which `test` holds; it does for `high`, and for all after one."""
    while low < high:
        middle = (low + high) // 2
        if test(middle):
            high = middle
        else:
            low = middle + 1
    return low


def compare(name: str, column: pa.Array, threshold: Threshold, dtype: DataType) -> pa.Array:
    """`column` compared with the constant.

    Args:
        name: of the comparison, with the column on its left.
        column: integers.
        threshold: where the constant stands.
        dtype: the column's integer type.
    """
    lower, upper = threshold
    match name:
        case "less":
            return _below(column, lower, dtype)
        case "less_equal":
            return _below(column, upper, dtype)
        case "greater":
            return _not_below(column, upper, dtype)
        case "greater_equal":
            return _not_below(column, lower, dtype)
        case "equal":
            return _within(column, lower, upper, dtype)
        case _:
            return pc.invert(_within(column, lower, upper, dtype))


def _within(column: pa.Array, lower: int, upper: int, dtype: DataType) -> pa.Array:
    least, greatest = integer_bounds(dtype)
    if upper == lower + 1 and least <= lower <= greatest:
        return pc.equal(column, arrow.scalar(lower, dtype))
    if upper == lower or upper <= least or lower > greatest:
        return everywhere(column, value=False)
    return pc.and_(_not_below(column, lower, dtype), _below(column, upper, dtype))


def _below(column: pa.Array, limit: int, dtype: DataType) -> pa.Array:
    least, greatest = integer_bounds(dtype)
    if limit <= least or limit > greatest:
        return everywhere(column, value=limit > greatest)
    return pc.less(column, arrow.scalar(limit, dtype))


def _not_below(column: pa.Array, limit: int, dtype: DataType) -> pa.Array:
    least, greatest = integer_bounds(dtype)
    if limit <= least or limit > greatest:
        return everywhere(column, value=limit <= least)
    return pc.greater_equal(column, arrow.scalar(limit, dtype))


def everywhere(column: pa.Array, *, value: bool) -> pa.Array:
    """The same answer in all rows that are not null."""
    valid = column.is_valid()
    same = pc.or_(valid, True) if value else pc.and_(valid, False)
    return same if column.null_count == 0 else pc.if_else(valid, same, arrow.scalar(None, pa.bool_()))
