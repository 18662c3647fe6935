"""Comparisons and CASEs by themselves: whatever row they see, and wherever they stand."""

from __future__ import annotations

import math
from fractions import Fraction

import pyarrow as pa

from lazyframe.planner.algebra.law import law
from lazyframe.planner.algebra.points import MIRRORED, is_dispensable, line_of, point_of
from lazyframe.planner.algebra.preimages import compared, cut_at
from lazyframe.planner.folding import folded
from lazyframe.planner.scalars import (
    CASE,
    COMPARISON,
    FALSE,
    TRUE,
    Call,
    Case,
    Literal,
    Parameter,
    Scalar,
    is_literal_null,
    is_volatile,
)
from lazyframe.planner.types import BOOL, is_decimal, is_float, is_integer

_REFLEXIVE = {
    "equal": TRUE,
    "less_equal": TRUE,
    "greater_equal": TRUE,
    "not_equal": FALSE,
    "less": FALSE,
    "greater": FALSE,
}


@law(COMPARISON)
def simpler_comparison(scalar: Scalar) -> Scalar | None:
    """One comparison made simpler, the same in every row."""
    match scalar:
        case Call(function="is_in", args=(x,)):
            return _one_member(scalar, x)
        case Call(function=function, args=(Literal() | Parameter() as a, b)) if function in MIRRORED and not isinstance(
            b, (Literal, Parameter)
        ):
            return Call(MIRRORED[function], (b, a))
        case Call(function=function, args=(a, b)) if (
            function in MIRRORED and a.dtype == BOOL and isinstance(b, Literal)
        ):
            return _with_truth(function, a, b)
        case Call(function=function, args=(a, b)) if function in MIRRORED and not a.nullable and a == b:
            return _REFLEXIVE[function] if is_dispensable(a) else None
        case Call(function=function, args=(Case() as case, Literal() as constant)) if function in MIRRORED:
            return _of_case(function, case, constant)
        case Call(function=function, args=(x, Literal(value=value))) if function in MIRRORED and value.type != x.dtype:
            return _between_values(function, x, value)
    return None


def _between_values(function: str, x: Scalar, constant: pa.Scalar) -> Scalar | None:
    """`x == 2.5` of an integer as what is never true, and `x < 2.5` as `x < 3`."""
    numbers = is_integer(constant.type) or is_decimal(constant.type)
    if not constant.is_valid or is_volatile(x) or not (is_integer(x.dtype) or is_decimal(x.dtype)):
        return None
    number = constant.as_py()
    if not numbers and not (is_float(constant.type) and is_integer(x.dtype) and math.isfinite(number)):
        # A decimal meets a float as the nearest float, so that their values say nothing.
        return None
    line = line_of(x.dtype)
    assert line is not None
    cut = cut_at(Fraction(number) * (10**x.dtype.scale if is_decimal(x.dtype) else 1))
    is_value = cut.upper > cut.lower and line.least <= cut.lower <= line.greatest
    return None if is_value else compared(function, x, cut, line)


def _one_member(call: Call, x: Scalar) -> Scalar | None:
    """`x in (c)` as `x == c`."""
    values = dict(call.options)["values"]
    if len(values) != 1 or values.null_count or values.type != x.dtype or point_of(values[0]) is None:
        return None
    return Call("equal", (x, Literal(values[0])))


def _with_truth(function: str, a: Scalar, truth: Literal) -> Scalar | None:
    """`p == true` as p, and `p == false` as `not p`."""
    if is_literal_null(truth) or function not in ("equal", "not_equal"):
        return None
    return a if (truth == TRUE) == (function == "equal") else Call("not", (a,))


def _of_case(function: str, case: Case, constant: Literal) -> Scalar | None:
    """`case when p then 1 else 0 end == 1` as `case when p then true else false end`."""
    if is_literal_null(constant):
        return None
    found = []
    for value in (*case.values, case.otherwise):
        if not isinstance(value, Literal):
            return None
        truth = folded(Call(function, (value, constant)))
        if not isinstance(truth, Literal):
            return None
        found.append(truth)
    return Case(case.conditions, tuple(found[:-1]), found[-1])


_BRANCHES = 64
"""In a longer CASE branches are not compared with each other."""


@law(CASE)
def simpler_case(scalar: Scalar) -> Scalar | None:
    """A CASE with fewer branches, the same in every row."""
    if not isinstance(scalar, Case):
        return None
    conditions, values, otherwise = scalar.conditions, scalar.values, scalar.otherwise
    if len(conditions) > _BRANCHES:
        return None
    if values[-1] == otherwise and is_dispensable(conditions[-1]) and not is_volatile(otherwise):
        # Whether the last condition is true makes no difference.
        if len(conditions) == 1:
            return otherwise
        return Case(conditions[:-1], values[:-1], otherwise)
    for position, condition in enumerate(conditions):
        if condition in conditions[:position] and not is_volatile(condition):
            # Where it is true, an earlier branch was taken.
            return Case(_without(conditions, position), _without(values, position), otherwise)
        if position and values[position] == values[position - 1] and not is_volatile(values[position]):
            earlier = conditions[position - 1]
            if is_dispensable(condition) and not is_volatile(earlier):
                joined = Call("or", (earlier, condition))
                return Case(
                    (*conditions[: position - 1], joined, *conditions[position + 1 :]),
                    _without(values, position),
                    otherwise,
                )
    if scalar.dtype == BOOL and len(conditions) == 1 and not conditions[0].nullable:
        if values[0] == TRUE and otherwise == FALSE:
            return conditions[0]
        if values[0] == FALSE and otherwise == TRUE:
            return Call("not", (conditions[0],))
    if isinstance(otherwise, Case):
        # The branches of a CASE in the last place are further branches.
        return Case((*conditions, *otherwise.conditions), (*values, *otherwise.values), otherwise.otherwise)
    return None


def _without(items: tuple[Scalar, ...], position: int) -> tuple[Scalar, ...]:
    return (*items[:position], *items[position + 1 :])
