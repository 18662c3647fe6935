"""Functions of strings whose result is a number, or a part of the string, which needs no copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyframe.executors.compiled.datum import Datum, Text, is_text
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.functions.search import begins_with, ends_with
from lazyframe.executors.compiled.kinds import I64, U8
from lazyframe.executors.compiled.unicode import advanced, code_points, retreated
from lazyframe.executors.compiled.values import Value
from lazyframe.planner.scalars import Call, Literal
from lazyframe.planner.types import is_string


def _text(application: Application) -> Text:
    return application.texts[0]


def _length(application: Application) -> Datum:
    text = _text(application)
    if not is_string(text.dtype):
        return application.number(text.length)
    return application.number(code_points(application.cg, text.address, text.length))


def _bytes(application: Application) -> Datum:
    return application.number(_text(application).length)


def _bits(application: Application) -> Datum:
    return application.number(_text(application).length * 8)


def part_of(application: Application, text: Text, start: Value, stop: Value) -> Text:
    """The bytes of a string from a place up to another one."""
    cg = application.cg
    stop = cg.choose(stop < start, start, stop)
    return Text(application.scalar.dtype, text.address.at(start), stop - start, application.valid)


def _slice(call: Call) -> slice | None:
    """What a call cuts out, as Python says it; None where that is not constant, or an error."""
    given: list[Any] = []
    for argument in call.args[1:]:
        if not isinstance(argument, Literal) or not argument.value.is_valid:
            return None
        given.append(argument.value.as_py())
    first, second = given[0], given[1] if len(given) > 1 else None
    match call.function:
        case "head_of_string":
            return slice(0, first)
        case "tail_of_string":
            return slice(-first, None) if first else slice(0, 0)
        case "substr" if first == 0 and second is not None:
            # Place 0 is before the first character.
            second = second - 1 if second > 0 else second
        case "substr":
            first = first - 1 if first > 0 else first
    if second is None:
        return slice(first, None)
    if second < 0:
        return None
    stop = first + second
    return slice(first, None if first < 0 <= stop else stop)


def _substring(application: Application) -> Datum:
    call, cg, text = application.call, application.cg, _text(application)
    part = _slice(call)
    assert part is not None
    constants = application.row.constants
    name = constants.new(call)
    for end, number in (("start", part.start), ("stop", part.stop or 0)):
        constants.put(f"{name}.{end}", abs(number))
    first, second = (cg.slot(f"{name}.{end}") for end in ("start", "stop"))
    zero = cg.lift(0, I64)
    if part.start < 0:
        start = retreated(cg, text.address, text.length, first)
    else:
        start = zero if part.start == 0 else advanced(cg, text.address, zero, text.length, first)
    if part.stop is None:
        return part_of(application, text, start, text.length)
    if part.stop < 0:
        return part_of(application, text, start, retreated(cg, text.address, text.length, second))
    if part.stop <= part.start:
        return part_of(application, text, start, start)
    return part_of(application, text, start, advanced(cg, text.address, start, text.length, second - first))


def _strip_prefix(application: Application) -> Datum:
    text, prefix = application.texts
    cg = application.cg
    start = cg.choose(begins_with(cg, text, prefix), prefix.length, cg.lift(0, I64))
    return part_of(application, text, start, text.length)


def _strip_suffix(application: Application) -> Datum:
    text, suffix = application.texts
    cg = application.cg
    cut = cg.choose(ends_with(cg, text, suffix), suffix.length, cg.lift(0, I64))
    return part_of(application, text, cg.lift(0, I64), text.length - cut)


def _trim(*, start: bool, end: bool) -> Emitter:
    """Without some characters of one byte each, at the start, at the end, or both."""

    def emit(application: Application) -> Datum:
        cg, text, constants = application.cg, application.texts[0], application.row.constants
        characters = _characters(application.call)
        assert characters is not None
        name = constants.new(characters)
        marks = np.zeros(256, dtype=np.uint8)
        marks[list(characters.encode())] = 1
        constants.lend(name, marks)
        table = cg.pointer(name, U8)
        first, last = cg.variable(I64, 0), cg.variable(I64, text.length)
        # A null may have any length, but no bytes that count.
        for wanted, variable, step, before in ((start, first, 1, 0), (end, last, -1, -1)):
            if not wanted:
                continue
            with cg.loop() as loop:
                with cg.if_(first.get() >= last.get()):
                    loop.leave()
                byte = text.address[variable.get() + before]
                with cg.if_(table[byte.to(I64)] == 0):
                    loop.leave()
                variable.add(step)
        return part_of(application, text, first.get(), last.get())

    return Emitter(emit, lambda call: _characters(call) is not None, constants=(1,))


def _characters(call: Call) -> str | None:
    """What is trimmed; None where that is not constant, or has characters of several bytes."""
    if len(call.args) == 1:
        # Python's strip takes all the white space of Unicode, SQL's trim just spaces.
        return " " if call.function.endswith("trim") else None
    characters = call.args[1]
    if not isinstance(characters, Literal) or not characters.value.is_valid:
        return None
    found: str = characters.value.as_py()
    return found if found.isascii() else None


def _of_text(call: Call) -> bool:
    return is_text(call.args[0].dtype)


_CUT = Emitter(_substring, lambda call: _slice(call) is not None, constants=(1, 2))

EMITTERS = {
    "length": Emitter(_length, _of_text),
    "byte_length": Emitter(_bytes, _of_text),
    "bit_length": Emitter(_bits, _of_text),
    "substring": _CUT,
    "substr": _CUT,
    "head_of_string": _CUT,
    "tail_of_string": _CUT,
    **{name: _trim(start=True, end=True) for name in ("strip", "trim")},
    **{name: _trim(start=True, end=False) for name in ("lstrip", "ltrim")},
    **{name: _trim(start=False, end=True) for name in ("rstrip", "rtrim")},
    "strip_prefix": Emitter(_strip_prefix, _of_text),
    "strip_suffix": Emitter(_strip_suffix, _of_text),
}
