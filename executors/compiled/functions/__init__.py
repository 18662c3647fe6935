"""Emitters: how kernels compute scalar functions. One module a topic; `emitter_of` finds them by name."""

from __future__ import annotations

from lazyframe.executors.compiled.functions import (
    arithmetic,
    cast,
    comparison,
    dates,
    division,
    elementary,
    extremes,
    logic,
    maths,
    membership,
    motion,
    search,
    strings,
)
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.planner.scalars import Call, Cast

EMITTERS: dict[str, Emitter] = {
    **arithmetic.EMITTERS,
    **division.EMITTERS,
    **elementary.EMITTERS,
    **maths.EMITTERS,
    **extremes.EMITTERS,
    **comparison.EMITTERS,
    **logic.EMITTERS,
    **membership.EMITTERS,
    **search.EMITTERS,
    **strings.EMITTERS,
    **dates.EMITTERS,
    **motion.EMITTERS,
}


def emitter_of(scalar: Call | Cast) -> Emitter | None:
    """What writes a call or a cast, where anything does; whether it takes the types is up to its `accepts`."""
    if isinstance(scalar, Cast):
        return cast.EMITTER
    return EMITTERS.get(scalar.function)


__all__ = ["EMITTERS", "Emitter", "emitter_of"]
