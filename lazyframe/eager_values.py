"""Expressions of parameters alone have values where verbs run at once (`lf.eager`).

A value is computed where its expression is written, from the values that its parts have got, and is kept with the node: a
mistake stops at its line, and a parameter that is set afterwards does not change what was computed before.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lazyframe.planner.graph import _set, rewrite_top_down
from lazyframe.planner.unbound import (
    Apply,
    Choose,
    Constant,
    Convert,
    Differentiated,
    Member,
    Named,
    Placeholder,
    Unbound,
)

_OF_VALUES = (Choose, Constant, Convert, Differentiated, Member, Named)
_VOLATILE = frozenset({"random", "uuid"})


def hold_value(node: Unbound) -> None:
    """Compute the value of an expression that is being written, if it has one.

    Raises:
        TypeMismatchError, EvaluationError, ...: where it is wrong, or has no answer.
    """
    if isinstance(node, (Constant, Placeholder)) or not _has_value(node):
        return
    try:
        _set(node, "held", _computed(node))
    except pa.ArrowException:
        return  # of a type that a constant cannot have: it is computed when it is asked for


def value_of(node: Unbound) -> pa.Scalar | None:
    """The value of an expression, or None where it has none: where it is made of columns, or a parameter waits for its value."""
    held: pa.Scalar | None = getattr(node, "held", None)
    if held is not None:
        return held
    return _computed(node) if _has_value(node) else None


def _has_value(node: Unbound) -> bool:
    """Whether it is computed from nothing but constants and parameters that have values."""
    for part in _parts_without_value(node):
        if isinstance(part, Placeholder):
            if part.cell.value is None:
                return False
        elif getattr(part, "has_none", False) or not _may_have_value(part):
            # Known of it from now on: an expression that grows around columns is not looked through again at each step.
            _set(node, "has_none", True)
            return False
    return True


def _may_have_value(part: Unbound) -> bool:
    if isinstance(part, Apply):
        return part.function not in _VOLATILE
    return isinstance(part, _OF_VALUES)


def _parts_without_value(node: Unbound) -> Iterator[Unbound]:
    """The expression and what it is computed from, each once, but for what has its value and what that was computed from."""
    seen: set[int] = set()
    stack: list[Unbound] = [node]
    while stack:
        current = stack.pop()
        if id(current) not in seen and getattr(current, "held", None) is None:
            seen.add(id(current))
            yield current
            stack.extend(current.children())


def _computed(node: Unbound) -> pa.Scalar:
    from lazyframe import session
    from lazyframe.planner.build.projection import select
    from lazyframe.planner.relations.values import ONE_ROW

    whole = node
    # A derivative needs to see what its values were computed from.
    if not any([isinstance(part, Differentiated) for part in _parts_without_value(node)]):

        def step(current: Unbound) -> Unbound | None:
            held = getattr(current, "held", None)
            return None if held is None else Constant(held, held.type)

        whole = rewrite_top_down(node, step)
    return session.execute(select(ONE_ROW, [Named(whole, "value")])).column(0)[0]
