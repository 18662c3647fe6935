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
    own = _locals_of(frame)
    yield own
    code, outer = frame.f_code, frame.f_back
    while outer is not None and code.co_flags & inspect.CO_NESTED:
        if any([constant is code for constant in outer.f_code.co_consts]):
            yield _locals_of(outer)
            code = outer.f_code
        outer = outer.f_back
    if frame.f_globals is not own:
        yield frame.f_globals


def _locals_of(frame: FrameType) -> Mapping[str, Any]:
    """The variables of a frame."""
    found = frame.f_locals
    if sys.version_info >= (3, 13) or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return found
    # Before Python 3.13 what a function's frame gives is a copy that it keeps, and so all that was in it when it was last
    # asked. It is filled anew whenever somebody asks.
    kept = dict(found)
    found.clear()
    return kept
