"""Exponentially weighted aggregates of all rows so far."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lazyframe.boundary import public
from lazyframe.checks import whole_number
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.windows.calls import windowed

if TYPE_CHECKING:
    from lazyframe.expr import Expr


class Weighted:
    """What can be computed from the values so far, where they weigh the less the further back they are."""

    __slots__ = ()

    @public
    def ewm_mean(
        self,
        *,
        com: float | None = None,
        span: float | None = None,
        half_life: float | None = None,
        alpha: float | None = None,
        adjust: bool = True,
        min_samples: int = 1,
        ignore_nulls: bool = False,
    ) -> Expr:
        """The exponentially weighted mean of the values so far; null where the value is null.

        Args:
            com: the centre of mass c, from 0: alpha is 1 / (1 + c). One of the four is given.
            span: the span s, from 1: alpha is 2 / (s + 1).
            half_life: after how many rows a weight is half of what it was.
            alpha: the share of its weight that a value loses with every row, above 0 and up to 1.
            adjust: whether the weights are powers of 1 - alpha; otherwise each new value weighs alpha, and the mean so far
                the rest.
            min_samples: how many values there must be.
            ignore_nulls: whether rows with a null take no weight from those before.

        Example:
            >>> lf.from_dict({"x": [1.0, 2.0, 4.0]}).select(lf.col("x").ewm_mean(alpha=0.5, adjust=False)).to_dict()
            {'x': [1.0, 1.5, 2.75]}
        """
        share = _alpha(com, span, half_life, alpha)
        return self._weighted("ewm_mean", share, adjust, min_samples, ignore_nulls)

    @public
    def ewm_std(
        self,
        *,
        com: float | None = None,
        span: float | None = None,
        half_life: float | None = None,
        alpha: float | None = None,
        adjust: bool = True,
        bias: bool = False,
        min_samples: int = 1,
        ignore_nulls: bool = False,
    ) -> Expr:
        """The exponentially weighted standard deviation of the values so far. For the arguments see `ewm_mean`.

        Args:
            bias: whether it is that of the values themselves instead of the population that they are a sample of.
        """
        share = _alpha(com, span, half_life, alpha)
        return self._weighted("ewm_std", share, adjust, min_samples, ignore_nulls, bias=bias)

    @public
    def ewm_var(
        self,
        *,
        com: float | None = None,
        span: float | None = None,
        half_life: float | None = None,
        alpha: float | None = None,
        adjust: bool = True,
        bias: bool = False,
        min_samples: int = 1,
        ignore_nulls: bool = False,
    ) -> Expr:
        """The exponentially weighted variance of the values so far. For the arguments see `ewm_mean` and `ewm_std`."""
        share = _alpha(com, span, half_life, alpha)
        return self._weighted("ewm_var", share, adjust, min_samples, ignore_nulls, bias=bias)

    def _weighted(
        self, function: str, alpha: float, adjust: bool, min_samples: int, ignore_nulls: bool, **options: Any
    ) -> Expr:
        return windowed(
            function,
            self,
            alpha=alpha,
            adjust=bool(adjust),
            ignore_nulls=bool(ignore_nulls),
            min_samples=whole_number("min_samples", min_samples),
            **options,
        )


def _alpha(com: Any, span: Any, half_life: Any, alpha: Any) -> float:
    """The share of its weight that a value loses with every row."""
    given = {"com": com, "span": span, "half_life": half_life, "alpha": alpha}
    chosen = {name: value for name, value in given.items() if value is not None}
    if len(chosen) != 1:
        raise InvalidArgumentError("one of com, span, half_life and alpha tells how fast weights fall")
    ((name, value),) = chosen.items()
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise InvalidArgumentError(f"{name} is a number, not {value!r}")
    if name == "com" and value >= 0:
        return 1.0 / (1.0 + value)
    if name == "span" and value >= 1:
        return 2.0 / (value + 1.0)
    if name == "half_life" and value > 0:
        return 1.0 - math.exp(-math.log(2.0) / value)
    if name == "alpha" and 0 < value <= 1:
        return float(value)
    least = {"com": "of 0 or more", "span": "of 1 or more", "half_life": "above 0", "alpha": "above 0 and up to 1"}
    raise InvalidArgumentError(f"{name} is a number {least[name]}, not {value!r}")
