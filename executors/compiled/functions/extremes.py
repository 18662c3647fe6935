"""The least and the greatest of several values; nulls do not count."""

from __future__ import annotations

from lazyframe.executors.compiled.datum import Datum, Number, Text, is_known
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.comparison import COMPARISONS, compared
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Pointer, Value
from lazyframe.planner.scalars import Call


def _extreme(name: str) -> Emitter:
    def emit(application: Application) -> Datum:
        best, *others = application.arguments
        for other in others:
            best = _better(application.cg, name, other, best)
        return best

    return Emitter(emit, _accepts)


def _better(cg: Function, name: str, a: Datum, b: Datum) -> Datum:
    """The one that is before (`less`) or after (`greater`) the other; of equal ones `b`, and of a null the other."""
    ahead = compared(cg, name, COMPARISONS[name], a, b)
    if a.valid is not None:
        ahead = cg.both(a.valid, ahead)
    if b.valid is not None:
        ahead = cg.either(ahead, ~b.valid)
        # Where both are null it does not matter which.
    valid = None if a.valid is None or b.valid is None else cg.either(a.valid, b.valid)
    if isinstance(a, Text):
        assert isinstance(b, Text)
        address = cg.choose(ahead, a.address, b.address)
        length = cg.choose(ahead, a.length, b.length)
        return Text(a.dtype, _bytes(cg, address, length), length, valid)
    assert isinstance(b, Number)
    return Number(a.dtype, cg.choose(ahead, a.value, b.value), valid)


def _bytes(cg: Function, address: Value, length: Value) -> Pointer:
    assert isinstance(address, Pointer)
    return address.of(address.element, length if cg.module.checked else None)


def _accepts(call: Call) -> bool:
    return is_known(call.dtype)


EMITTERS = {"least": _extreme("less"), "greatest": _extreme("greater")}
