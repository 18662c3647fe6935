"""Values of the rows before and behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from lazyframe.boundary import public
from lazyframe.checks import integer, whole_number
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.windows.calls import windowed

if TYPE_CHECKING:
    from lazyframe.expr import Expr, IntoExpr


class Neighbours:
    """What can be computed from the values of other rows."""

    __slots__ = ()

    @public
    def shift(self, n: int = 1, *, fill_value: IntoExpr = None) -> Expr:
        """The value `n` rows before; behind where `n` is negative.

        Args:
            n: how many rows.
            fill_value: what stands where there is no such row.

        Example:
            >>> df = lf.from_dict({"k": ["a", "b", "a"], "x": [1, 2, 3]})
            >>> df.select(lf.col("x").shift().alias("before"), lf.col("x").shift(-1, fill_value=0).over("k")).to_dict()
            {'before': [None, 1, 2], 'x': [3, 0, 0]}
        """
        return self.lag(n, fill_value)

    @public
    def lag(self, n: int = 1, default: IntoExpr = None, *, ignore_nulls: bool = False) -> Expr:
        """The value `n` rows before.

        Args:
            n: how many rows.
            default: what stands where there is no such row.
            ignore_nulls: whether rows with a null are not counted.
        """
        return self._neighbour("lag", n, default, ignore_nulls)

    @public
    def lead(self, n: int = 1, default: IntoExpr = None, *, ignore_nulls: bool = False) -> Expr:
        """The value `n` rows behind. For the arguments see `lag`.

        Example:
            >>> df = lf.from_dict({"t": [2, 3, 1], "x": ["b", "c", "a"]})
            >>> df.select("x", then=lf.col("x").lead().over(order_by="t")).to_dicts()
            [{'x': 'b', 'then': 'c'}, {'x': 'c', 'then': None}, {'x': 'a', 'then': 'b'}]
        """
        return self._neighbour("lead", n, default, ignore_nulls)

    def _neighbour(self, function: str, n: int, default: Any, ignore_nulls: bool) -> Expr:
        more = [] if default is None else [default]
        return windowed(function, self, integer("n", n), *more, **_ignoring(ignore_nulls))

    @public
    def diff(self, n: int = 1) -> Expr:
        """The value less the one `n` rows before.

        Example:
            >>> lf.from_dict({"x": [1, 4, 9]}).select(lf.col("x").diff()).to_dict()
            {'x': [None, 3, 5]}
        """
        return cast("Expr", self) - self.lag(n)

    @public
    def pct_change(self, n: int = 1) -> Expr:
        """By what share of the value `n` rows before the value differs from it.

        Example:
            >>> lf.from_dict({"x": [10, 11, 22]}).select(lf.col("x").pct_change().round(3)).to_dict()
            {'x': [None, 0.1, 1.0]}
        """
        return cast("Expr", self) / self.lag(n) - 1

    @public
    def first_value(self, *, ignore_nulls: bool = False) -> Expr:
        """The value of the first row of the frame.

        Args:
            ignore_nulls: whether rows with a null are left out.
        """
        return windowed("first_value", self, **_ignoring(ignore_nulls))

    @public
    def last_value(self, *, ignore_nulls: bool = False) -> Expr:
        """The value of the last row of the frame. With an order and no frame of its own that is the row, or its last equal.

        Args:
            ignore_nulls: whether rows with a null are left out.
        """
        return windowed("last_value", self, **_ignoring(ignore_nulls))

    @public
    def nth_value(self, n: int, *, from_last: bool = False, ignore_nulls: bool = False) -> Expr:
        """The value of the frame's row of that number; null where it has fewer.

        Args:
            n: the number, from 1.
            from_last: whether it is counted from the last row.
            ignore_nulls: whether rows with a null are left out.

        Example:
            >>> df = lf.from_dict({"k": ["a", "a", "b"], "x": [1, 2, 3]})
            >>> df.select(lf.col("x").nth_value(2).over("k")).to_dict()
            {'x': [2, 2, None]}
        """
        if whole_number("n", n) < 1:
            raise InvalidArgumentError("n is a whole number of 1 or more, not 0")
        options: dict[str, Any] = {"counted_from": "last"} if from_last else {}
        return windowed("nth_value", self, n, **options, **_ignoring(ignore_nulls))

    @public
    def forward_fill(self, limit: int | None = None) -> Expr:
        """The value, or where it is null the last one before that is not.

        Args:
            limit: how many nulls in a row are filled; all by default.

        Example:
            >>> lf.from_dict({"x": [None, 1, None, None]}).select(lf.col("x").forward_fill(limit=1)).to_dict()
            {'x': [None, 1, 1, None]}
        """
        return self._fill("forward", limit)

    @public
    def backward_fill(self, limit: int | None = None) -> Expr:
        """The value, or where it is null the first one behind that is not. For `limit` see `forward_fill`."""
        return self._fill("backward", limit)

    def _fill(self, direction: str, limit: int | None) -> Expr:
        options: dict[str, Any] = {} if limit is None else {"limit": whole_number("limit", limit)}
        return windowed("fill", self, direction=direction, **options)


def _ignoring(nulls: bool) -> dict[str, Any]:
    """The option of a function that may leave nulls out."""
    return {"ignore_nulls": True} if nulls else {}
