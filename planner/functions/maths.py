"""Mathematical functions of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lazyframe.planner.functions.definition import (
    Function,
    Options,
    Signature,
    Types,
    all_common,
    anything,
    by_name,
    fixed,
    same,
    unary_float,
)
from lazyframe.planner.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT64,
    UINT64,
    decimal_type,
    is_decimal,
    is_float,
    is_integer,
    is_null,
    is_numeric,
)

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar


def _whole(types: Types, options: Options) -> Signature | None:
    """Floor and its like: integers stay, floats stay floats, a decimal loses its places and may gain a digit."""
    (t,) = types
    if is_decimal(t):
        return Signature(types, decimal_type(t.precision - t.scale + 1, 0))
    return Signature(types, t) if is_numeric(t) or is_null(t) else None


def _round(types: Types, options: Options) -> Signature | None:
    (t,) = types
    if is_decimal(t):
        scale = max(0, min(options.get("digits", 0), t.scale))
        return Signature(types, decimal_type(t.precision - t.scale + scale + 1, scale))
    return Signature(types, t) if is_numeric(t) or is_null(t) else None


def _two_floats(types: Types, options: Options) -> Signature | None:
    if not all(is_numeric(t) or is_null(t) for t in types):
        return None
    wanted = FLOAT32 if all(t == FLOAT32 for t in types) else FLOAT64
    return Signature((wanted, wanted), wanted)


def _not_integers(args: Sequence[Scalar]) -> bool:
    """Rounding an integer to tens may overflow it."""
    return all(is_float(a.dtype) for a in args)


def _float(name: str, summary: str, *sql: str) -> Function:
    """A function of one number in IEEE arithmetic: outside its domain the answer is NaN or infinite."""
    return Function(name=name, resolver=unary_float, arity=(1, 1), sql=sql or (name,), summary=summary)


FUNCTIONS = by_name(
    _float("sqrt", "Square root; NaN for negative numbers."),
    _float("cbrt", "Cube root."),
    _float("exp", "e to the power of the value."),
    _float("expm1", "exp(x) - 1, exact near zero."),
    _float("ln", "Natural logarithm; -inf for 0, NaN for negative numbers."),
    _float("log10", "Logarithm to base 10."),
    _float("log2", "Logarithm to base 2."),
    _float("log1p", "ln(1 + x), exact near zero."),
    _float("sin", "Sine of an angle in radians."),
    _float("cos", "Cosine of an angle in radians."),
    _float("tan", "Tangent of an angle in radians."),
    _float("asin", "Arc sine, in radians."),
    _float("acos", "Arc cosine, in radians."),
    _float("atan", "Arc tangent, in radians."),
    _float("sinh", "Hyperbolic sine."),
    _float("cosh", "Hyperbolic cosine."),
    _float("tanh", "Hyperbolic tangent."),
    _float("asinh", "Inverse hyperbolic sine."),
    _float("acosh", "Inverse hyperbolic cosine; NaN below 1."),
    _float("atanh", "Inverse hyperbolic tangent; NaN beyond -1 and 1."),
    _float("cot", "Cotangent of an angle in radians."),
    _float("gamma", "The gamma function: (n - 1)! for whole numbers; NaN where it has no value."),
    _float("log_gamma", "The natural logarithm of the gamma function's magnitude.", "lgamma"),
    Function(name="polygamma", resolver=fixed((FLOAT64,), FLOAT64), arity=(1, 1), summary="The derivative of log_gamma of one order more than the option `order`: 0 is the digamma function."),
    _float("degrees", "Radians as degrees."),
    _float("radians", "Degrees as radians."),
    Function(name="atan2", resolver=_two_floats, arity=(2, 2), sql=("atan2",), summary="Angle of the point (x, y), given y and x."),
    Function(name="log", resolver=_two_floats, arity=(2, 2), summary="Logarithm of the first to the base of the second."),
    Function(name="floor", resolver=_whole, arity=(1, 1), sql=("floor",), summary="The greatest whole number not above."),
    Function(name="ceil", resolver=_whole, arity=(1, 1), sql=("ceil", "ceiling"), summary="The least whole number not below."),
    Function(name="trunc", resolver=_whole, arity=(1, 1), sql=("trunc",), summary="The whole part."),
    Function(name="trunc_digits", resolver=_round, arity=(1, 1), total=_not_integers, summary="Cut off after the option `digits` after the point (negative: before it)."),
    Function(name="round_even", resolver=_round, arity=(1, 1), total=_not_integers, summary="Rounded to the option `digits` after the point, halves to the even neighbour."),
    Function(
        name="round", resolver=_round, arity=(1, 1), total=_not_integers, sql=("round",),
        summary="Rounded to the option `digits` after the point (negative: before it), half away from zero.",
    ),
    Function(name="is_nan", resolver=same(is_float, BOOL), arity=(1, 1), sql=("isnan",), summary="Whether the float is NaN."),
    Function(name="is_finite", resolver=same(is_numeric, BOOL), arity=(1, 1), sql=("isfinite",), summary="Whether it is neither NaN nor infinite."),
    Function(name="is_infinite", resolver=same(is_numeric, BOOL), arity=(1, 1), sql=("isinf",), summary="Whether it is infinite."),
    Function(name="hash", resolver=anything(UINT64), arity=(1, None), nulls="never", summary="A 64-bit hash, the same in every run; equal values have equal hashes."),
    Function(name="random", resolver=fixed((), FLOAT64), arity=(0, 0), nulls="never", volatile=True, sql=("random",), summary="A number in [0, 1), another for each row; repeatable with the option `seed`."),
    Function(name="gcd", resolver=all_common(test=is_integer), arity=(2, 2), literals="others", total=False, sql=("gcd",), summary="Greatest common divisor of two integers."),
    Function(name="lcm", resolver=all_common(test=is_integer), arity=(2, 2), literals="others", total=False, sql=("lcm",), summary="Least common multiple of two integers."),
    Function(name="factorial", resolver=fixed((INT64,), decimal_type(38, 0)), arity=(1, 1), total=False, sql=("factorial",), summary="The product of the integers up to the value."),
)  # fmt: skip
