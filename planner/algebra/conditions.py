"""Parts of conditions of which only the truth counts, each by itself, and chains of them as sets."""

from __future__ import annotations

from itertools import takewhile

import pyarrow as pa

from lazyframe.planner.algebra.negation import DUAL
from lazyframe.planner.algebra.points import MIRRORED, is_dispensable
from lazyframe.planner.folding import OPPOSITE, folded
from lazyframe.planner.predicates import links
from lazyframe.planner.scalars import FALSE, TRUE, Call, Case, Literal, Scalar, is_literal_null, is_volatile

_LONG = 64


def simpler_condition(part: Scalar) -> Scalar | None:
    """A condition that is true where `part` is, and simpler; it may be false where that is null."""
    match part:
        case Literal() if is_literal_null(part):
            return FALSE
        case Call(function="coalesce", args=(condition, last)) if last == FALSE:
            return condition
        case Call(function="not", args=(Call(function="coalesce", args=(condition, last)),)) if last == TRUE:
            return folded(Call("not", (condition,)))
        case Call(function="not", args=(Call(function="is_in", args=(x,)) as inner,)):
            return FALSE if _values(inner).null_count and is_dispensable(x) else None
        case Call(function="is_in", args=(x,)):
            return _without_nulls(part, x)
        case Call(function=function, args=(a, b)) if function in MIRRORED and a == b and is_dispensable(a):
            if function in ("not_equal", "less", "greater"):
                return FALSE
            return Call("is_not_null", (a,)) if a.nullable else TRUE
        case Call(function=function, args=(Case() as case, Literal() as constant)) if function in MIRRORED:
            return _of_case(function, case, constant)
        case Case():
            return _as_logic(part)
    return None


def _values(call: Call) -> pa.Array:
    values: pa.Array = dict(call.options)["values"]
    return values


def _without_nulls(call: Call, x: Scalar) -> Scalar | None:
    values = _values(call)
    if not values.null_count:
        return None
    kept = values.drop_null()
    if len(kept):
        return Call("is_in", (x,), (("values", kept),))
    return FALSE if is_dispensable(x) else None


def _of_case(function: str, case: Case, constant: Literal) -> Scalar | None:
    """`case when p then v end > c` as `case when p then v > c end`, where no other branch can make it true."""
    if len(case.conditions) > 1 or is_literal_null(constant) or not isinstance(case.otherwise, Literal):
        return None
    otherwise = folded(Call(function, (case.otherwise, constant)))
    if not isinstance(otherwise, Literal) or otherwise == TRUE:
        return None
    return Case(case.conditions, (Call(function, (case.values[0], constant)),), FALSE)


def _as_logic(case: Case) -> Scalar | None:
    """A CASE of one condition as AND or OR, where one of its values is a constant."""
    condition, value, otherwise = case.conditions[0], case.values[0], case.otherwise
    if len(case.conditions) > 1 or is_volatile(case):
        return None
    if (otherwise == FALSE or is_literal_null(otherwise)) and is_dispensable(value):
        return condition if value == TRUE else Call("and", (condition, value))
    if value == TRUE and is_dispensable(otherwise):
        return Call("or", (condition, otherwise))
    if (value == FALSE or is_literal_null(value)) and not condition.nullable and is_dispensable(otherwise):
        negated = folded(Call("not", (condition,)))
        return negated if otherwise == TRUE else Call("and", (negated, otherwise))
    return None


def guarded(part: Scalar) -> list[Scalar]:
    """A CASE that is true only where its one condition is, as that condition and the value behind it.

    The parts of a filter are evaluated one after the other, each on the rows that those before it kept, as a branch is.
    """
    match part:
        case Case(conditions=(condition,), values=(value,), otherwise=otherwise):
            if (otherwise == FALSE or is_literal_null(otherwise)) and not is_volatile(part):
                return [condition, value]
    return [part]


def shorter_chain(function: str, parts: list[Scalar]) -> list[Scalar]:
    """A chain of ANDs or ORs without parts that others say already.

    `p & p` is p; `p & (p | q)` is p, and so with AND and OR exchanged; `p & not p` is never true.
    """
    if len(parts) > _LONG:
        # They are told apart by their digests then, and compared with each other no further.
        unique: dict[bytes, Scalar] = {}
        for part in parts:
            # The first stays, which may guard those behind it.
            unique.setdefault(part.digest, part)
        return parts if len(unique) == len(parts) or any(map(is_volatile, parts)) else list(unique.values())
    kept: list[Scalar] = []
    for part in parts:
        if is_volatile(part) or not any([_is_same(part, other) for other in kept]):
            kept.append(part)
    kept = [part for place, part in enumerate(kept) if not _is_said(part, place, kept, function)]
    if function == "and" and _is_contradiction(kept):
        return [FALSE]
    return parts if len(kept) == len(parts) else kept


def _is_same(a: Scalar, b: Scalar) -> bool:
    """Whether two conditions are equal. Most that are not are of other functions, which costs less to see than digests."""
    if a is b:
        return True
    return not (isinstance(a, Call) and isinstance(b, Call) and a.function != b.function) and a == b


def _is_said(part: Scalar, place: int, parts: list[Scalar], function: str) -> bool:
    """Whether `part` is a chain of the dual function that has another of `parts` in it: that decides it.

    Of an AND it is one before it, or behind it with nothing in between that `part` may guard.
    """
    if not isinstance(part, Call) or part.function != DUAL[function] or not is_dispensable(part):
        return False
    others = parts if function == "or" else [*parts[:place], *takewhile(is_dispensable, parts[place:])]
    alternatives = links(part)
    return any([_is_same(other, each) for other in others if other is not part for each in alternatives])


def _is_contradiction(parts: list[Scalar]) -> bool:
    """Whether one of the parts is the opposite of another, and nobody would notice if neither were evaluated."""
    for position, part in enumerate(parts):
        for other in parts[:position]:
            if part.columns == other.columns and _are_opposite(part, other):
                return all(map(is_dispensable, parts))
    return False


def _are_opposite(a: Scalar, b: Scalar) -> bool:
    if not isinstance(a, Call) or not isinstance(b, Call):
        return _is_negation(a, b) or _is_negation(b, a)
    if OPPOSITE.get(a.function) == b.function:
        return a.args == b.args
    return _is_negation(a, b) or _is_negation(b, a)


def _is_negation(a: Scalar, b: Scalar) -> bool:
    return isinstance(a, Call) and a.function == "not" and _is_same(a.args[0], b)
