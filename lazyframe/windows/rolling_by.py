"""Aggregates of a span of time, or of another measure, up to each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from lazyframe.boundary import public
from lazyframe.checks import check_choice, whole_number
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.unbound import Ordered
from lazyframe.windows.calls import where_enough, windowed
from lazyframe.windows.frame import CLOSED, direction, distance, opposite, range_between, together

if TYPE_CHECKING:
    from lazyframe.expr import Expr, IntoExpr


class RollingBy:
    """What can be computed from the rows that lie within a distance before each row, whatever the order of the rows.

    In all of these `by` is what the distance is measured by, `window_size` the distance, `min_samples` how many values must
    not be null for there to be a result, and `closed` which ends of the window belong to it.
    """

    __slots__ = ()

    @public
    def rolling_sum_by(self, by: IntoExpr, window_size: Any, *, min_samples: int = 1, closed: str = "right") -> Expr:
        """The sum of the values within a distance before the row.

        Args:
            by: a name or expression: a date or time, or a number.
            window_size: a span such as `"2d"` or `"1mo"`, a `timedelta`, or a number where `by` is one.
            min_samples: how many values must not be null.
            closed: which ends belong to the window: `"right"` (the row and its equals), `"left"`, `"both"` or `"none"`.

        Example:
            >>> import datetime
            >>> df = lf.from_dict({"t": [datetime.date(2024, 1, day) for day in (1, 2, 4)], "x": [1, 2, 3]})
            >>> df.select(lf.col("x").rolling_sum_by("t", "2d")).to_dict()
            {'x': [1, 3, 3]}
        """
        return self._rolling_by("sum", by, window_size, min_samples, closed)

    @public
    def rolling_mean_by(self, by: IntoExpr, window_size: Any, *, min_samples: int = 1, closed: str = "right") -> Expr:
        """The mean of the values within a distance before the row. For the arguments see `rolling_sum_by`."""
        return self._rolling_by("mean", by, window_size, min_samples, closed)

    @public
    def rolling_min_by(self, by: IntoExpr, window_size: Any, *, min_samples: int = 1, closed: str = "right") -> Expr:
        """The least of the values within a distance before the row. For the arguments see `rolling_sum_by`."""
        return self._rolling_by("min", by, window_size, min_samples, closed)

    @public
    def rolling_max_by(self, by: IntoExpr, window_size: Any, *, min_samples: int = 1, closed: str = "right") -> Expr:
        """The greatest of the values within a distance before the row. For the arguments see `rolling_sum_by`."""
        return self._rolling_by("max", by, window_size, min_samples, closed)

    @public
    def rolling_std_by(
        self, by: IntoExpr, window_size: Any, *, min_samples: int = 1, closed: str = "right", ddof: int = 1
    ) -> Expr:
        """The standard deviation of the values within a distance before the row. For the arguments see `rolling_sum_by`."""
        return self._rolling_by("std", by, window_size, min_samples, closed, ddof=ddof)

    @public
    def rolling_var_by(
        self, by: IntoExpr, window_size: Any, *, min_samples: int = 1, closed: str = "right", ddof: int = 1
    ) -> Expr:
        """The variance of the values within a distance before the row. For the arguments see `rolling_sum_by`."""
        return self._rolling_by("var", by, window_size, min_samples, closed, ddof=ddof)

    @public
    def rolling_median_by(self, by: IntoExpr, window_size: Any, *, min_samples: int = 1, closed: str = "right") -> Expr:
        """The median of the values within a distance before the row. For the arguments see `rolling_sum_by`."""
        return self._rolling_by("median", by, window_size, min_samples, closed)

    @public
    def rolling_quantile_by(
        self,
        by: IntoExpr,
        window_size: Any,
        q: float,
        interpolation: str = "linear",
        *,
        min_samples: int = 1,
        closed: str = "right",
    ) -> Expr:
        """A quantile of the values within a distance before the row. For the arguments see `rolling_sum_by`, `quantile`."""
        return self._rolling_by("quantile", by, window_size, min_samples, closed, q=q, interpolation=interpolation)

    def _rolling_by(
        self, function: str, by: Any, window_size: Any, min_samples: int, closed: str, **options: Any
    ) -> Expr:
        from lazyframe.expr import column_node

        check_choice("closed", closed, CLOSED)
        size = distance(window_size)
        if direction(size) < 1:
            raise InvalidArgumentError(f"window_size is a distance above 0, not {window_size!r}")
        frame = range_between(opposite(size), together(size, opposite(size)), closed)
        keys = (Ordered(column_node(by)),)
        found = windowed(function, self, keys=keys, frame=frame, **options)
        return where_enough(cast("Expr", self), found, frame, whole_number("min_samples", min_samples), keys)
