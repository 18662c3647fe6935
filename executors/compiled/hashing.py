"""Hashes of keys within kernels."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.executors.compiled.kinds import U64
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Value

SPREAD = 0x9E3779B97F4A7C15 - (1 << 64)
"""2**64 divided by the golden ratio, as a signed number: its multiples lie far from each other (D. Knuth)."""


def hash_words(cg: Function, words: Sequence[Value]) -> Value:
    """A hash of words of 64 bits whose low and high bits are both well mixed (the finalizer of MurmurHash3, A. Appleby)."""
    state = cg.lift(SPREAD, U64)
    for word in words:
        state = (state ^ word.to(U64)) * _constant(cg, 0xFF51AFD7ED558CCD)
        state = state ^ (state >> 32)
    state = state * _constant(cg, 0xC4CEB9FE1A85EC53)
    return state ^ (state >> 29)


def mixed(word: Value) -> Value:
    """A word of 64 bits whose high bits depend on all, and whose low ones on the high."""
    product = word * SPREAD
    return product ^ (product >> 32)


def _constant(cg: Function, number: int) -> Value:
    return cg.lift(number - (1 << 64) if number >> 63 else number, U64)
