"""The names that the user's code sees at the place where it calls us."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

_PACKAGE = __name__.partition(".")[0]
_PREFIX = _PACKAGE + "."


def caller_scopes() -> Iterator[Mapping[str, Any]]:
    """The scopes of the innermost frame outside this package: its locals, those of the functions around it, its globals."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name != _PACKAGE and not name.startswith(_PREFIX):
            return scopes_of(frame)
        frame = frame.f_back
    return iter(())


def scopes_of(frame: FrameType) -> Iterator[Mapping[str, Any]]:
    """The scopes of a frame, innermost first.

    A function that never mentions a variable of the function around it does not hold it: `from df` in a text is no mention.
    Such a variable is found where the function around still runs, as it does around a comprehension.
    """
    yield frame.f_locals
    code, outer = frame.f_code, frame.f_back
    while outer is not None and code.co_flags & inspect.CO_NESTED:
        if any([constant is code for constant in outer.f_code.co_consts]):
            yield outer.f_locals
            code = outer.f_code
        outer = outer.f_back
    if frame.f_globals is not frame.f_locals:
        yield frame.f_globals
