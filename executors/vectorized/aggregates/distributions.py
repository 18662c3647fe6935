"""What is said of the distribution of a group's values: how many differ, the most frequent, entropy, a histogram."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import decoded
from lazyframe.executors.vectorized.aggregates.collected import holistic
from lazyframe.executors.vectorized.aggregates.groups import Groups, Positions, Rows, taken
from lazyframe.executors.vectorized.aggregates.picks import extreme_rows
from lazyframe.executors.vectorized.aggregates.state import Aggregate
from lazyframe.executors.vectorized.kernel import Arguments
from lazyframe.executors.vectorized.keys import encode
from lazyframe.planner import arrow
from lazyframe.planner.functions.aggregates import BIN


def n_unique(arguments: Arguments) -> Aggregate:
    """How many different values there are; null is one of them."""
    return holistic(arguments.types, lambda rows: arrow.array(rows.groups.sizes), present=(), distinct=True)


def _frequencies(rows: Rows) -> tuple[Groups, Positions, npt.NDArray[np.int64]]:
    """The groups of the different values, the row where each value first appears, and how often it does."""
    codes = encode([arrow.array(rows.groups.codes), rows.columns[0]], rows.groups.rows)
    return rows.groups.take(codes.first), codes.first, np.bincount(codes.codes, minlength=codes.count)


def mode(arguments: Arguments) -> Aggregate:
    """The most frequent value, of several the first to appear."""

    def evaluate(rows: Rows) -> pa.Array:
        groups, first, times = _frequencies(rows)
        winners = extreme_rows(groups, times, greatest=True)
        chosen = np.full(len(winners), -1, dtype=np.intp)
        chosen[winners >= 0] = first.take(winners[winners >= 0])
        return decoded(taken(rows.columns[0], chosen), arguments.result)

    return holistic(arguments.types, evaluate, present=(0,))


def entropy(arguments: Arguments) -> Aggregate:
    """Shannon's entropy of the values' frequencies."""
    base = float(arguments.options.get("base", 2.0))  # type: ignore[arg-type]

    def evaluate(rows: Rows) -> pa.Array:
        groups, _, times = _frequencies(rows)
        share = times / groups.spread(rows.groups.sizes)
        # Adding 0 makes the -0.0 of a single value 0.0.
        found = groups.sum(-share * np.log(share)) / math.log(base) + 0.0
        return arrow.array(found, mask=rows.groups.sizes == 0)

    return holistic(arguments.types, evaluate, present=(0,))


def histogram(arguments: Arguments) -> Aggregate:
    """How many values lie in each bin. NaN and infinities lie in none."""
    bins = arguments.options.get("bins", 10)

    def evaluate(rows: Rows) -> pa.Array:
        finite = np.flatnonzero(np.isfinite(rows.numbers(0)))
        groups, values = rows.groups.take(finite), rows.numbers(0).take(finite)
        if isinstance(bins, tuple):
            edges = np.tile(np.array(bins, dtype=np.float64), (groups.count, 1))
            null = rows.groups.sizes == 0
        else:
            assert isinstance(bins, int)
            edges = _equal_widths(groups, values, bins)
            null = groups.sizes == 0
        return _listed(edges, _counted(groups, values, edges), null)

    return holistic(arguments.types, evaluate, present=(0,))


def _equal_widths(groups: Groups, values: npt.NDArray[np.float64], bins: int) -> npt.NDArray[np.float64]:
    """For each group the edges of bins from its least to its greatest value; around a single value, from 1/2 below."""
    low = groups.reduce(np.minimum, values, np.inf)
    high = groups.reduce(np.maximum, values, -np.inf)
    low, high = np.where(low == high, low - 0.5, low), np.where(low == high, high + 0.5, high)
    steps = np.arange(bins + 1) / bins
    with np.errstate(all="ignore"):
        edges = low[:, None] * (1 - steps) + high[:, None] * steps
    edges[:, 0], edges[:, -1] = low, high
    return edges


def _counted(groups: Groups, values: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    bins = edges.shape[1] - 1
    codes = groups.codes
    # A binary search of each value among its own group's edges: the last edge that is not above it.
    low, high = np.zeros(len(values), dtype=np.int64), np.full(len(values), bins + 1, dtype=np.int64)
    for _ in range((bins + 1).bit_length()):
        middle = (low + high) // 2
        reached = edges[codes, np.minimum(middle, bins)] <= values
        low, high = np.where(reached, middle, low), np.where(reached, high, middle)
    inside = (values >= edges[codes, 0]) & (values <= edges[codes, bins])
    place = (codes * bins + np.minimum(low, bins - 1)).compress(inside)
    return np.bincount(place, minlength=groups.count * bins).reshape(groups.count, bins)


def _listed(edges: npt.NDArray[np.float64], counts: npt.NDArray[np.int64], null: npt.NDArray[np.bool_]) -> pa.Array:
    kept = ~null
    lower, upper, held = edges[kept, :-1].ravel(), edges[kept, 1:].ravel(), counts[kept].ravel()
    values = pa.StructArray.from_arrays([arrow.array(lower), arrow.array(upper), arrow.array(held)], fields=list(BIN))
    offsets = np.concatenate(([0], np.cumsum(np.where(kept, counts.shape[1], 0)))).astype(np.int32)
    return pa.ListArray.from_arrays(arrow.array(offsets), values, mask=arrow.array(null))
