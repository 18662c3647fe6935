"""What objects are called in messages, and how a frame is made of those that hold no rows."""

from __future__ import annotations

from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from lazyframe.formats import format_by_name
from lazyframe.planner.nouns import with_article


def a_type(value: object) -> str:
    """The type of an object with its article.

    Example:
        >>> a_type([]), a_type(3), a_type(None)
        ('a list', 'an int', 'None')
    """
    return "None" if value is None else with_article(type(value).__name__)


def is_value(value: object) -> bool:
    """Whether an object could be meant as rows, or as the name of them: no function, class or module."""
    # Asked of its class: an object may be a proxy that fails when it is asked what it is.
    return not issubclass(type(value), (FunctionType, BuiltinFunctionType, ModuleType, type))


def frame_hint(name: str, value: Any) -> str:
    """How a table is made of an object that is none.

    Example:
        >>> frame_hint("t", {"a": [1, 2]}), frame_hint("t", [{"a": 1}]), frame_hint("t", "a.csv")
        ('write t=lf.from_dict(t)', 'write t=lf.from_dicts(t)', "a file stands in quotes: FROM 'a.csv'")
    """
    kind = type(value)
    if issubclass(kind, Mapping):
        return f"write {name}=lf.from_dict({name})"
    if issubclass(kind, list) and value and all([issubclass(type(row), Mapping) for row in value]):
        return f"write {name}=lf.from_dicts({name})"
    if issubclass(kind, str):
        if format_by_name(value) is not None:
            return f"a file stands in quotes: FROM '{value}'"
        return f"lf.sql({name}) makes a frame of a query"
    if kind.__name__.endswith("Series"):
        return f"write {name}={name}.to_frame()"
    if hasattr(kind, "__array__") or issubclass(kind, (list, tuple, range)):
        return f"write {name}=lf.from_dict({{'x': {name}}})"
    return "give a frame, or whatever lf.from_arrow() takes"
