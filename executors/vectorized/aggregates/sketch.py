"""How many different values there are, about: HyperLogLog with Ertl's estimator (2017), which needs no tables of bias.

Registers are kept sparsely, as sorted integers of group, register and rank, so that many small groups stay small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.aggregates.groups import Rows
from lazyframe.executors.vectorized.aggregates.state import Aggregate, Need, Numbering
from lazyframe.executors.vectorized.kernel import Arguments
from lazyframe.executors.vectorized.keys.byte_rows import ByteRows
from lazyframe.executors.vectorized.keys.encode import code_bytes
from lazyframe.executors.vectorized.keys.hashing import mix_words
from lazyframe.executors.vectorized.keys.normalise import (
    Bytes,
    Dictionary,
    Fixed,
    Form,
    ListOf,
    Record,
    Wide,
    normalise,
)
from lazyframe.planner import arrow

# 2**12 registers: a standard error of 1.04 / 2**6.
_REGISTER_BITS = 12
_REGISTERS = 1 << _REGISTER_BITS
_HASH_BITS = 64 - _REGISTER_BITS
_RANK_BITS = 6
_ALPHA = 1 / (2 * np.log(2))

Entries = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Sketch:
    """The registers of each group's HyperLogLog that are not 0, and how many groups there are."""

    def start(self, rows: Rows) -> tuple[Entries, int]:
        hashes = value_hashes(normalise(rows.columns[0]))
        register = (hashes >> np.uint64(_HASH_BITS)).view(np.int64)
        rest = hashes & np.uint64((1 << _HASH_BITS) - 1)
        # The place of the highest bit that is set; 52 bits are exact in a float.
        _, length = np.frexp(rest.astype(np.float64))
        rank = _HASH_BITS + 1 - length.astype(np.int64)
        codes = rows.groups.codes
        return _highest((codes << _REGISTER_BITS | register) << _RANK_BITS | rank), rows.groups.count

    def merge(self, states: Sequence[Any], into: Numbering) -> tuple[Entries, int]:
        moved = []
        shift = _REGISTER_BITS + _RANK_BITS
        for (entries, _), numbers in zip(states, into.numbers, strict=True):
            moved.append(numbers.take(entries >> shift) << shift | entries & ((1 << shift) - 1))
        return _highest(np.concatenate(moved)), into.groups.count


def _highest(entries: Entries) -> Entries:
    """Sorted, of each register only the entry of the highest rank."""
    entries = np.sort(entries)
    registers = entries >> _RANK_BITS
    last = np.ones(len(entries), dtype=np.bool_)
    last[:-1] = registers[1:] != registers[:-1]
    return entries.compress(last)


def value_hashes(form: Form) -> npt.NDArray[np.uint64]:
    """A hash of each value that depends on nothing else: not on the batch, nor on how the column is laid out."""
    match form:
        case Fixed(values, valid):
            hashes = mix_words([values.astype(np.uint64 if values.dtype == np.uint64 else np.int64)], 0)
        case Wide(limbs, valid):
            low, narrow = form.narrow()
            hashes = mix_words([low], 0)
            if not narrow.all():
                hashes = np.where(narrow, hashes, mix_words(list(limbs), 1))
        case Bytes(rows, valid):
            hashes = mix_words([rows.hashes()], 0)
        case Dictionary(values, indices):
            return value_hashes(values).take(indices)
        case Record(fields, valid, length):
            parts = [value_hashes(field) for field in fields] or [np.zeros(length, dtype=np.uint64)]
            hashes = mix_words(parts, 0)
        case ListOf(lengths, elements, valid):
            codes = value_hashes(normalise(elements)).view(np.int64)
            hashes = mix_words([ByteRows(code_bytes(lengths, codes)).hashes()], 0)
    return hashes if valid is None else np.where(valid, hashes, np.uint64(0))


def approx_n_unique(arguments: Arguments) -> Aggregate:
    """About how many different values there are, nulls left out."""

    def finish(states: Sequence[Any]) -> pa.Array:
        entries, count = states[0]
        groups = entries >> (_REGISTER_BITS + _RANK_BITS)
        ranks = entries & ((1 << _RANK_BITS) - 1)
        return arrow.array(np.rint(_estimate(groups, ranks, count)).astype(np.int64))

    return Aggregate((Need(Sketch(), (0,), (0,)),), finish)


def _estimate(groups: Entries, ranks: Entries, count: int) -> npt.NDArray[np.float64]:
    """Ertl's improved raw estimator, algorithm 6 of "New cardinality estimation algorithms for HyperLogLog sketches"."""
    top = _HASH_BITS + 1
    empty = _REGISTERS - np.bincount(groups, minlength=count)
    full = np.bincount(groups.compress(ranks == top), minlength=count)
    with np.errstate(all="ignore"):
        total = _REGISTERS * _tau(1 - full / _REGISTERS)
        for rank in range(_HASH_BITS, 0, -1):
            total = (total + np.bincount(groups.compress(ranks == rank), minlength=count)) / 2
        total = total + _REGISTERS * _sigma(empty / _REGISTERS)
        return _ALPHA * _REGISTERS**2 / total


def _sigma(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    power, weight, total = x.copy(), 1.0, x.copy()
    while True:
        power = power * power
        previous, total = total, total + power * weight
        weight *= 2
        if (np.isinf(total) | (total == previous)).all():
            return np.where(x == 1, np.inf, total)
        if weight > 2.0**70:
            return np.where(x == 1, np.inf, total)


def _tau(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    root, weight, total = x.copy(), 1.0, 1 - x
    while True:
        root = np.sqrt(root)
        weight /= 2
        previous, total = total, total - (1 - root) ** 2 * weight
        if (total == previous).all():
            return np.where((x == 0) | (x == 1), 0.0, total / 3)
