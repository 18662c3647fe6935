"""Code points within kernels: strings are valid UTF-8, in which a byte of 10 in its first bits goes on with a code point."""

from __future__ import annotations

from lazyframe.executors.compiled.kinds import I64, POINTER, U64
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Pointer, Value

_HIGH = 0x8080808080808080
_LOW = 0x0101010101010101


def code_points(cg: Function, address: Pointer, length: Value) -> Value:
    """How many code points so many bytes have."""
    return cg.local("code_points", I64, [POINTER, I64], _code_points, address, length)


def _code_points(cg: Function, address: Pointer, length: Value) -> Value:
    continuing = cg.variable(I64, 0)
    with cg.for_range(0, length >> 3) as i:
        word = address.unaligned(i << 3, U64)
        marks = (word >> 7) & ~(word >> 6) & _word(cg, _LOW)
        continuing.add(cg.intrinsic("llvm.ctpop", U64, marks).to(I64))
    with cg.for_range((length >> 3) << 3, length) as i:
        continuing.add(_continues(address[i]).to(I64))
    return length - continuing.get()


def advanced(cg: Function, address: Pointer, start: Value, length: Value, count: Value) -> Value:
    """The place so many code points behind a place, or the end of the string where there are fewer."""
    return cg.local(
        "advanced", I64, [POINTER, I64, I64, I64], _advanced, address, start, length, count
    )  # fmt: skip


def _advanced(cg: Function, address: Pointer, start: Value, length: Value, count: Value) -> Value:
    place, left = cg.variable(I64, start), cg.variable(I64, count)
    # Eight characters of ASCII at a time, and what is left over of them at once.
    with cg.loop() as loop:
        at = place.get()
        with cg.if_(cg.either(left.get() <= 0, at + 8 > length)):
            loop.leave()
        with cg.if_((address.unaligned(at, U64) & _word(cg, _HIGH)) != 0):
            loop.leave()
        step = cg.choose(left.get() < 8, left.get(), cg.lift(8, I64))
        place.set(at + step)
        left.set(left.get() - step)
    with cg.loop() as loop:
        with cg.if_(cg.either(left.get() <= 0, place.get() >= length)):
            loop.leave()
        place.add(1)
        with cg.loop() as rest:
            with cg.if_(place.get() >= length):
                rest.leave()
            with cg.if_(~_continues(address[place.get()])):
                rest.leave()
            place.add(1)
        left.add(-1)
    return place.get()


def retreated(cg: Function, address: Pointer, stop: Value, count: Value) -> Value:
    """The place so many code points before a place, or 0 where there are fewer."""
    return cg.local("retreated", I64, [POINTER, I64, I64], _retreated, address, stop, count)


def _retreated(cg: Function, address: Pointer, stop: Value, count: Value) -> Value:
    place, left = cg.variable(I64, stop), cg.variable(I64, count)
    with cg.loop() as loop:
        with cg.if_(cg.either(left.get() <= 0, place.get() <= 0)):
            loop.leave()
        place.add(-1)
        with cg.if_(~_continues(address[place.get()])):
            left.add(-1)
    return place.get()


def _continues(byte: Value) -> Value:
    return (byte & 0xC0) == 0x80


def _word(cg: Function, bits: int) -> Value:
    return cg.lift(bits - (1 << 64) if bits >> 63 else bits, U64)
