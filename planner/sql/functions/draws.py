"""Calls of functions that draw: each that is written is a draw of its own, also beside an equal one."""

from __future__ import annotations

from itertools import count

from sqlglot import exp

from lazyframe.planner.bind import call
from lazyframe.planner.scalars import Scalar

_draws = count()


def draw(tree: exp.Expr, function: str) -> Scalar:
    """The draw that stands at a place of the text: one also where that is bound twice, as the x of `x BETWEEN a AND b`."""
    instance = tree.meta.get("draw")
    if instance is None:
        instance = tree.meta["draw"] = f"sql {next(_draws)}"
    return call(function, instance=instance)


__all__ = ["draw"]
