"""Aggregates of all rows so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lazyframe.boundary import public
from lazyframe.windows.calls import where_present, windowed
from lazyframe.windows.frame import rows_between

if TYPE_CHECKING:
    from lazyframe.expr import Expr


class Cumulative:
    """What can be computed from the values up to each row, with it."""

    __slots__ = ()

    @public
    def cum_sum(self, *, reverse: bool = False) -> Expr:
        """The sum of the values so far; null where the value is null.

        Args:
            reverse: whether it is from the row to the last one.

        Example:
            >>> df = lf.from_dict({"k": ["a", "b", "a", "a"], "x": [1, 2, None, 4]})
            >>> df.select(lf.col("x").cum_sum().alias("all"), lf.col("x").cum_sum().over("k")).to_dict()
            {'all': [1, 3, None, 7], 'x': [1, 2, None, 5]}
        """
        return self._so_far("sum", reverse=reverse)

    @public
    def cum_min(self, *, reverse: bool = False) -> Expr:
        """The least value so far; null where the value is null. For `reverse` see `cum_sum`."""
        return self._so_far("min", reverse=reverse)

    @public
    def cum_max(self, *, reverse: bool = False) -> Expr:
        """The greatest value so far; null where the value is null. For `reverse` see `cum_sum`."""
        return self._so_far("max", reverse=reverse)

    @public
    def cum_prod(self, *, reverse: bool = False) -> Expr:
        """The product of the values so far; null where the value is null. For `reverse` see `cum_sum`."""
        return self._so_far("product", reverse=reverse)

    @public
    def cum_count(self, *, reverse: bool = False) -> Expr:
        """How many of the values so far are not null. For `reverse` see `cum_sum`."""
        return windowed("count", self, frame=rows_between(0, None) if reverse else rows_between(None, 0))

    def _so_far(self, function: str, *, reverse: bool) -> Expr:
        frame = rows_between(0, None) if reverse else rows_between(None, 0)
        return where_present(cast("Expr", self), windowed(function, self, frame=frame))
