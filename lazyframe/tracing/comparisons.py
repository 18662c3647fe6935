"""Comparisons in a traced function: of values as Python compares them, of columns as expressions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, NoReturn

from lazyframe.expr import Expr, balanced, call
from lazyframe.tracing.values import holds_column

Refuse = Callable[[str, str], NoReturn]
"""Says what cannot be traced, and what to write instead."""

_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip


def compared(op: ast.cmpop, left: Any, right: Any, refuse: Refuse) -> Any:
    """One comparison of two values.

    Args:
        op: how they are compared.
        left: a value, or an expression.
        right: another.
        refuse: what is called where a comparison has no meaning for columns.
    """
    match op:
        case ast.In():
            return _is_among(left, right, refuse)
        case ast.NotIn():
            return _opposite(_is_among(left, right, refuse))
        case ast.Is():
            return _is(left, right, refuse)
        case ast.IsNot():
            return _opposite(_is(left, right, refuse))
        case ast.Eq() | ast.NotEq() if left is None or right is None:
            other = right if left is None else left
            if isinstance(other, Expr):
                return call("is_null" if isinstance(op, ast.Eq) else "is_not_null", other)
    return _OPERATORS[type(op)](left, right)


def _opposite(found: Any) -> Any:
    return call("not", found) if isinstance(found, Expr) else not found


def _is(left: Any, right: Any, refuse: Refuse) -> Any:
    if not isinstance(left, Expr) and not isinstance(right, Expr):
        return left is right
    other, one = (left, right) if isinstance(left, Expr) else (right, left)
    if one is not None:
        refuse("only None is compared with is", "write ==")
    return call("is_null", other)


def _is_among(left: Any, right: Any, refuse: Refuse) -> Any:
    if isinstance(right, Expr):
        refuse("whether something is in a column", "write x.str.contains(...) or x.list.contains(...)")
    if not isinstance(left, Expr) and not holds_column(right):
        return left in right
    if isinstance(right, str):
        refuse("whether a text is part of another", "write a list of the texts: x in ['a', 'b']")
    if isinstance(right, (range, set, frozenset, dict)):
        right = list(right)
    if isinstance(left, Expr):
        return left.is_in(right)
    return Expr(balanced("or", [call("equal", left, each)._node for each in right]))


__all__ = ["compared"]
