"""Where the user's code enters ours: the place is noted, and our own frames are taken out of the tracebacks of our errors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from lazyframe.planner.errors import LazyFrameError
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
        finally:
            ambient.site = outer

    return entered
