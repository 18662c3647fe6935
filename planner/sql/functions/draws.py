"""Calls of functions that draw: each that is written is a draw of its own, also beside an equal one."""

from __future__ import annotations

from itertools import count

from lazyframe.planner.bind import call
from lazyframe.planner.scalars import Scalar

_draws = count()


def draw(function: str) -> Scalar:
    return call(function, instance=f"sql {next(_draws)}")


__all__ = ["draw"]
