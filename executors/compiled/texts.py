"""Strings of bytes within kernels: equality, order, hashes."""

from __future__ import annotations

from lazyframe.executors.compiled.datum import Text
from lazyframe.executors.compiled.kinds import BOOL, I64, POINTER, U64
from lazyframe.executors.compiled.stage import Function, Pointer, Value


def texts_equal(cg: Function, a: Text, b: Text) -> Value:
    """Whether two strings have the same bytes."""
    result = cg.variable(BOOL, False)
    with cg.if_(a.length == b.length):
        result.set(cg.local("bytes_equal", BOOL, [POINTER, POINTER, I64], _bytes_equal, a.address, b.address, a.length))
    return result.get()


def _bytes_equal(cg: Function, a: Pointer, b: Pointer, length: Value) -> Value:
    words = length >> 3
    x, y = a.of(U64), b.of(U64)
    with cg.for_range(0, words) as i, cg.if_(x[i] != y[i]):
        cg.give(cg.truth(False))
    with cg.for_range(words << 3, length) as i, cg.if_(a[i] != b[i]):
        cg.give(cg.truth(False))
    return cg.truth(True)


def texts_compared(cg: Function, a: Text, b: Text) -> Value:
    """Below 0, 0 or above 0: the order of two strings by their bytes, which is that of their code points."""
    return cg.local(
        "bytes_compared", I64, [POINTER, I64, POINTER, I64], _bytes_compared, a.address, a.length, b.address, b.length
    )


def _bytes_compared(cg: Function, a: Pointer, m: Value, b: Pointer, n: Value) -> Value:
    shorter = cg.choose(m < n, m, n)
    with cg.for_range(0, shorter) as i:
        x, y = a[i], b[i]
        with cg.if_(x != y):
            cg.give(x.to(I64) - y.to(I64))
    return m - n
