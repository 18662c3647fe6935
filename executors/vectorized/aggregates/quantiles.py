"""Quantiles and the median, exact: from all values of a group, sorted, or numbers looked for in kernels.

Of equal floats one stands for all: a quantile that is zero is 0.0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import decoded, narrowed
from lazyframe.executors.vectorized.aggregates.collected import holistic
from lazyframe.executors.vectorized.aggregates.groups import Positions, Rows, fixed_width, taken
from lazyframe.executors.vectorized.aggregates.state import Aggregate
from lazyframe.executors.vectorized.functions.layout import numpy_type
from lazyframe.executors.vectorized.kernel import Arguments
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import FLOAT64, DataType, is_decimal, is_float

Floats = npt.NDArray[np.float64]

# Where a place is a whole number but for the rounding of q, it is that number.
_SLACK = 1e-9


def quantile(arguments: Arguments) -> Aggregate:
    """The value below which a share `q` of a group lies."""
    q = float(arguments.options.get("q", 0.5))  # type: ignore[arg-type]
    interpolation = str(arguments.options.get("interpolation", "linear"))
    return _at(q, interpolation, arguments)


def median(arguments: Arguments) -> Aggregate:
    """The middle value, or half-way between the two in the middle."""
    return _at(0.5, "linear", arguments)


def _at(q: float, interpolation: str, arguments: Arguments) -> Aggregate:
    (dtype,) = arguments.types
    result = arguments.result

    def evaluate(rows: Rows) -> pa.Array:
        below, above, share = places(rows.groups.sizes, q, interpolation)
        low, high = _values_at(rows, below, None if share is None else above)
        if share is None:
            return decoded(low, dtype)
        return between(low, high, share, dtype, result)

    return holistic(arguments.types, evaluate, present=(0,))


def places(
    sizes: npt.NDArray[np.int64], q: float, interpolation: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats | None]:
    """The places of the two values a quantile lies between, and how far it is from the first; None where it is the first."""
    last = np.maximum(sizes - 1, 0)
    place = last * q
    if interpolation == "discrete":
        chosen = np.ceil(sizes * q - _SLACK).astype(np.int64) - 1
        return np.clip(chosen, 0, last), last, None
    whole = np.rint(place)
    place = np.where(np.abs(place - whole) <= _SLACK, whole, place)
    below, above = np.floor(place).astype(np.int64), np.ceil(place).astype(np.int64)
    match interpolation:
        case "lower":
            return below, above, None
        case "higher":
            return above, above, None
        case "nearest":
            return np.floor(place + 0.5).astype(np.int64), above, None
        case "midpoint":
            return below, above, np.where(below == above, 0.0, 0.5)
    return below, above, place - below


def _values_at(
    rows: Rows, below: npt.NDArray[np.int64], above: npt.NDArray[np.int64] | None
) -> tuple[pa.Array, pa.Array]:
    """The values at two places of each group's order, of which the second is the first or the one behind it, if it is asked for."""
    found = rows.at_places(below)
    if found is not None:
        low, following = found
        if above is None:
            return low, low
        return low, pc.if_else(arrow.array(above > below), following, low)
    sizes, order = rows.groups.sizes, rows.by_value()
    starts = np.cumsum(sizes) - sizes
    low = _plain(taken(rows.columns[0], _row_at(order, starts + below, sizes)))
    return low, low if above is None else _plain(taken(rows.columns[0], _row_at(order, starts + above, sizes)))


def _plain(values: pa.Array) -> pa.Array:
    """Values among which there is one zero, and one NaN."""
    if not is_float(values.type):
        return values
    numbers = fixed_width(values)
    numbers = np.where(np.isnan(numbers), numbers.dtype.type(np.nan), numbers + numbers.dtype.type(0))
    return arrow.array(numbers, mask=arrow.numpy_of(values.is_null()))


def _row_at(order: Positions, places: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Positions:
    if not len(order):
        return np.full(len(sizes), -1, dtype=np.intp)
    return np.where(sizes > 0, order.take(places, mode="clip"), -1)


def between(low: pa.Array, high: pa.Array, share: Floats, dtype: DataType, result: DataType) -> pa.Array:
    """The values that lie a share of the way from one to another."""
    null = arrow.numpy_of(low.is_null())
    if is_float(result):
        a, b = _as_floats(low, dtype), _as_floats(high, dtype)
        with np.errstate(all="ignore"):
            # The first form is exact at either end, but infinite distances have no share.
            found = np.where((a == b) | (share == 0), a, a * (1 - share) + b * share)
        if is_decimal(dtype):
            found = found / 10.0**dtype.scale
        return arrow.array(found.astype(numpy_type(result)), mask=null)
    first, second = fixed_width(low).astype(np.int64), fixed_width(high).astype(np.int64)
    distance = second.view(np.uint64) - first.view(np.uint64)
    # Half of it is exact; other shares are as exact as a float can be.
    step = np.where(share == 0.5, distance >> np.uint64(1), np.floor(distance * share).astype(np.uint64))
    return arrow.array((first.view(np.uint64) + step).view(np.int64), mask=null).view(result)


def _as_floats(array: pa.Array, dtype: DataType) -> Floats:
    """The values as floats, decimals by their unscaled integers."""
    if is_decimal(array.type):
        array = narrowed(array)
    if is_decimal(array.type):
        return fixed_width(pc.cast(array, FLOAT64)) * 10.0**dtype.scale
    return fixed_width(array).astype(np.float64)
