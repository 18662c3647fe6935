"""Products, and the bits of integers joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.aggregates.counts import Count
from lazyframe.executors.vectorized.aggregates.groups import Groups, Rows
from lazyframe.executors.vectorized.aggregates.state import Aggregate, Family, Need, Numbering
from lazyframe.executors.vectorized.kernel import Arguments, KernelError
from lazyframe.planner import arrow
from lazyframe.planner.types import INT64, integer_bounds, is_float, type_name

_IDENTITIES: dict[str, Any] = {"bitwise_and": -1, "bitwise_or": 0, "bitwise_xor": 0, "multiply": 1}


@dataclass(frozen=True)
class Reduction:
    """The values of each group joined by a numpy ufunc, one after the other."""

    ufunc: str

    def start(self, rows: Rows) -> npt.NDArray:
        return self._join(rows.groups, rows.numbers(0))

    def merge(self, states: Sequence[Any], into: Numbering) -> npt.NDArray:
        return self._join(into.groups, np.concatenate(states))

    def _join(self, groups: Groups, values: npt.NDArray) -> npt.NDArray:
        identity = np.array(_IDENTITIES[self.ufunc]).astype(values.dtype)[()]
        with np.errstate(all="ignore"):
            return groups.reduce(getattr(np, self.ufunc), values, identity)


def _reduction(ufunc: str) -> Aggregate:
    def finish(states: Sequence[Any]) -> pa.Array:
        values, counts = states
        return arrow.array(values, mask=counts == 0)

    return Aggregate((Need(Reduction(ufunc), (0,), (0,)), Need(Count(), (0,), (0,))), finish)


def bits(ufunc: str) -> Family:
    """The bits of integers joined by and, or, xor."""

    def family(arguments: Arguments) -> Aggregate:
        return _reduction(ufunc)

    return family


class Magnitudes(NamedTuple):
    """Products of the values that are not 0: their low 64 bits, their logarithm, their sign; and whether one was 0."""

    low: npt.NDArray[np.uint64]
    logarithm: npt.NDArray[np.float64]
    negatives: npt.NDArray[np.int64]
    zeros: npt.NDArray[np.int64]


@dataclass(frozen=True)
class ExactProduct:
    """The product of integers, of whatever size it grows to. It may pass the range and come back only by a 0."""

    def start(self, rows: Rows) -> Magnitudes:
        groups, values = rows.groups, rows.numbers(0)
        zero, negative = values == 0, values < 0
        low = values.astype(np.int64).view(np.uint64) if values.dtype.kind == "i" else values.astype(np.uint64)
        low = np.where(negative, -low, low)
        low[zero] = 1
        return Magnitudes(
            groups.reduce(np.multiply, low, np.uint64(1)),
            groups.sum(np.log2(low.astype(np.float64))),
            groups.sum(negative.astype(np.int64)),
            groups.sum(zero.astype(np.int64)),
        )

    def merge(self, states: Sequence[Any], into: Numbering) -> Magnitudes:
        groups = into.groups
        low, logarithm, negatives, zeros = (np.concatenate(column) for column in zip(*states, strict=True))
        product = groups.reduce(np.multiply, low, np.uint64(1))
        return Magnitudes(product, groups.sum(logarithm), groups.sum(negatives), groups.sum(zeros))


def product(arguments: Arguments) -> Aggregate:
    """The product, of integers exactly."""
    if is_float(arguments.types[0]):
        return _reduction("multiply")
    result = arguments.result
    least, greatest = integer_bounds(result)

    def finish(states: Sequence[Any]) -> pa.Array:
        (low, logarithm, negatives, zeros), counts = states
        odd = negatives % 2 == 1
        # The logarithm tells the high bits, which are none unless it is near or above 64.
        high = np.rint((np.exp2(np.minimum(logarithm, 100)) - low.astype(np.float64)) / 2.0**64)
        bound = np.where(odd, np.uint64(-least), np.uint64(greatest))
        lost = (zeros == 0) & ((high > 0) | (low > bound))
        if lost.any():
            group = int(np.argmax(lost))
            sign = "-" if odd[group] else ""
            raise KernelError(f"product overflows {type_name(result)}: about {sign}2**{logarithm[group]:.1f}")
        magnitude = np.where(zeros > 0, np.uint64(0), low)
        values = np.where(odd, -magnitude, magnitude)
        return arrow.array(values.view(np.int64) if result == INT64 else values, mask=counts == 0)

    return Aggregate((Need(ExactProduct(), (0,), (0,)), Need(Count(), (0,), (0,))), finish)
