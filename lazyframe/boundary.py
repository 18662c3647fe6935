"""Where the user's code enters ours: the place is noted, and our own frames are taken out of the tracebacks of our errors."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

from lazyframe.planner.errors import InvalidArgumentError, LazyFrameError, nearest
from lazyframe.planner.site import ambient, capture

P = ParamSpec("P")
R = TypeVar("R")


def public(function: Callable[P, R]) -> Callable[P, R]:
    """A function that users call: what it builds is written at the line that called it, and so are the errors it raises."""

    @functools.wraps(function)
    def entered(*args: P.args, **kwargs: P.kwargs) -> R:
        outer = ambient.site
        if outer is None:
            ambient.site = capture()
        try:
            return function(*args, **kwargs)
        except LazyFrameError as error:
            if error.site is None:
                error.site = ambient.site
            error.__suppress_context__ = True
            if outer is None:
                error.__traceback__ = None
            raise
        except TypeError as error:
            refused = error.__traceback__ is not None and error.__traceback__.tb_next is None
            # Then the call itself was refused, before any of our code ran.
            unknown = _unknown_argument(function, kwargs) if refused else None
            if unknown is None:
                raise
            raise unknown from None
        finally:
            ambient.site = outer

    return entered


def _unknown_argument(function: Callable[..., object], given: Mapping[str, object]) -> InvalidArgumentError | None:
    """The error for an argument that a function does not have, or None where that is not what is wrong."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    unknown = next((name for name in given if name not in named), None)
    if unknown is None:
        return None
    shown = ", ".join([f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name for p in parameters])
    close = nearest(unknown, named, 1)
    hint = f"did you mean {close[0]}=? " if close else ""
    called = function.__qualname__.rpartition(".")
    name = called[0].rpartition(".")[2] if called[2] == "__init__" else called[2]
    return InvalidArgumentError(f"{name}() has no argument {unknown!r}", hint=f"{hint}write {name}({shown})")
