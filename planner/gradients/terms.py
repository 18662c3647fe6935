"""Arithmetic of derivatives: float64, where zeros and ones leave no trace, and null stands for a row that gives nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from lazyframe.planner.bind import call
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Call, Case, Literal, Scalar, cast, null_of
from lazyframe.planner.types import FLOAT64, DataType, is_decimal, is_float, is_null

Number: TypeAlias = "Term | float"

ONE = literal(1.0, FLOAT64)
ZERO = literal(0.0, FLOAT64)
ABSENT = null_of(FLOAT64)


def is_real(dtype: DataType) -> bool:
    """Whether values of the type can move by as little as one likes."""
    return is_float(dtype) or is_decimal(dtype) or is_null(dtype)


class Term:
    """A scalar in float64 with the operators of Python, so that the rule of a function reads as it stands in a table."""

    __slots__ = ("scalar",)

    def __init__(self, scalar: Scalar) -> None:
        self.scalar = cast(scalar, FLOAT64)

    def __add__(self, other: Number) -> Term:
        a, b = self, term(other)
        if value_of(a.scalar) == 0.0:
            return b
        return a if value_of(b.scalar) == 0.0 else applied("add", a, b)

    __radd__ = __add__

    def __sub__(self, other: Number) -> Term:
        b = term(other)
        return self if value_of(b.scalar) == 0.0 else applied("subtract", self, b)

    def __rsub__(self, other: Number) -> Term:
        return term(other) - self

    def __mul__(self, other: Number) -> Term:
        a, b = self, term(other)
        if value_of(a.scalar) is not None:
            a, b = b, a
        factor = value_of(b.scalar)
        if factor == 1.0:
            return a
        if factor == -1.0:
            return -a
        known = value_of(a.scalar)
        if known is not None and factor is not None:
            return term(known * factor)
        return applied("multiply", a, b)

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> Term:
        b = term(other)
        return self if value_of(b.scalar) == 1.0 else applied("divide", self, b)

    def __rtruediv__(self, other: Number) -> Term:
        return term(other) / self

    def __neg__(self) -> Term:
        known = value_of(self.scalar)
        return applied("negate", self) if known is None else term(-known)


def term(value: Number) -> Term:
    return value if isinstance(value, Term) else Term(literal(float(value), FLOAT64))


def applied(function: str, *args: Number) -> Term:
    """A function of numbers."""
    return Term(call(function, *[term(arg).scalar for arg in args]))


def compared(function: str, a: Number, b: Number) -> Scalar:
    """A comparison of numbers, which is a condition."""
    return call(function, term(a).scalar, term(b).scalar)


def where(condition: Scalar, value: Number, otherwise: Number) -> Term:
    """One of two values; only the one that is taken is computed."""
    return Term(Case((condition,), (term(value).scalar,), term(otherwise).scalar))


def kept(scalar: Scalar, condition: Scalar) -> Scalar:
    """A cotangent of only those rows for which a condition is true."""
    return Case((condition,), (scalar,), ABSENT)


def present(value: Scalar, seed: Scalar = ONE) -> Scalar:
    """A cotangent of only those rows in which there is a value."""
    return kept(seed, Call("is_not_null", (value,))) if value.nullable else seed


def value_of(scalar: Scalar) -> float | None:
    """The value of a constant."""
    return scalar.value.as_py() if isinstance(scalar, Literal) else None


def joined(a: Scalar, b: Scalar) -> Scalar:
    """The sum of two cotangents of one value. Where one is absent it is the other."""
    total = call("add", a, b)
    if not a.nullable and not b.nullable:
        return total
    if not b.nullable:
        return call("add", filled(a), b)
    return call("add", a, filled(b)) if not a.nullable else call("coalesce", total, a, b)


def filled(cotangent: Scalar) -> Scalar:
    """A cotangent as a number: 0 where it is absent."""
    return call("coalesce", cotangent, ZERO) if cotangent.nullable else cotangent


def total(scalars: Sequence[Scalar]) -> Scalar:
    """The sum of cotangents of one value, which stays shallow."""
    level = list(scalars)
    while len(level) > 1:
        paired = [joined(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = [*paired, level[-1]] if len(level) % 2 else paired
    return level[0]
