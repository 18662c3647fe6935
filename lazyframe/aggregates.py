"""Aggregates: one value from the rows of a group, or of a whole frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lazyframe.expr import Expr, IntoExpr


class Aggregates:
    """What can be computed from all values of an expression."""

    __slots__ = ()

    def _apply(self, function: str, *args: Any, **options: Any) -> Expr:
        raise AssertionError("an expression applies functions")

    def _aggregate(self, function: str, *more: Any, order_by: Any = None, **options: Any) -> Expr:
        raise AssertionError("an expression applies aggregates")

    def _count_rows(self) -> Expr:
        raise AssertionError("an expression counts rows")

    def count(self) -> Expr:
        """How many values are not null."""
        return self._aggregate("count")

    def len(self) -> Expr:
        """How many rows there are."""
        return self._count_rows()

    def n_unique(self) -> Expr:
        """How many different values there are; null counts as one."""
        return self._aggregate("n_unique")

    def approx_n_unique(self) -> Expr:
        """About how many different values there are, in little memory (HyperLogLog)."""
        return self._aggregate("approx_n_unique")

    def null_count(self) -> Expr:
        """How many values are null."""
        return self._count_rows() - self._aggregate("count")

    def sum(self) -> Expr:
        """The sum: exact, and an error where it does not fit. Null over no values.

        Example:
            >>> lf.from_dict({"x": [1, None, 3]}).select(lf.col("x").sum()).to_dicts()
            [{'x': 4}]
        """
        return self._aggregate("sum")

    def mean(self) -> Expr:
        """The mean."""
        return self._aggregate("mean")

    def min(self) -> Expr:
        """The least value."""
        return self._aggregate("min")

    def max(self) -> Expr:
        """The greatest value; NaN is greater than all numbers."""
        return self._aggregate("max")

    def product(self) -> Expr:
        """The product."""
        return self._aggregate("product")

    def std(self, ddof: int = 1) -> Expr:
        """The standard deviation.

        Args:
            ddof: what is taken from the number of values to get the divisor: 1 for a sample, 0 for a population.
        """
        return self._aggregate("std", ddof=ddof)

    def var(self, ddof: int = 1) -> Expr:
        """The variance. For `ddof` see `std`."""
        return self._aggregate("var", ddof=ddof)

    def skew(self) -> Expr:
        """The skewness of the population."""
        return self._aggregate("skew")

    def kurtosis(self) -> Expr:
        """The excess kurtosis of the population."""
        return self._aggregate("kurtosis")

    def median(self) -> Expr:
        """The median: the mean of the two in the middle where there is no one."""
        return self._aggregate("median")

    def quantile(self, q: float, interpolation: str = "linear") -> Expr:
        """The value below which a share of the values lies.

        Args:
            q: the share, from 0 to 1.
            interpolation: between two values: `"linear"`, `"lower"`, `"higher"`, `"nearest"` or `"midpoint"`.
        """
        return self._aggregate("quantile", q=q, interpolation=interpolation)

    def mode(self) -> Expr:
        """The most frequent value; of several the one that appears first."""
        return self._aggregate("mode")

    def first(self, *, order_by: Any = None, ignore_nulls: bool = False) -> Expr:
        """The first value.

        Args:
            order_by: in which order; by default the order of the rows.
            ignore_nulls: whether nulls are left out.
        """
        return self._aggregate("first", order_by=order_by, ignore_nulls=ignore_nulls)

    def last(self, *, order_by: Any = None, ignore_nulls: bool = False) -> Expr:
        """The last value. For the arguments see `first`."""
        return self._aggregate("last", order_by=order_by, ignore_nulls=ignore_nulls)

    def min_by(self, by: IntoExpr) -> Expr:
        """The value of the row in which `by` is least; the first of several."""
        return self._aggregate("min_by", by)

    def max_by(self, by: IntoExpr) -> Expr:
        """The value of the row in which `by` is greatest; the first of several."""
        return self._aggregate("max_by", by)

    def any(self) -> Expr:
        """Whether any value is true; nulls are left out."""
        return self._aggregate("any")

    def all(self) -> Expr:
        """Whether all values are true; nulls are left out."""
        return self._aggregate("all")

    def implode(self, *, order_by: Any = None) -> Expr:
        """All values as one list, nulls included."""
        return self._aggregate("list", order_by=order_by)

    def string_agg(self, separator: str = ",", *, order_by: Any = None) -> Expr:
        """All values that are not null, put together with a separator between them."""
        return self._aggregate("string_agg", order_by=order_by, separator=separator)

    def corr(self, other: IntoExpr) -> Expr:
        """The correlation (Pearson) with another expression."""
        return self._aggregate("corr", other)

    def cov(self, other: IntoExpr, ddof: int = 1) -> Expr:
        """The covariance with another expression. For `ddof` see `std`."""
        return self._aggregate("cov", other, ddof=ddof)

    def entropy(self, base: float | None = None) -> Expr:
        """The entropy of the distribution of the values.

        Args:
            base: of the logarithm; 2 by default, which gives bits.
        """
        return self._aggregate("entropy", **({} if base is None else {"base": base}))

    def histogram(self, bins: int = 10) -> Expr:
        """How the values are distributed over `bins` equal ranges, as a list of structs."""
        return self._aggregate("histogram", bins=bins)
