"""Strings of bytes within kernels: equality, order, search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from lazyframe.executors.compiled.constants import word_bytes
from lazyframe.executors.compiled.datum import ConstantText, Text
from lazyframe.executors.compiled.kinds import BOOL, I64, POINTER, U8, U16, U32, U64, Kind
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Pointer, Value

_WORDS: dict[int, Kind] = {1: U8, 2: U16, 4: U32, 8: U64}
BLOCK = 16
"""How many bytes a search looks at together."""


def texts_equal(cg: Function, a: Text, b: Text) -> Value:
    """Whether two strings have the same bytes."""
    if isinstance(a, ConstantText):
        a, b = b, a
    if isinstance(b, ConstantText):
        constant = b
        return cg.both_lazily(a.length == constant.length, lambda: constant_at(cg, a.address, constant))
    return cg.both_lazily(a.length == b.length, lambda: bytes_equal(cg, a.address, b.address, a.length))


def constant_at(cg: Function, address: Pointer, constant: ConstantText) -> Value:
    """Whether a constant's bytes stand somewhere, where as many bytes can be read.

    The first and the last of them are compared as numbers in registers, which overlap where that is not all: up to 16 bytes
    there is nothing to loop over.
    """
    size = constant.size
    if size == 0:
        return cg.truth(True)
    part = word_bytes(size)
    kind = _WORDS[part]
    first = address.unaligned(0, kind) == cg.slot(f"{constant.name}.first").to(kind)
    if size == part:
        return first
    if size <= 16:
        last = address.unaligned(constant.length - part, kind)
        return cg.both(first, last == cg.slot(f"{constant.name}.last").to(kind))
    return cg.both_lazily(first, lambda: bytes_equal(cg, address, constant.address, constant.length))


def text_among(cg: Function, text: Text, constants: Sequence[ConstantText]) -> Value:
    """Whether a string is one of some constants, of which only those of its length are looked at."""
    found = cg.variable(BOOL, False)
    by_size: dict[int, list[ConstantText]] = {}
    for constant in constants:
        by_size.setdefault(constant.size, []).append(constant)

    def test(groups: Sequence[list[ConstantText]]) -> None:
        if not groups:
            return
        group, *others = groups
        with cg.if_(text.length == group[0].length) as branch:
            found.set(reduce(cg.either, [constant_at(cg, text.address, constant) for constant in group]))
        with branch.otherwise():
            test(others)

    test(list(by_size.values()))
    return found.get()


def bytes_equal(cg: Function, a: Pointer, b: Pointer, length: Value) -> Value:
    """Whether so many bytes at two places are the same."""
    return cg.local("bytes_equal", BOOL, [POINTER, POINTER, I64], _bytes_equal, a, b, length)


def _bytes_equal(cg: Function, a: Pointer, b: Pointer, length: Value) -> Value:
    with cg.if_(length >= 8) as long:
        last = length - 8
        with cg.for_range(0, length >> 3) as i, cg.if_(a.unaligned(i << 3, U64) != b.unaligned(i << 3, U64)):
            cg.give(cg.truth(False))
        cg.give(a.unaligned(last, U64) == b.unaligned(last, U64))
    with long.otherwise():
        for part in (4, 2, 1):
            kind = _WORDS[part]
            with cg.if_(length >= part):
                last = length - part
                same = cg.both(
                    a.unaligned(0, kind) == b.unaligned(0, kind), a.unaligned(last, kind) == b.unaligned(last, kind)
                )
                cg.give(same)
    return cg.truth(True)


def texts_compared(cg: Function, a: Text, b: Text) -> Value:
    """Below 0, 0 or above 0: the order of two strings by their bytes, which is that of their code points."""
    return cg.local(
        "bytes_compared", I64, [POINTER, I64, POINTER, I64], _bytes_compared, a.address, a.length, b.address, b.length
    )


def _bytes_compared(cg: Function, a: Pointer, m: Value, b: Pointer, n: Value) -> Value:
    shorter = cg.choose(m < n, m, n)
    words = shorter >> 3
    start = cg.variable(I64, 0)
    with cg.loop() as loop:
        at = start.get()
        with cg.if_(at >= words << 3):
            loop.leave()
        with cg.if_(a.unaligned(at, U64) != b.unaligned(at, U64)):
            # The bytes that differ are among these.
            loop.leave()
        start.set(at + 8)
    with cg.for_range(start.get(), shorter) as i:
        x, y = a[i], b[i]
        with cg.if_(x != y):
            cg.give(x.to(I64) - y.to(I64))
    return m - n


def text_found(cg: Function, text: Text, start: Value, stop: Value, part: Text) -> Value:
    """Where a string first stands in the bytes of another from `start` up to `stop`, or -1."""
    return cg.local(
        "bytes_found", I64, [POINTER, I64, I64, POINTER, I64], _found,
        text.address, start, stop, part.address, part.length,
    )  # fmt: skip


def _found(cg: Function, text: Pointer, start: Value, stop: Value, part: Pointer, size: Value) -> Value:
    """A place is looked at where the first and the last byte are right, 16 places at a time (W. Muła's generic search)."""
    with cg.if_(size == 0):
        cg.give(cg.choose(start <= stop, start, cg.lift(-1, I64)))
    # The last place at which it may begin.
    end = stop - size
    with cg.if_(end < start):
        cg.give(cg.lift(-1, I64))
    first, last = part[0], part[size - 1]
    place = cg.variable(I64, start)
    with cg.if_(end - start >= BLOCK - 1):
        firsts, lasts = _everywhere(cg, first), _everywhere(cg, last)
        with cg.loop():
            at = place.get()
            hits = cg.variable(I64, _hits(cg, text.at(at), firsts, text.at(at + (size - 1)), lasts))
            with cg.loop() as inner:
                with cg.if_(hits.get() == 0):
                    inner.leave()
                candidate = at + cg.intrinsic("llvm.cttz", I64, hits.get(), immediate=[True])
                with cg.if_(bytes_equal(cg, text.at(candidate), part, size)):
                    cg.give(candidate)
                hits.set(hits.get() & (hits.get() - 1))
            with cg.if_(at == end - (BLOCK - 1)):
                cg.give(cg.lift(-1, I64))
            # The last block overlaps the one before it.
            following, latest = at + BLOCK, end - (BLOCK - 1)
            place.set(cg.choose(following < latest, following, latest))
    with cg.for_range(place.get(), end + 1) as at:
        near = cg.both(text[at] == first, text[at + (size - 1)] == last)
        with cg.if_(near), cg.if_(bytes_equal(cg, text.at(at), part, size)):
            cg.give(at)
    return cg.lift(-1, I64)


def _everywhere(cg: Function, byte: Value) -> str:
    """A vector of one byte."""
    one = cg.line_value(f"insertelement <{BLOCK} x i8> poison, i8 {byte.ref}, i64 0")
    return cg.line_value(f"shufflevector <{BLOCK} x i8> {one}, <{BLOCK} x i8> poison, <{BLOCK} x i32> zeroinitializer")


def _hits(cg: Function, a: Pointer, firsts: str, b: Pointer, lasts: str) -> Value:
    """A bit for each of the next places where both bytes are right."""
    found = []
    for pointer, wanted in ((a, firsts), (b, lasts)):
        block = cg.line_value(f"load <{BLOCK} x i8>, ptr {pointer.ref}, align 1")
        found.append(cg.line_value(f"icmp eq <{BLOCK} x i8> {block}, {wanted}"))
    both = cg.line_value(f"and <{BLOCK} x i1> {found[0]}, {found[1]}")
    bits = cg.line_value(f"bitcast <{BLOCK} x i1> {both} to i{BLOCK}")
    return cg.emit(I64, f"zext i{BLOCK} {bits} to i64")
