"""Truth values, and nulls."""

from __future__ import annotations

from lazyframe.executors.compiled.datum import Datum, Number, is_known
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.planner.scalars import Call


def _not(application: Application) -> Datum:
    (a,) = application.values
    return application.number(~a)


def _xor(application: Application) -> Datum:
    a, b = application.values
    return application.number(a ^ b)


def _is_null(application: Application) -> Datum:
    (a,) = application.arguments
    cg = application.cg
    return Number(application.scalar.dtype, cg.truth(False) if a.valid is None else ~a.valid)


def _is_not_null(application: Application) -> Datum:
    (a,) = application.arguments
    return Number(application.scalar.dtype, application.cg.truth(True) if a.valid is None else a.valid)


def _only_value(application: Application) -> Datum:
    """The first argument, where the second says that it has been counted once at most."""
    value, count = application.arguments
    assert isinstance(count, Number)
    application.row.fail_if(count.value > 1, application.scalar, count.valid)
    return value


def _known(call: Call) -> bool:
    return all(is_known(argument.dtype) for argument in call.args)


EMITTERS = {
    "not": Emitter(_not, _known),
    "xor": Emitter(_xor, _known),
    "is_null": Emitter(_is_null, _known),
    "is_not_null": Emitter(_is_not_null, _known),
    "detach": Emitter(lambda application: application.arguments[0], _known),
    "only_value": Emitter(_only_value, _known),
}
