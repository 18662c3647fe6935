"""The derivative of each scalar function: what of the cotangent of a call reaches each of its arguments.

A rule has a function for each argument, or None where the value does not move with it. Each is given the cotangent, the
arguments and the value of the call, all in float64. Functions without a rule have no derivative: they are constant between
their steps (`floor`), or are about no numbers.

Where the textbook leaves a choice, it is PyTorch's: the derivative of |x| at 0 is 0, equal values share what goes to the
greatest, x ** 0 does not move with x, and 0 ** y not with y.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from lazyframe.planner.bind import call
from lazyframe.planner.gradients.terms import ABSENT, ONE, ZERO, Term, applied, compared, kept, term, value_of, where
from lazyframe.planner.scalars import Call, Case, Scalar

Partial: TypeAlias = Callable[..., Term]

_LN2, _LN10, _TURN = math.log(2.0), math.log(10.0), math.pi / 180.0


def _raised(g: Term, a: Term, b: Term, y: Term) -> Term:
    """B a^(b - 1)."""
    exponent = value_of(b.scalar)
    if exponent is None:
        # Elsewhere b stays, so that a second derivative sees that it moves.
        edge = call("or", compared("equal", a, 0.0), call("is_nan", a.scalar))
        flat = call("and", compared("equal", b, 0.0), edge)
        return g * where(flat, 0.0, b * applied("power", a, b - 1.0))
    if exponent in (0.0, 1.0):
        return g * exponent
    return g * (exponent * (a if exponent == 2.0 else applied("power", a, exponent - 1.0)))


def _exponent(g: Term, a: Term, b: Term, y: Term) -> Term:
    """a^b ln a."""
    flat = call("and", compared("equal", a, 0.0), compared("greater_equal", b, 0.0))
    return g * where(flat, 0.0, y * applied("ln", a))


def _square(x: Term) -> Term:
    return x * x


def _root(x: Term) -> Term:
    return applied("sqrt", x)


def _polygamma(x: Term, order: int) -> Term:
    return Term(call("polygamma", x.scalar, order=order))


PARTIALS: dict[str, tuple[Partial | None, ...]] = {
    "add": (lambda g, a, b, y: g, lambda g, a, b, y: g),
    "subtract": (lambda g, a, b, y: g, lambda g, a, b, y: -g),
    "multiply": (lambda g, a, b, y: g * b, lambda g, a, b, y: g * a),
    "divide": (lambda g, a, b, y: g / b, lambda g, a, b, y: -g * (y / b)),
    "modulo": (lambda g, a, b, y: g, lambda g, a, b, y: -g * applied("floor", a / b)),
    "truncated_modulo": (lambda g, a, b, y: g, lambda g, a, b, y: -g * applied("trunc", a / b)),
    "power": (_raised, _exponent),
    "negate": (lambda g, x, y: -g,),
    "abs": (lambda g, x, y: g * applied("sign", x),),
    "sqrt": (lambda g, x, y: g / (2.0 * y),),
    "cbrt": (lambda g, x, y: g / (3.0 * _square(y)),),
    "exp": (lambda g, x, y: g * y,),
    "expm1": (lambda g, x, y: g * (y + 1.0),),
    "ln": (lambda g, x, y: g / x,),
    "log2": (lambda g, x, y: g / (x * _LN2),),
    "log10": (lambda g, x, y: g / (x * _LN10),),
    "log1p": (lambda g, x, y: g / (x + 1.0),),
    "log": (
        lambda g, x, b, y: g / (x * applied("ln", b)),
        lambda g, x, b, y: -g * y / (b * applied("ln", b)),
    ),
    "sin": (lambda g, x, y: g * applied("cos", x),),
    "cos": (lambda g, x, y: -g * applied("sin", x),),
    "tan": (lambda g, x, y: g * (_square(y) + 1.0),),
    "cot": (lambda g, x, y: -g * (_square(y) + 1.0),),
    "asin": (lambda g, x, y: g / _root(1.0 - _square(x)),),
    "acos": (lambda g, x, y: -g / _root(1.0 - _square(x)),),
    "atan": (lambda g, x, y: g / (_square(x) + 1.0),),
    "atan2": (
        lambda g, a, b, y: g * (b / (_square(a) + _square(b))),
        lambda g, a, b, y: -g * (a / (_square(a) + _square(b))),
    ),
    "sinh": (lambda g, x, y: g * applied("cosh", x),),
    "cosh": (lambda g, x, y: g * applied("sinh", x),),
    "tanh": (lambda g, x, y: g * (1.0 - _square(y)),),
    "asinh": (lambda g, x, y: g / _root(_square(x) + 1.0),),
    "acosh": (lambda g, x, y: g / (_root(x - 1.0) * _root(x + 1.0)),),
    "atanh": (lambda g, x, y: g / (1.0 - _square(x)),),
    "degrees": (lambda g, x, y: g / _TURN,),
    "radians": (lambda g, x, y: g * _TURN,),
    "gamma": (lambda g, x, y: g * y * _polygamma(x, 0),),
    "log_gamma": (lambda g, x, y: g * _polygamma(x, 0),),
    "only_value": (lambda g, x, n, y: g, None),
}
"""By the name of the function."""

STEPS = frozenset({
    "ceil", "floor", "floor_divide", "round", "round_even", "sign", "trunc", "trunc_digits", "truncated_divide",
})  # fmt: skip
"""Functions that are constant between their steps: their derivative is 0."""


def of_arguments(found: Call, cotangent: Scalar, moves: list[bool]) -> list[Scalar | None] | None:
    """What of the cotangent of a call reaches each of its arguments; None where the function has no derivative.

    Args:
        found: the call.
        cotangent: of its value; null where it is absent.
        moves: which of the arguments are asked for.
    """
    match found.function:
        case "greatest" | "least":
            return _of_extreme(found, cotangent, moves)
        case "coalesce":
            return _of_first_value(found, cotangent, moves)
        case "polygamma":
            order = dict(found.options)["order"]
            return [(Term(cotangent) * _polygamma(Term(found.args[0]), order + 1)).scalar]
    rules = PARTIALS.get(found.function)
    if rules is None:
        return None
    g, y = Term(cotangent), Term(found)
    args = [Term(arg) for arg in found.args]
    return [
        rule(g, *args, y).scalar if rule is not None and wanted else None
        for rule, wanted in zip(rules, moves, strict=True)
    ]


def _of_extreme(found: Call, cotangent: Scalar, moves: list[bool]) -> list[Scalar | None]:
    """Each argument that is the greatest gets the same share."""
    chosen = [call("equal", arg, found) for arg in found.args]
    count = term(0.0)
    for condition in chosen:
        count = count + Term(Case((condition,), (ONE,), ZERO))
    share = (Term(cotangent) / count).scalar
    return [kept(share, condition) if wanted else None for condition, wanted in zip(chosen, moves, strict=True)]


def _of_first_value(found: Call, cotangent: Scalar, moves: list[bool]) -> list[Scalar | None]:
    """The first argument that is not null gets all."""
    known: list[Scalar] = [Call("is_not_null", (arg,)) for arg in found.args]
    reached: list[Scalar | None] = []
    for number, wanted in enumerate(moves):
        before = known[:number]
        if not wanted:
            reached.append(None)
        elif number == len(moves) - 1:
            reached.append(Case(tuple(before), (ABSENT,) * number, cotangent) if before else cotangent)
        else:
            values = (*[ABSENT] * number, cotangent)
            reached.append(Case(tuple(known[: number + 1]), values, ABSENT))
    return reached
