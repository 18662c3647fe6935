"""Emitters of elementary functions: exponentials, logarithms, powers. They give the bits that the vectorized kernels give."""

from __future__ import annotations

from lazyframe.executors.compiled.datum import Datum
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.kinds import F64, I64
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Value
from lazyframe.executors.elementary import FUNCTIONS, Elementary
from lazyframe.executors.elementary.lanes import Floats, Truths, Words
from lazyframe.planner.scalars import Call
from lazyframe.planner.types import is_float

_MOST_IN_PLACE = 16
"""So many of a kernel's functions are written where they are used, which spares the call; beyond, a kernel would take long to
compile."""


class StagedLanes:
    """Staged floats, integers and booleans of a kernel."""

    def __init__(self, cg: Function) -> None:
        self._cg = cg

    def quotient(self, a: Floats, b: Floats) -> Floats:
        return self._cg.lift(a, F64).quotient(b)

    def choose(self, condition: Truths, yes: Floats, no: Floats) -> Floats:
        cg = self._cg
        return cg.choose(condition, cg.lift(yes, F64), cg.lift(no, F64))

    def magnitude(self, x: Floats) -> Floats:
        return self._cg.intrinsic("llvm.fabs", F64, x)

    def signed(self, size: Floats, x: Floats) -> Floats:
        return self._cg.intrinsic("llvm.copysign", F64, size, x)

    def root(self, x: Floats) -> Floats:
        return self._cg.intrinsic("llvm.sqrt", F64, x)

    def floor(self, x: Floats) -> Floats:
        return self._cg.intrinsic("llvm.floor", F64, x)

    def bits(self, x: Floats) -> Words:
        return x.bits_as(I64)

    def from_bits(self, word: Words) -> Floats:
        return word.bits_as(F64)

    def number(self, word: Words) -> Floats:
        return word.to(F64)


def staged(cg: Function, function: Elementary, arguments: list[Value]) -> Value:
    """The value of a function of 64-bit floats."""
    module = cg.module
    lanes = max([argument.lanes for argument in arguments])
    # A call saves what stands in registers, for eight rows at a time for eight.
    if module.in_place < _MOST_IN_PLACE and (lanes > 1 or not function.is_long):
        module.in_place += 1
        found: Value = function.compute(StagedLanes(cg), *arguments)
        return found

    def body(at: Function, *given: Value) -> Value:
        value: Value = function.compute(StagedLanes(at), *given)
        return value

    return cg.call(module.local(function.name, F64, [F64] * function.arity, body, lanes), *arguments)


def _emitter(function: Elementary) -> Emitter:
    def emit(application: Application) -> Datum:
        cg = application.cg
        arguments = [value.to(F64) for value in application.values]
        if function.limit is not None:
            size = cg.intrinsic("llvm.fabs", F64, arguments[0])
            application.fail_if((size > function.limit) & (size < float("inf")))
        found = staged(cg, function, arguments)
        kind = application.values[0].kind
        return application.number(found.to(kind))

    return Emitter(emit, _of_floats)


def _of_floats(call: Call) -> bool:
    return all(is_float(argument.dtype) and argument.dtype == call.dtype for argument in call.args)


EMITTERS = {name: _emitter(function) for name, function in FUNCTIONS.items()}
