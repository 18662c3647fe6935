"""Window functions of a row's place, which an `over()` gives the order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazyframe.boundary import public
from lazyframe.checks import whole_number
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.windows.calls import windowed

if TYPE_CHECKING:
    from lazyframe.expr import Expr


@public
def row_number() -> Expr:
    """The number of the row in its partition, from 1.

    Example:
        >>> df = lf.from_dict({"k": ["a", "a", "b"], "t": [2, 1, 1]})
        >>> df.with_columns(n=lf.row_number().over("k", order_by="t")).to_dicts()
        [{'k': 'a', 't': 2, 'n': 2}, {'k': 'a', 't': 1, 'n': 1}, {'k': 'b', 't': 1, 'n': 1}]
    """
    return windowed("row_number")


@public
def rank() -> Expr:
    """SQL's RANK: one more than the rows before that are not equal in what `over()` orders by.

    Example:
        >>> df = lf.from_dict({"x": [10, 20, 20, 5]})
        >>> df.select("x", r=lf.rank().over(order_by="x", descending=True)).to_dict()
        {'x': [10, 20, 20, 5], 'r': [3, 1, 1, 4]}
    """
    return windowed("rank")


@public
def dense_rank() -> Expr:
    """SQL's DENSE_RANK: one more than the different values before, of what `over()` orders by."""
    return windowed("dense_rank")


@public
def percent_rank() -> Expr:
    """SQL's PERCENT_RANK: the rank from 0 to 1."""
    return windowed("percent_rank")


@public
def cume_dist() -> Expr:
    """SQL's CUME_DIST: the share of the rows that are not behind the row in what `over()` orders by."""
    return windowed("cume_dist")


@public
def ntile(n: int) -> Expr:
    """SQL's NTILE: which of `n` buckets of almost equal size the row is in, from 1; the first ones are the larger.

    Example:
        >>> lf.from_dict({"x": [5, 3, 4]}).select(lf.ntile(2).over(order_by="x").alias("half")).to_dict()
        {'half': [2, 1, 1]}
    """
    if whole_number("n", n) < 1:
        raise InvalidArgumentError("n is a whole number of 1 or more, not 0")
    return windowed("ntile", n)
