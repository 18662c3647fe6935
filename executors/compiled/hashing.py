"""Hashes of keys within kernels."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.executors.compiled.kinds import U64
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Value


def hash_words(cg: Function, words: Sequence[Value]) -> Value:
    """A hash of words of 64 bits whose low and high bits are both well mixed (the finalizer of MurmurHash3, A. Appleby)."""
    mixed = cg.lift(0x9E3779B97F4A7C15 - (1 << 64), U64)
    for word in words:
        mixed = (mixed ^ word.to(U64)) * _constant(cg, 0xFF51AFD7ED558CCD)
        mixed = mixed ^ (mixed >> 32)
    mixed = mixed * _constant(cg, 0xC4CEB9FE1A85EC53)
    return mixed ^ (mixed >> 29)


def _constant(cg: Function, number: int) -> Value:
    return cg.lift(number - (1 << 64) if number >> 63 else number, U64)
