"""What a comparison of f(x) with a constant says of x, where f never falls as x grows.

The values of x are integers in some unit (see `Line`), so that a constant c cuts them in two places: at the first x with
f(x) >= c, and at the first with f(x) > c. Where the two are one place, no f(x) is c.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import pyarrow as pa

from lazyframe.planner.algebra.points import Line, constant_unless_null
from lazyframe.planner.scalars import Call, Column, Scalar, uncast


class Cut(NamedTuple):
    """Where a constant cuts a line of integers.

    Args:
        lower: the first integer whose image is not less than the constant.
        upper: the first whose image is greater; `lower` where no image is the constant.
    """

    lower: int
    upper: int


Preimage = Callable[[pa.Scalar], Cut | None]
"""From a constant to where it cuts the line of x; None where that is not known."""


def cut_at(number: Fraction | int) -> Cut:
    """The cut at a number, where the image of an integer is itself."""
    return Cut(math.ceil(number), math.floor(number) + 1)


def compared(function: str, x: Scalar, cut: Cut, line: Line) -> Scalar | None:
    """`f(x) <function> c` as a condition on x; None where that would evaluate x twice and costs more than it saves."""
    lower, upper = cut
    if line.is_past(lower) or line.is_past(upper):
        return None
    if upper == lower + 1 and line.least <= lower <= line.greatest:
        return Call(function, (x, line.literal(lower)))
    match function:
        case "less":
            return _below(x, lower, line)
        case "less_equal":
            return _below(x, upper, line)
        case "greater":
            return _from(x, upper, line)
        case "greater_equal":
            return _from(x, lower, line)
    equal = function == "equal"
    if upper == lower or upper <= line.least or lower > line.greatest:
        return constant_unless_null(x, value=not equal)
    if not _is_cheap(x):
        return None
    if equal:
        return _range(x, lower, upper, line)
    return Call("or", (_below(x, lower, line), _from(x, upper, line)))


def among(x: Scalar, cuts: Sequence[Cut], line: Line, *, nulls: int) -> Scalar | None:
    """Whether f(x) is one of some constants, as a condition on x.

    Args:
        x: what f is applied to.
        cuts: where the constants cut its line.
        line: the values of x.
        nulls: how many constants are null.

    Not where x would be compared with more than a few ranges.
    """
    if any([line.is_past(each) for cut in cuts for each in cut]):
        return None
    ranges = sorted({(max(c.lower, line.least), min(c.upper, line.greatest + 1)) for c in cuts})
    ranges = [(lower, upper) for lower, upper in ranges if lower < upper]
    if all([upper == lower + 1 for lower, upper in ranges]):
        if not ranges and not nulls:
            return constant_unless_null(x, value=False)
        members = line.array([lower for lower, _ in ranges] + [None] * nulls)
        return Call("is_in", (x,), (("values", members),))
    merged: list[tuple[int, int]] = []
    for lower, upper in ranges:
        if merged and lower <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(upper, merged[-1][1]))
        else:
            merged.append((lower, upper))
    if nulls or len(merged) > _RANGES or not _is_cheap(x):
        return None
    found = _range(x, *merged[0], line)
    for lower, upper in merged[1:]:
        found = Call("or", (found, _range(x, lower, upper, line)))
    return found


_RANGES = 4
"""More ranges than these cost more to compare with than f costs to compute, unless that is much."""


def _is_cheap(x: Scalar) -> bool:
    """Whether it is a column, converted or not: what is computed costs more to compute twice than a comparison saves."""
    return isinstance(uncast(x), Column)


def _range(x: Scalar, lower: int, upper: int, line: Line) -> Scalar:
    """`lower <= x < upper`, of which one side may be open, where some but not all values are within."""
    if lower <= line.least:
        return _below(x, upper, line)
    if upper > line.greatest:
        return _from(x, lower, line)
    return Call("and", (_from(x, lower, line), _below(x, upper, line)))


def _below(x: Scalar, limit: int, line: Line) -> Scalar:
    if limit <= line.least or limit > line.greatest:
        return constant_unless_null(x, value=limit > line.greatest)
    return Call("less", (x, line.literal(limit)))


def _from(x: Scalar, limit: int, line: Line) -> Scalar:
    if limit <= line.least or limit > line.greatest:
        return constant_unless_null(x, value=limit <= line.least)
    return Call("greater_equal", (x, line.literal(limit)))
