"""Negations moved to where they cost nothing."""

from __future__ import annotations

from lazyframe.planner.algebra.law import law
from lazyframe.planner.folding import OPPOSITE
from lazyframe.planner.scalars import FALSE, LOGIC, TRUE, Call, Literal, Scalar, is_literal_null

DUAL = {"and": "or", "or": "and"}
"""Each of the two, and what it becomes under a negation."""


@law(LOGIC)
def without_outer_negation(scalar: Scalar) -> Scalar | None:
    """`not (a | b)` as `not a & not b`; `not (a & b)` as `not a | not b`, where the new negations cost nothing."""
    match scalar:
        case Call(function="not", args=(Call(function="or") as inner,)):
            return _negated(inner)
        case Call(function="not", args=(Call(function="and") as inner,)) if _is_free(inner):
            return _negated(inner)
    return None


def _is_free(logic: Call) -> bool:
    """Whether every part has an opposite of its own."""
    stack: list[Scalar] = [logic]
    while stack:
        current = stack.pop()
        if not isinstance(current, Call):
            return False
        if current.function in DUAL:
            stack.extend(current.args)
        elif current.function not in OPPOSITE and current.function != "not":
            return False
    return True


def _negated(logic: Scalar) -> Scalar:
    """The opposite of a tree of ANDs and ORs, which may be as deep as it is long."""
    values: dict[int, Scalar] = {}
    stack = [logic]
    while stack:
        current = stack[-1]
        if id(current) in values:
            stack.pop()
            continue
        if isinstance(current, Call) and current.function in DUAL:
            pending = [arg for arg in current.args if id(arg) not in values]
            if pending:
                stack.extend(pending)
                continue
            made: Scalar = Call(DUAL[current.function], tuple([values[id(arg)] for arg in current.args]))
        else:
            made = _opposite(current)
        values[id(current)] = made
    return values[id(logic)]


def _opposite(part: Scalar) -> Scalar:
    match part:
        case Call(function="not", args=(inner,)):
            return inner
        case Call(function=function, args=args) if function in OPPOSITE:
            return Call(OPPOSITE[function], args)
        case Literal() if not is_literal_null(part):
            return FALSE if part == TRUE else TRUE
    return Call("not", (part,))
