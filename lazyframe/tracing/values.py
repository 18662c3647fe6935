"""What traced functions are given: values of Python, expressions of columns, and both in lists and dicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lazyframe.expr import Expr
from lazyframe.parameters import Param


def holds_column(value: Any) -> bool:
    """Whether an expression is in a value. The array of a parameter is none, though its elements are."""
    return _holds(value, lambda each: isinstance(each, Expr))


def holds_expression(value: Any) -> bool:
    """Whether an expression is in a value, or a parameter that has some."""
    return _holds(value, lambda each: isinstance(each, (Expr, Param)))


def _holds(value: Any, test: Callable[[Any], bool]) -> bool:
    if test(value):
        return True
    if isinstance(value, Mapping):
        return any([_holds(each, test) for each in value.values()])
    return isinstance(value, (list, tuple)) and any([_holds(each, test) for each in value])


__all__ = ["holds_column", "holds_expression"]
