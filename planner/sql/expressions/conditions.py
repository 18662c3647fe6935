"""Conditions that keep rows: only where they are true matters, so what SQL leaves undecided may be left out."""

from __future__ import annotations

from sqlglot import exp

from lazyframe.planner.scalars import Call, Scalar
from lazyframe.planner.sql.expressions.binder import Expressions
from lazyframe.planner.sql.expressions.quantified import membership_in, query_of


def filter_conditions(e: Expressions, tree: exp.Expr, clause: str) -> list[Scalar]:
    """The parts of a condition that all must be true. `x IN (query)` among them is true or not, never null."""
    parts: list[exp.Expr] = []
    stack = [tree]
    while stack:
        current = stack.pop()
        if isinstance(current, exp.And):
            stack += [current.expression, current.this]
        elif isinstance(current, exp.Paren) and isinstance(current.this, (exp.And, exp.Paren)):
            stack.append(current.this)
        else:
            parts.append(current)
    found: list[Scalar] = []
    for part in parts:
        with e.statement.at(part):
            found += _one(e, part, clause)
    return found


def _one(e: Expressions, tree: exp.Expr, clause: str) -> list[Scalar]:
    tree = tree.unnest()
    if isinstance(tree, exp.In) and query_of(tree) is not None:
        return [membership_in(e, tree).if_true()]
    if isinstance(tree, exp.Not):
        inner = tree.this.unnest()
        if isinstance(inner, exp.In) and query_of(inner) is not None:
            return _parts(membership_in(e, inner).if_false())
    return [e.predicate(tree, clause)]


def _parts(condition: Scalar) -> list[Scalar]:
    if isinstance(condition, Call) and condition.function == "and":
        return list(condition.args)
    return [condition]


__all__ = ["filter_conditions"]
