"""Sums and means: exact over integers and decimals, in row order over floats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.aggregates import limbs as exact
from lazyframe.executors.vectorized.aggregates.counts import Count, Counts
from lazyframe.executors.vectorized.aggregates.groups import Rows
from lazyframe.executors.vectorized.aggregates.limbs import Limbs
from lazyframe.executors.vectorized.aggregates.state import Aggregate, Need, Numbering
from lazyframe.executors.vectorized.kernel import Arguments, KernelError
from lazyframe.planner import arrow
from lazyframe.planner.types import FLOAT64, UINT64, DataType, is_decimal, is_float, is_unsigned, type_name

# Integers up to here are floats exactly, and keep that under the factor that a mean of decimals takes.
_EXACT_FLOAT = 1 << 53
_TEN_38 = 10**38


@dataclass(frozen=True)
class ExactSum:
    """The sum of integers, of whatever size it grows to: whether it fits is asked at the end."""

    def start(self, rows: Rows) -> Limbs:
        return exact.add_up(rows.groups, exact.limbs_of(rows.columns[0]))

    def merge(self, states: Sequence[Any], into: Numbering) -> Limbs:
        return exact.add_up(into.groups, exact.gather(states))


@dataclass(frozen=True)
class FloatSum:
    """The sum of floats as float64, in row order."""

    def start(self, rows: Rows) -> npt.NDArray[np.float64]:
        with np.errstate(all="ignore"):
            return rows.groups.sum_in_lanes(rows.numbers(0).astype(np.float64, copy=False))

    def merge(self, states: Sequence[Any], into: Numbering) -> npt.NDArray[np.float64]:
        with np.errstate(all="ignore"):
            return into.groups.sum(np.concatenate(states))


def _needs(dtype: DataType) -> tuple[Need, Need]:
    total = FloatSum() if is_float(dtype) else ExactSum()
    return Need(total, (0,), (0,)), Need(Count(), (0,), (0,))


def sum_(arguments: Arguments) -> Aggregate:
    """The sum, in the type the definition gives it."""
    (dtype,) = arguments.types
    result = arguments.result

    def finish(states: Sequence[Any]) -> pa.Array:
        total, counts = states
        if is_float(dtype):
            return arrow.array(total, mask=counts == 0)
        return as_integers(total, counts == 0, result, "sum")

    return Aggregate(_needs(dtype), finish)


def mean(arguments: Arguments) -> Aggregate:
    """The sum divided by the count: rounded once, to the nearest; halves of decimals and instants away from zero."""
    (dtype,) = arguments.types
    result = arguments.result

    def finish(states: Sequence[Any]) -> pa.Array:
        total, counts = states
        if is_float(dtype):
            with np.errstate(all="ignore"):
                return arrow.array(total / counts, mask=counts == 0)
        if result == FLOAT64:
            return _float_ratio(total, counts)
        scaling = 10 ** (result.scale - dtype.scale) if is_decimal(result) else 1
        return as_integers(_rounded_ratio(total, counts, scaling), counts == 0, result, "mean")

    return Aggregate(_needs(dtype), finish)


def _float_ratio(total: Limbs, counts: Counts) -> pa.Array:
    values, fits = exact.narrow(total)
    with np.errstate(all="ignore"):
        ratio = values.astype(np.float64) / counts
    large = np.abs(values) > _EXACT_FLOAT
    for group in np.flatnonzero(large if fits is None else large | ~fits).tolist():
        ratio[group] = exact.exact(total, group) / int(counts[group])
    return arrow.array(ratio, mask=counts == 0)


def _rounded_ratio(total: Limbs, counts: Counts, scaling: int) -> Limbs:
    """The total times `scaling` divided by the count, halves away from zero."""
    divisors = np.maximum(counts, 1)
    values, fits = exact.narrow(total)
    limit = (1 << 61) // scaling
    if fits is None and (not len(values) or (-limit < values.min() and values.max() < limit)):
        scaled = values * np.int64(scaling)
        magnitude, rest = np.divmod(np.abs(scaled), divisors)
        magnitude += 2 * rest >= divisors
        return (np.where(scaled < 0, -magnitude, magnitude),)
    whole = [_divide(exact.exact(total, g) * scaling, d) for g, d in enumerate(divisors.tolist())]
    return from_integers(whole)


def _divide(dividend: int, divisor: int) -> int:
    magnitude = (2 * abs(dividend) + divisor) // (2 * divisor)
    return -magnitude if dividend < 0 else magnitude


def from_integers(numbers: Sequence[int]) -> Limbs:
    """Python integers as limbs."""
    low = (1 << exact.BITS) - 1
    columns = [[number >> (exact.BITS * place) & low for number in numbers] for place in range(3)]
    top = [number >> (3 * exact.BITS) for number in numbers]
    return tuple([np.array(column, dtype=np.int64) for column in (*columns, top)])


def as_integers(total: Limbs, null: npt.NDArray[np.bool_], result: DataType, what: str) -> pa.Array:
    """Numbers as a column of an integer type, an instant's or a decimal's unscaled values.

    Raises:
        KernelError: where one does not fit.
    """
    values, fits = exact.narrow(total)
    if is_decimal(result):
        return arrow.array(values, mask=null) if fits is None else _as_decimals(total, null, result, what)
    if is_unsigned(result):
        low, high, held = exact.words(total)
        _check(held & (high == 0), total, result, what)
        return arrow.array(low.view(np.uint64), UINT64, mask=null)
    if fits is not None:
        _check(fits, total, result, what)
    found = arrow.array(values, mask=null)
    return found if found.type == result else found.view(result)


def _as_decimals(total: Limbs, null: npt.NDArray[np.bool_], result: DataType, what: str) -> pa.Array:
    low, high, held = exact.words(total)
    # Only a high word near that of 10**38 leaves the answer to the low one.
    near = np.abs(high) >= np.int64((_TEN_38 >> 64) - 1)
    inside = held.copy()
    for group in np.flatnonzero(held & near).tolist():
        inside[group] = abs(exact.exact(total, group)) < _TEN_38
    _check(inside, total, result, what)
    pairs = np.empty((len(low), 2), dtype=np.int64)
    pairs[:, 0], pairs[:, 1] = low, high
    validity = arrow.array(~null).buffers()[1] if null.any() else None
    return pa.Array.from_buffers(result, len(low), [validity, pa.py_buffer(pairs)])


def _check(fits: npt.NDArray[np.bool_], total: Limbs, result: DataType, what: str) -> None:
    if fits.all():
        return
    value = exact.exact(total, int(np.argmin(fits)))
    shown = f"{value} times 10**-{result.scale}" if is_decimal(result) and result.scale else f"{value}"
    raise KernelError(f"{what} overflows {type_name(result)}: {shown}")
