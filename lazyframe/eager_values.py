"""Expressions of parameters alone have values where verbs run at once (`lf.eager`).

A value is computed where its expression is written, from the values that its parts have got, and is kept with the node: a
mistake stops at its line, and a parameter that is set afterwards does not change what was computed before.
"""

from __future__ import annotations

from typing import Any

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

_OF_VALUES = (Apply, Choose, Constant, Convert, Differentiated, Member, Named, Placeholder)
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
    """Whether nothing but constants and parameters that have values is below."""
    stack: list[Any] = [node]
    while stack:
        current = stack.pop()
        if getattr(current, "held", None) is not None:
            continue
        if not isinstance(current, _OF_VALUES):
            return False
        if isinstance(current, Placeholder) and current.cell.value is None:
            return False
        if isinstance(current, Apply) and current.function in _VOLATILE:
            return False
        stack.extend(current.children())
    return True


def _computed(node: Unbound) -> pa.Scalar:
    from lazyframe import session
    from lazyframe.planner.build.projection import select
    from lazyframe.planner.relations.values import ONE_ROW

    whole = node
    if not _is_differentiated(node):

        def step(current: Unbound) -> Unbound | None:
            held = getattr(current, "held", None)
            return None if held is None else Constant(held, held.type)

        whole = rewrite_top_down(node, step)
    return session.execute(select(ONE_ROW, [Named(whole, "value")])).column(0)[0]


def _is_differentiated(node: Unbound) -> bool:
    """Whether a derivative is taken, which needs to see what its values were computed from."""
    stack: list[Any] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, Differentiated):
            return True
        if getattr(current, "held", None) is None:
            stack.extend(current.children())
    return False
