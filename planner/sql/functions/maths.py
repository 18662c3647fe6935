"""SQL's functions of numbers."""

from __future__ import annotations

import math

from sqlglot import exp

from lazyframe.planner.bind import call, choice
from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Scalar, cast, null_of
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.functions.arguments import arguments, named, plain, wide
from lazyframe.planner.sql.functions.draws import draw
from lazyframe.planner.types import FLOAT64, INT64, is_float, is_integer, is_null, is_numeric, type_name


def _float(value: Scalar) -> Scalar:
    """Any number as a float, so that tests of floats answer for all."""
    return cast(value, FLOAT64) if is_numeric(value.dtype) and not is_float(value.dtype) else value


def _test(function: str) -> Handler:
    def bind(e: Expressions, tree: exp.Expression) -> Scalar:
        (arg,) = arguments(tree, 1) if isinstance(tree, exp.Anonymous) else [tree.this]
        return call(function, _float(e.bind(arg)))

    return bind


def _rounding(function: str, by_digits: str | None = None) -> Handler:
    """`round(x)` and `round(x, digits)`; `by_digits` is another function for where digits are given."""

    def bind(e: Expressions, tree: exp.Expression) -> Scalar:
        if isinstance(tree, exp.Anonymous):
            this, *rest = arguments(tree, 1, 2)
            decimals = rest[0] if rest else None
        else:
            e.only(tree, "this", "decimals")
            this, decimals = tree.this, tree.args.get("decimals")
        if decimals is None:
            return e.apply(function, this)
        digits = e.constant(decimals, "the number of digits", int)
        return e.apply(by_digits or function, this, digits=digits)

    return bind


def _logarithm(e: Expressions, tree: exp.Log) -> Scalar:
    """`log(x)` is to base 10, `log(b, x)` to base b; log2 and log10 are read as the latter."""
    e.only(tree, "this", "expression")
    number = tree.args.get("expression")
    if number is None:
        return e.apply("log10", tree.this)
    if isinstance(tree.this, exp.Literal) and tree.this.this in ("2", "10"):
        return e.apply(f"log{tree.this.this}", number)
    return call("log", e.bind(number), e.bind(tree.this))


def _nan_else(e: Expressions, tree: exp.Nanvl) -> Scalar:
    e.only(tree, "this", "expression")
    first, second = _float(e.bind(tree.this)), _float(e.bind(tree.expression))
    return choice([call("is_nan", first)], [None, None], [second, first])


def _hexadecimal(e: Expressions, tree: exp.Expression) -> Scalar:
    """Of integers their digits, of text and bytes those of each byte."""
    e.only(tree, "this")
    value = e.bind(tree.this)
    if is_integer(value.dtype):
        return call("digits", value, base=16)
    return call("hex", value)


def _binary(e: Expressions, tree: exp.Anonymous) -> Scalar:
    (arg,) = arguments(tree, 1)
    return e.apply("digits", arg, base=2)


def _in_base(e: Expressions, tree: exp.Anonymous) -> Scalar:
    number, base, *least = arguments(tree, 2, 3)
    digits = e.constant(least[0], "the least number of digits", int) if least else 1
    return e.apply("digits", number, base=e.constant(base, "the base", int), least=digits)


def _hash(e: Expressions, tree: exp.Anonymous) -> Scalar:
    return call("hash", *[e.bind(arg) for arg in tree.expressions])


def _zero(e: Expressions, tree: exp.Anonymous) -> Scalar:
    (arg,) = arguments(tree, 1)
    return call("equal", e.bind(arg), literal(0))


def _even(e: Expressions, tree: exp.Anonymous) -> Scalar:
    """The next even number away from zero."""
    (arg,) = arguments(tree, 1)
    value = _as_float(e, arg)
    half = call("ceil", call("divide", call("abs", value), literal(2.0)))
    return call("multiply", call("sign", value), call("multiply", half, literal(2.0)))


def _bucket(e: Expressions, tree: exp.WidthBucket) -> Scalar:
    """The number from 1 of the part of a range, cut in equal parts, that holds a value; 0 before it, and one more behind."""
    e.only(tree, "this", "min_value", "max_value", "num_buckets")
    if tree.args.get("num_buckets") is None:
        raise InvalidArgumentError("width_bucket() takes a value, the ends of a range and the number of its parts")
    low, high = (e.constant(tree.args[key], "an end of the range", float) for key in ("min_value", "max_value"))
    count = e.constant(tree.args["num_buckets"], "the number of parts", int)
    if not (math.isfinite(low) and math.isfinite(high)) or low == high:
        raise e.error(tree, InvalidArgumentError, f"a range has two ends that differ, not {low} and {high}")
    if not 1 <= count < 2**31:
        raise e.error(tree, InvalidArgumentError, f"a range is cut in one part or more, not {count}")
    value = _as_float(e, tree.this)
    before, behind = ("less", "greater_equal") if low < high else ("greater", "less_equal")
    share = call("divide", call("subtract", value, literal(low)), literal(high - low))
    # The last part reaches up to the end of the range, whatever the division is rounded to.
    inside = call("least", call("floor", call("multiply", share, literal(float(count)))), literal(float(count - 1)))
    ends = [call(before, value, literal(low)), call(behind, value, literal(high))]
    number = call("add", cast(inside, INT64), literal(1))
    return choice([call("is_null", value), *ends], [None] * 4, [null_of(INT64), literal(0), literal(count + 1), number])


def _random(e: Expressions, tree: exp.Rand) -> Scalar:
    e.only(tree)
    return draw(tree, "random")


def _as_float(e: Expressions, tree: exp.Expression) -> Scalar:
    value = e.bind(tree)
    if not is_numeric(value.dtype) and not is_null(value.dtype):
        raise e.error(tree, TypeMismatchError, f"a number is wanted, not {type_name(value.dtype)}")
    return cast(value, FLOAT64)


def _quotient(function: str) -> Handler:
    """`fdiv` and `fmod`: the quotient rounded down, and its remainder, in floats."""

    def bind(e: Expressions, tree: exp.Anonymous) -> Scalar:
        return call(function, *[_as_float(e, arg) for arg in arguments(tree, 2)])

    return bind


_OF_ONE = {
    exp.Sqrt: "sqrt", exp.Cbrt: "cbrt", exp.Exp: "exp", exp.Ln: "ln", exp.Sin: "sin", exp.Cos: "cos", exp.Tan: "tan",
    exp.Asin: "asin", exp.Acos: "acos", exp.Atan: "atan", exp.Sinh: "sinh", exp.Cosh: "cosh", exp.Tanh: "tanh",
    exp.Asinh: "asinh", exp.Acosh: "acosh", exp.Atanh: "atanh", exp.Cot: "cot", exp.Degrees: "degrees",
    exp.Radians: "radians", exp.Abs: "abs", exp.Ceil: "ceil", exp.Floor: "floor", exp.Factorial: "factorial",
    exp.BitwiseNot: "bit_not",
}  # fmt: skip

FORMS: dict[type | str, Handler] = {
    **{kind: plain(function, "this") for kind, function in _OF_ONE.items()},
    exp.Atan2: plain("atan2", "this", "expression"),
    exp.BitwiseLeftShift: plain("shift_left", "this", "expression"),
    exp.BitwiseRightShift: plain("shift_right", "this", "expression"),
    exp.Hex: _hexadecimal,
    exp.IsInf: _test("is_infinite"),
    exp.IsNan: _test("is_nan"),
    exp.Log: _logarithm,
    exp.Nanvl: _nan_else,
    exp.Pi: lambda e, tree: literal(math.pi),
    exp.Rand: _random,
    exp.Round: _rounding("round"),
    exp.Sign: wide(plain("sign", "this")),
    exp.WidthBucket: _bucket,
    exp.Trunc: _rounding("trunc", "trunc_digits"),
    "add": named("add", 2),
    "bin": _binary,
    "bit_count": wide(named("bit_count", 1)),
    "divide": named("divide", 2),
    "even": _even,
    "fdiv": _quotient("floor_divide"),
    "fmod": _quotient("modulo"),
    "greatest_common_divisor": named("gcd", 2),
    "hash": _hash,
    "isfinite": _test("is_finite"),
    "iszero": _zero,
    "least_common_multiple": named("lcm", 2),
    "log1p": named("log1p", 1),
    "multiply": named("multiply", 2),
    "round_even": _rounding("round_even"),
    "roundbankers": _rounding("round_even"),
    "subtract": named("subtract", 2),
    "to_base": _in_base,
}

__all__ = ["FORMS"]
