"""Exponentially weighted means and variances, each row's in one run through all of them.

The weights, means and sums of squared distances of neighbouring rows are joined as those of groups are, after those before
have lost weight: so one run over chunks side by side gives every row's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.aggregates.groups import fixed_width
from lazyframe.executors.vectorized.windows.monoids import Columns
from lazyframe.executors.vectorized.windows.neighbours import is_present
from lazyframe.executors.vectorized.windows.partitions import Partitions
from lazyframe.executors.vectorized.windows.scan import running
from lazyframe.planner import arrow

Floats = npt.NDArray[np.float64]


def weighted(function: str, rows: Partitions, values: pa.Array, options: Mapping[str, Any]) -> pa.Array:
    """By place, the weighted mean, variance or deviation of the values so far.

    The weight of a value is 1 - alpha to the power of how many rows it lies behind (with `ignore_nulls`, how many values);
    without `adjust` that of each new value is alpha and the others share the rest.

    Args:
        function: `ewm_mean`, `ewm_var` or `ewm_std`.
        rows: the partitions.
        values: floats, by place.
        options: `alpha`, `adjust` (True), `ignore_nulls` (False), `bias` (False) and `min_samples` (1).
    """
    present = is_present(values)
    (places,) = present.nonzero()
    floats = fixed_width(values).astype(np.float64).take(places)
    partition = rows.first.take(places)
    first = np.ones(len(places), dtype=np.bool_)
    first[1:] = partition[1:] != partition[:-1]
    number = np.arange(len(places)) - np.maximum.accumulate(np.where(first, np.arange(len(places)), 0))
    gap = np.ones(len(places))
    if not options.get("ignore_nulls", False):
        gap[1:] = places[1:] - places[:-1]
    old, new = _weights(gap, first, float(options["alpha"]), adjust=options.get("adjust", True))
    parts = (old, new, floats, np.zeros(len(places)), new * new)
    _, weight, mean, squares, weights_squared = running(parts, first, _joined) if len(places) else parts
    with np.errstate(all="ignore"):
        if function == "ewm_mean":
            found, unknown = mean, np.zeros(len(places), dtype=np.bool_)
        else:
            found = squares / weight
            unknown = np.zeros(len(places), dtype=np.bool_)
            if not options.get("bias", False):
                found *= weight**2 / (weight**2 - weights_squared)
                unknown = number == 0
            found = np.sqrt(found) if function == "ewm_std" else found
    unknown |= number + 1 < options.get("min_samples", 1)
    result = np.zeros(rows.count)
    null = ~present
    result[places] = found
    null[places] = unknown
    return arrow.array(result, mask=null)


def _weights(gap: Floats, first: npt.NDArray[np.bool_], alpha: float, *, adjust: bool) -> tuple[Floats, Floats]:
    """Of each value, what those before keep of their weight, and its own weight."""
    kept = (1.0 - alpha) ** gap
    if adjust:
        return kept, np.ones(len(gap))
    # Weights add up to 1.
    return kept / (kept + alpha), np.where(first, 1.0, alpha / (kept + alpha))


def _joined(a: Columns, b: Columns) -> Columns:
    """Two runs as one: what is kept of the weight before, the weight, the mean, squared distances, squared weights."""
    kept_a, weight_a, mean_a, squares_a, weights_squared_a = a
    kept_b, weight_b, mean_b, squares_b, weights_squared_b = b
    with np.errstate(all="ignore"):
        left = weight_a * kept_b
        weight = left + weight_b
        away = mean_b - mean_a
        share = np.where(weight > 0, weight_b / weight, 1.0)
        return (
            kept_a * kept_b,
            weight,
            mean_a + away * share,
            squares_a * kept_b + squares_b + away * away * (left * share),
            weights_squared_a * kept_b * kept_b + weights_squared_b,
        )
