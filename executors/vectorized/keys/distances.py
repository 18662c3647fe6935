"""How far apart values are that have an order and a distance: numbers and points in time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.keys.normalise import Fixed, Wide, normalise
from lazyframe.planner import arrow


def distances(a: pa.Array, b: pa.Array) -> npt.NDArray:
    """The distance of each value of `a` from that of `b`, in the unit of their type; neither holds nulls.

    Of floats it is a float: of equal values 0, infinities and NaN included, and of NaN from a number infinite. Of all others
    it is an exact whole number, as an unsigned word or, where that is too short for decimals, as a Python integer.

    Examples:
        >>> distances(pa.array([5, -(2**63)]), pa.array([7, 2**63 - 1])).tolist()
        [2, 18446744073709551615]
    """
    if pa.types.is_floating(a.type):
        return _of_floats(arrow.numpy_of(a).astype(np.float64), arrow.numpy_of(b).astype(np.float64))
    x, y = _integers(a), _integers(b)
    if np.dtype(object) in (x.dtype, y.dtype):
        return np.abs(x.astype(object) - y.astype(object))
    return np.maximum(x, y).view(np.uint64) - np.minimum(x, y).view(np.uint64)


def _of_floats(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(x - y)
    apart[np.isnan(apart)] = np.inf
    apart[(x == y) | (np.isnan(x) & np.isnan(y))] = 0.0
    return apart


def _integers(column: pa.Array) -> npt.NDArray:
    """The values as integers: of 64 bits where these hold them, else as Python's."""
    match normalise(column):
        case Fixed(values, _):
            return values.astype(np.uint64 if values.dtype == np.uint64 else np.int64)
        case Wide(limbs, _) as form:
            low, fits = form.narrow()
            if fits.all():
                return low
            whole = limbs[0].astype(object)
            for limb in limbs[1:]:
                whole = whole * (1 << 64) + limb.astype(object)
            return whole
    raise AssertionError(f"values of type {column.type} have no distance")
