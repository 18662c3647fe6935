"""Snappy's raw format, decompressed by a staged function.

A stream is the length of what it holds, and then elements: bytes that stand for themselves, and copies of bytes that came
before. Format: https://github.com/google/snappy/blob/main/format_description.txt
"""

from __future__ import annotations

from lazyframe.executors.compiled.kinds import I64, I128, POINTER, U8, U32, U64
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Pointer, Value, Variable

SLACK = 64
"""How many bytes behind the compressed ones may be read, and behind the decompressed ones be written."""


def decompress(cg: Function, source: Pointer, size: Value, target: Pointer, room: Value) -> Value:
    """Call the decompressor: 1 where exactly `room` bytes came of `size` bytes, 0 where they are corrupt."""
    return cg.local("snappy", I64, [POINTER, I64, POINTER, I64], _write, source, size, target, room)


def _write(cg: Function, source: Value, size: Value, target: Value, room: Value) -> Value:
    assert isinstance(source, Pointer)
    assert isinstance(target, Pointer)
    source, target = source.of(U8), target.of(U8)
    if cg.module.checked:
        source, target = source.of(U8, size + SLACK), target.of(U8, room + SLACK)
    read, written = cg.variable(I64, 0), cg.variable(I64, 0)
    _unless(cg, _length(cg, source, size, read) == room)
    with cg.loop() as elements:
        # An element is looked at before it is known to be whole: all but long literals stay within the slack.
        with cg.if_((read.get() >= size) | (written.get() > room)):
            elements.leave()
        tag = source[read.get()].to(I64)
        read.add(1)
        with cg.if_((tag & 3) == 0) as literal:
            _literal(cg, tag, source, size, read, target, room, written)
        with literal.otherwise():
            _copy(cg, tag, source, read, target, written)
    return ((written.get() == room) & (read.get() == size)).to(I64)


def _unless(cg: Function, condition: Value) -> None:
    with cg.if_(~condition):
        cg.return_(0)


def _length(cg: Function, source: Pointer, size: Value, read: Variable) -> Value:
    """The length that a stream begins with; it takes at most five bytes."""
    length, shift = cg.variable(I64, 0), cg.variable(I64, 0)
    with cg.loop() as bytes_:
        _unless(cg, (read.get() < size) & (shift.get() < 35))
        byte = source[read.get()].to(I64)
        read.add(1)
        length.set(length.get() | ((byte & 127) << shift.get()))
        with cg.if_(byte < 128):
            bytes_.leave()
        shift.add(7)
    return length.get()


def _literal(
    cg: Function,
    tag: Value,
    source: Pointer,
    size: Value,
    read: Variable,
    target: Pointer,
    room: Value,
    written: Variable,
) -> None:
    length = cg.variable(I64, tag.shifted_right(2) + 1)
    with cg.if_(length.get() <= 16) as short:
        target.set_unaligned(written.get(), source.unaligned(read.get(), I128))
    with short.otherwise():
        with cg.if_(length.get() > 60):
            # The length stands in the next one to four bytes.
            count = length.get() - 60
            stored = source.unaligned(read.get(), U32).to(I64) & ((cg.lift(1, I64) << (count << 3)) - 1)
            length.set(stored + 1)
            read.add(count)
        _unless(cg, (length.get() <= size - read.get()) & (length.get() <= room - written.get()))
        target.at(written.get()).copy(source.at(read.get()), length.get())
    read.add(length.get())
    written.add(length.get())


_MULTIPLES = 0x0E0C0A0809080800
"""For each distance below 8, in the byte of that number, the least multiple of it that is not below 8."""


def _copy(cg: Function, tag: Value, source: Pointer, read: Variable, target: Pointer, written: Variable) -> None:
    form, rest = tag & 3, tag.shifted_right(2)
    is_near = form == 1
    length = cg.choose(is_near, (rest & 7) + 4, rest + 1)
    count = form + form.shifted_right(1) * (form & 1)
    low = source.unaligned(read.get(), U32).to(I64) & ((cg.lift(1, I64) << (count << 3)) - 1)
    back = low | cg.choose(is_near, rest.shifted_right(3) << 8, cg.lift(0, I64))
    read.add(count)
    start = written.get()
    _unless(cg, (back > 0) & (back <= start))
    origin = start - back
    step = cg.variable(I64, 16)
    with cg.if_(back >= 8) as apart:
        target.set_unaligned(start, target.unaligned(origin, U64))
        target.set_unaligned(start + 8, target.unaligned(origin + 8, U64))
        with cg.if_((length > 16) & (back >= 16)):
            for offset in (16, 32, 48):
                target.set_unaligned(start + offset, target.unaligned(origin + offset, I128))
            step.set(64)
    with apart.otherwise():
        # What is copied overlaps what it is copied to: its first bytes one by one, the rest from where these repeat.
        for offset in range(8):
            target[start + offset] = target[origin + offset]
        step.set(8)
    distance = cg.choose(back >= 8, back, (cg.lift(_MULTIPLES, I64).shifted_right((back & 7) << 3)) & 255)
    with cg.loop() as steps:
        with cg.if_(step.get() >= length):
            steps.leave()
        target.set_unaligned(start + step.get(), target.unaligned(start + step.get() - distance, U64))
        step.add(8)
    written.add(length)
