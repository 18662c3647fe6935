"""What a form of a function is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.scalars import Call, Literal

Form = str | Callable[[Call], str]
"""A template (see `templates`), or from the call to one."""


def option(call: Call, name: str, default: Any = None) -> Any:
    return dict(call.options).get(name, default)


def constant(call: Call, position: int) -> Any:
    """The Python value of an argument that is a constant; None where it is none, is null, or is not given."""
    if len(call.args) <= position:
        return None
    arg = call.args[position]
    return arg.value.as_py() if isinstance(arg, Literal) else None


def refuse(call: Call, what: str) -> UnsupportedError:
    return UnsupportedError(f"{call.function}() {what} cannot be written as SQL", site=call.site)
