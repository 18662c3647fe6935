"""Mathematical functions of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lazyframe.expr import Expr, IntoExpr


class Mathematics:
    """What can be computed from a number."""

    __slots__ = ()

    def _apply(self, function: str, *args: Any, **options: Any) -> Expr:
        raise AssertionError("an expression applies functions")

    def abs(self) -> Expr:
        """The magnitude."""
        return self._apply("abs")

    def sign(self) -> Expr:
        """-1, 0 or 1."""
        return self._apply("sign")

    def sqrt(self) -> Expr:
        """The square root; NaN for negative numbers."""
        return self._apply("sqrt")

    def cbrt(self) -> Expr:
        """The cube root."""
        return self._apply("cbrt")

    def exp(self) -> Expr:
        """The exponential: e to the power of the value."""
        return self._apply("exp")

    def log(self, base: IntoExpr = None) -> Expr:
        """The logarithm, natural unless a base is given; -inf for 0, NaN for negative numbers."""
        return self._apply("ln") if base is None else self._apply("log", base)

    def log10(self) -> Expr:
        """The logarithm to base 10."""
        return self._apply("log10")

    def log2(self) -> Expr:
        """The logarithm to base 2."""
        return self._apply("log2")

    def log1p(self) -> Expr:
        """ln(1 + x), exact near zero."""
        return self._apply("log1p")

    def sin(self) -> Expr:
        """The sine of an angle in radians."""
        return self._apply("sin")

    def cos(self) -> Expr:
        """The cosine of an angle in radians."""
        return self._apply("cos")

    def tan(self) -> Expr:
        """The tangent of an angle in radians."""
        return self._apply("tan")

    def arcsin(self) -> Expr:
        """The arc sine, in radians."""
        return self._apply("asin")

    def arccos(self) -> Expr:
        """The arc cosine, in radians."""
        return self._apply("acos")

    def arctan(self) -> Expr:
        """The arc tangent, in radians."""
        return self._apply("atan")

    def sinh(self) -> Expr:
        """The hyperbolic sine."""
        return self._apply("sinh")

    def cosh(self) -> Expr:
        """The hyperbolic cosine."""
        return self._apply("cosh")

    def tanh(self) -> Expr:
        """The hyperbolic tangent."""
        return self._apply("tanh")

    def degrees(self) -> Expr:
        """Radians as degrees."""
        return self._apply("degrees")

    def radians(self) -> Expr:
        """Degrees as radians."""
        return self._apply("radians")

    def floor(self) -> Expr:
        """The greatest whole number not above."""
        return self._apply("floor")

    def ceil(self) -> Expr:
        """The least whole number not below."""
        return self._apply("ceil")

    def trunc(self) -> Expr:
        """The whole part."""
        return self._apply("trunc")

    def round(self, digits: int = 0) -> Expr:
        """Rounded, half away from zero.

        Args:
            digits: how many places after the point are kept; negative for tens, hundreds, ...

        Example:
            >>> lf.from_dict({"x": [2.5, -2.5]}).select(lf.col("x").round()).to_dicts()
            [{'x': 3.0}, {'x': -3.0}]
        """
        return self._apply("round", digits=digits)

    def is_nan(self) -> Expr:
        """Whether a float is NaN."""
        return self._apply("is_nan")

    def is_not_nan(self) -> Expr:
        """Whether a float is not NaN."""
        return ~self.is_nan()

    def is_finite(self) -> Expr:
        """Whether a number is neither NaN nor infinite."""
        return self._apply("is_finite")

    def is_infinite(self) -> Expr:
        """Whether a number is infinite."""
        return self._apply("is_infinite")

    def pow(self, exponent: IntoExpr) -> Expr:
        """The value to the power of `exponent`."""
        return self._apply("power", exponent)

    def hash(self) -> Expr:
        """A 64-bit hash, the same in every run; equal values have equal hashes."""
        return self._apply("hash")
