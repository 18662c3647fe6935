"""Aggregates of a number of rows up to each row, or around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from lazyframe.boundary import public
from lazyframe.checks import whole_number
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.windows.calls import where_enough, windowed
from lazyframe.windows.frame import rows_between

if TYPE_CHECKING:
    from lazyframe.expr import Expr


class Rolling:
    """What can be computed from the last rows.

    In all of these `window_size` is how many rows a window has, `min_samples` how many of its values must not be null for
    there to be a result (by default as many as it has rows), and `center` whether it lies around the row instead of ending
    with it.
    """

    __slots__ = ()

    @public
    def rolling_sum(self, window_size: int, *, min_samples: int | None = None, center: bool = False) -> Expr:
        """The sum of the last values.

        Args:
            window_size: how many rows are looked at, the row itself included.
            min_samples: how many values must not be null; by default all.
            center: whether the row lies in the middle of them.

        Example:
            >>> df = lf.from_dict({"x": [1, 2, 3, 4]})
            >>> df.select(lf.col("x").rolling_sum(2).alias("two"), lf.col("x").rolling_sum(3, min_samples=1)).to_dict()
            {'two': [None, 3, 5, 7], 'x': [1, 3, 6, 9]}
        """
        return self._rolling("sum", window_size, min_samples, center)

    @public
    def rolling_mean(self, window_size: int, *, min_samples: int | None = None, center: bool = False) -> Expr:
        """The mean of the last values. For the arguments see `rolling_sum`.

        Example:
            >>> lf.from_dict({"x": [1, 2, 6]}).select(lf.col("x").rolling_mean(3, center=True, min_samples=2)).to_dict()
            {'x': [1.5, 3.0, 4.0]}
        """
        return self._rolling("mean", window_size, min_samples, center)

    @public
    def rolling_min(self, window_size: int, *, min_samples: int | None = None, center: bool = False) -> Expr:
        """The least of the last values. For the arguments see `rolling_sum`."""
        return self._rolling("min", window_size, min_samples, center)

    @public
    def rolling_max(self, window_size: int, *, min_samples: int | None = None, center: bool = False) -> Expr:
        """The greatest of the last values. For the arguments see `rolling_sum`."""
        return self._rolling("max", window_size, min_samples, center)

    @public
    def rolling_std(
        self, window_size: int, *, min_samples: int | None = None, center: bool = False, ddof: int = 1
    ) -> Expr:
        """The standard deviation of the last values. For the arguments see `rolling_sum` and `std`."""
        return self._rolling("std", window_size, min_samples, center, ddof=ddof)

    @public
    def rolling_var(
        self, window_size: int, *, min_samples: int | None = None, center: bool = False, ddof: int = 1
    ) -> Expr:
        """The variance of the last values. For the arguments see `rolling_sum` and `std`."""
        return self._rolling("var", window_size, min_samples, center, ddof=ddof)

    @public
    def rolling_median(self, window_size: int, *, min_samples: int | None = None, center: bool = False) -> Expr:
        """The median of the last values. For the arguments see `rolling_sum`."""
        return self._rolling("median", window_size, min_samples, center)

    @public
    def rolling_quantile(
        self,
        q: float,
        interpolation: str = "linear",
        *,
        window_size: int,
        min_samples: int | None = None,
        center: bool = False,
    ) -> Expr:
        """A quantile of the last values. For the arguments see `rolling_sum` and `quantile`."""
        return self._rolling("quantile", window_size, min_samples, center, q=q, interpolation=interpolation)

    def _rolling(self, function: str, window_size: Any, min_samples: int | None, center: bool, **options: Any) -> Expr:
        if isinstance(window_size, str):
            raise InvalidArgumentError(
                f"window_size is a number of rows, not {window_size!r}",
                hint="for a span of time write .rolling_..._by(time, ...)",
            )
        if whole_number("window_size", window_size) < 1:
            raise InvalidArgumentError("window_size is a whole number of 1 or more, not 0")
        before = window_size // 2 if center else window_size - 1
        frame = rows_between(-before, window_size - 1 - before)
        least = window_size if min_samples is None else whole_number("min_samples", min_samples)
        if least > window_size:
            raise InvalidArgumentError(f"min_samples cannot be more than window_size: {least} of {window_size}")
        return where_enough(cast("Expr", self), windowed(function, self, frame=frame, **options), frame, least)
