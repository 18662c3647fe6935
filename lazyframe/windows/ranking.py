"""Ranks of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lazyframe.boundary import public
from lazyframe.checks import check_choice
from lazyframe.planner.unbound import Ordered
from lazyframe.windows.calls import where_present, windowed

if TYPE_CHECKING:
    from lazyframe.expr import Expr

METHODS = ("average", "min", "max", "dense", "ordinal")


class Ranking:
    """Where a value stands among all."""

    __slots__ = ()

    @public
    def rank(self, method: str = "average", *, descending: bool = False) -> Expr:
        """The rank of each value among all, from 1; null where the value is null.

        Args:
            method: what equal values get: the `"average"` of their places (as a float), the `"min"` or the `"max"` of them,
                one number for each different value (`"dense"`), or each its own in the order of the rows (`"ordinal"`).
            descending: whether the greatest value is the first.

        Example:
            >>> lf.from_dict({"x": [3, 6, 1, 6]}).select(lf.col("x").rank("min", descending=True)).to_dict()
            {'x': [3, 1, 4, 1]}
        """
        check_choice("method", method, METHODS)
        value = cast("Expr", self)
        keys = (Ordered(value._node, descending, False),)
        match method:
            case "ordinal":
                found = windowed("row_number", keys=keys)
            case "dense":
                found = windowed("dense_rank", keys=keys)
            case "min":
                found = windowed("rank", keys=keys)
            case "max":
                found = windowed("len", keys=keys)
            case _:
                found = (windowed("rank", keys=keys) + windowed("len", keys=keys)) / 2
        return where_present(value, found)
