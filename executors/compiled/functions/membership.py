"""Membership in a list of constants."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import decoded
from lazyframe.executors.compiled.constants import Constants, bits_of
from lazyframe.executors.compiled.datum import ConstantText, Datum, Number, Text, is_known, is_text, kind_of
from lazyframe.executors.compiled.expressions import Application
from lazyframe.executors.compiled.functions.comparison import compared
from lazyframe.executors.compiled.functions.emitter import Emitter
from lazyframe.executors.compiled.kinds import BOOL, I32, I64, I128, POINTER, U8, U64
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.texts import text_among, texts_compared
from lazyframe.executors.compiled.values import Pointer, Value
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.scalars import Call
from lazyframe.planner.types import DataType, is_float

_FEW = 16
"""Up to so many members each is compared."""

_WIDEST_TABLE = 1 << 24


def _emit(application: Application) -> Datum:
    cg, call = application.cg, application.call
    (value,) = application.arguments
    members = _members(call)
    if len(members) == 0:
        return Number(BOOL_TYPE, cg.truth(False))
    present = pc.drop_null(decoded(members, value.dtype))
    found = _found(application, value, present)
    valid = application.valid
    if members.null_count:
        # What is not among the others may be what the null stands for.
        valid = cg.both(valid, found)
    return Number(BOOL_TYPE, found, valid)


BOOL_TYPE = pa.bool_()


def _found(application: Application, value: Datum, members: pa.Array) -> Value:
    cg, constants = application.cg, application.row.constants
    if len(members) == 0:
        return cg.truth(False)
    if isinstance(value, Text):
        texts = sorted({member.as_buffer().to_pybytes() for member in members})
        if len(texts) > _FEW:
            return _among_texts(application, value, texts)
        return text_among(cg, value, [_text(application, value.dtype, text) for text in texts])
    if len(members) > _FEW:
        return _among_numbers(application, value, members)
    tests = []
    for member in members:
        name = constants.new(member)
        constants.put(name, bits_of(member, value.dtype))
        constant = Number(value.dtype, cg.slot(name, value.value.kind))
        tests.append(compared(cg, "equal", lambda a, b: a == b, value, constant))
    return reduce(cg.either, tests)


def _text(application: Application, dtype: DataType, content: bytes) -> ConstantText:
    constants: Constants = application.row.constants
    return constants.text(application.cg, dtype, constants.new(content), content)


def _among_numbers(application: Application, value: Number, members: pa.Array) -> Value:
    """In a table of truth values where the members lie near each other, else by binary search."""
    cg, constants = application.cg, application.row.constants
    # In the order of their bits: any order will do as long as it is one.
    numbers = np.unique(np.array([_word(bits_of(member, value.dtype)) for member in members], dtype=np.int64))
    name = constants.new(members)
    wanted = value.value.to(I64)
    least, greatest = int(numbers[0]), int(numbers[-1])
    if greatest - least < _WIDEST_TABLE:
        table = np.zeros(greatest - least + 1, dtype=np.uint8)
        table[numbers - least] = 1
        constants.lend(name, table)
        constants.put(f"{name}.least", least)
        constants.put(f"{name}.count", len(table))
        place = (wanted - cg.slot(f"{name}.least")).to(U64)
        inside = place < cg.slot(f"{name}.count").to(U64)
        return cg.both_lazily(inside, lambda: cg.pointer(name, BOOL)[place.to(I64)])
    constants.lend(name, numbers)
    constants.put(f"{name}.count", len(numbers))
    held = cg.pointer(name, I64)
    return cg.local("among", BOOL, [I64, POINTER, I64], _among, wanted, held, cg.slot(f"{name}.count"))


def _word(bits: int) -> int:
    bits &= (1 << 64) - 1
    return bits - (1 << 64) if bits >> 63 else bits


def _among(cg: Function, wanted: Value, address: Pointer, count: Value) -> Value:
    numbers = address.of(I64)
    base, rest = cg.variable(I64, 0), cg.variable(I64, count)
    with cg.loop() as loop:
        with cg.if_(rest.get() <= 1):
            loop.leave()
        half = rest.get() >> 1
        middle = base.get() + half
        base.set(cg.choose(numbers[middle] <= wanted, middle, base.get()))
        rest.set(rest.get() - half)
    return numbers[base.get()] == wanted


def _among_texts(application: Application, value: Text, texts: Sequence[bytes]) -> Value:
    """Binary search among strings in the order of their bytes."""
    cg, constants = application.cg, application.row.constants
    name = constants.new(texts)
    offsets = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    constants.lend(f"{name}.offsets", offsets)
    constants.lend(f"{name}.bytes", np.frombuffer(b"".join(texts) or b"\0", dtype=np.uint8))
    constants.put(f"{name}.count", len(texts))
    return cg.local(
        "among_texts", BOOL, [POINTER, I64, POINTER, POINTER, I64], _among_sorted,
        value.address, value.length, cg.pointer(f"{name}.offsets", I32), cg.pointer(f"{name}.bytes", U8),
        cg.slot(f"{name}.count"),
    )  # fmt: skip


def _among_sorted(cg: Function, address: Pointer, size: Value, offsets: Pointer, held: Pointer, count: Value) -> Value:
    offsets = offsets.of(I32)
    text = Text(pa.binary(), address, size)
    low, high = cg.variable(I64, 0), cg.variable(I64, count)
    with cg.loop() as loop:
        with cg.if_(low.get() >= high.get()):
            loop.leave()
        middle = (low.get() + high.get()) >> 1
        start, stop = offsets[middle].to(I64), offsets[middle + 1].to(I64)
        order = texts_compared(cg, text, Text(pa.binary(), held.at(start), stop - start))
        with cg.if_(order == 0):
            cg.give(cg.truth(True))
        with cg.if_(order < 0) as before:
            high.set(middle)
        with before.otherwise():
            low.set(middle + 1)
    return cg.truth(False)


def _members(call: Call) -> pa.Array:
    members = dict(call.options)["values"]
    assert isinstance(members, pa.Array)
    return members


def _accepts(call: Call) -> bool:
    (value,) = call.args
    members = _members(call)
    if not is_known(value.dtype) or len(members) <= _FEW or is_text(value.dtype):
        return is_known(value.dtype)
    return kind_of(value.dtype) is not I128 and not is_float(value.dtype)


EMITTERS = {"is_in": Emitter(_emit, _accepts)}
