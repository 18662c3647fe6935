"""The order in which values are compared: floats in total order, numbers of different kinds by value
(decimals as the nearest floats where they meet floats), lists by element.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import narrowed
from lazyframe.executors.vectorized.functions import thresholds
from lazyframe.executors.vectorized.functions.layout import arrow_array, bounds, joint_validity, numpy_values, one_row
from lazyframe.executors.vectorized.functions.nested_order import compare_nested
from lazyframe.executors.vectorized.functions.thresholds import Threshold, everywhere
from lazyframe.executors.vectorized.functions.unscaled import (
    Unscaled,
    objects,
    scale_of,
    times_power,
    to_float,
    unscaled,
)
from lazyframe.executors.vectorized.kernel import Value, plain
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.algebra.points import MIRRORED
from lazyframe.planner.types import DataType, is_decimal, is_float, is_integer, is_nested, is_numeric

if TYPE_CHECKING:
    # To load it takes longer than all of this package.
    import numpy.typing as npt

_IEEE: dict[str, Callable[..., pa.Array]] = {
    "less": pc.less, "less_equal": pc.less_equal, "greater": pc.greater, "greater_equal": pc.greater_equal,
    "equal": pc.equal, "not_equal": pc.not_equal,
}  # fmt: skip

_NUMPY: dict[str, np.ufunc] = {
    "less": np.less, "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal,
    "equal": np.equal, "not_equal": np.not_equal,
}  # fmt: skip

_DOUBLE_INTEGERS = 1 << 53


def compare(name: str, a: Value, b: Value, left: DataType, right: DataType) -> pa.Array:
    """Compare a column with a column or a constant that is not null.

    Args:
        name: of the comparison: less, less_equal, greater, greater_equal, equal or not_equal.
        a: values of type `left`, in any layout.
        b: values of type `right`, in any layout; one of the two is a column.
        left: a type that can be compared with `right`: the same, or both are numeric.
        right: see `left`.
    """
    if isinstance(a, pa.Scalar):
        return compare(MIRRORED[name], b, a, right, left)
    if is_numeric(left):
        if is_float(left) and is_float(right):
            return _floats(name, a, b, left, right)
        if is_float(left) or is_float(right):
            return _with_floats(name, a, b, left, right)
        return _integers(name, a, b, left, right)
    if is_nested(left):
        return compare_nested(name, a, b)
    if isinstance(a, pa.DictionaryArray) and isinstance(b, pa.Scalar):
        return pc.array_take(_IEEE[name](plain(a.dictionary, left), b), a.indices)
    return _IEEE[name](plain(a, left), plain(b, right))


def _floats(name: str, a: pa.Array, b: Value, left: DataType, right: DataType) -> pa.Array:
    if left != right:
        wide = pa.float64()
        a, b = a.cast(wide), b.cast(wide)
    if isinstance(b, pa.Scalar):
        if math.isnan(b.as_py()):
            return _floats_with_nan(name, a)
        # NaN is less than nothing, which negation turns into greater than all.
        if name == "greater":
            return pc.invert(pc.less_equal(a, b))
        if name == "greater_equal":
            return pc.invert(pc.less(a, b))
        return _IEEE[name](a, b)
    x, y = numpy_values(a), numpy_values(b)
    if np.isnan(x).any() or np.isnan(y).any():
        return _bools(_signs(_NUMPY[name], _float_order(x, y)), a, b)
    return _IEEE[name](a, b)


def _floats_with_nan(name: str, a: pa.Array) -> pa.Array:
    """Floats compared with NaN, the greatest."""
    match name:
        case "less" | "not_equal":
            return pc.invert(pc.is_nan(a))
        case "greater_equal" | "equal":
            return pc.is_nan(a)
        case "less_equal":
            return everywhere(a, value=True)
        case _:
            return everywhere(a, value=False)


def _float_order(x: npt.NDArray, y: npt.NDArray) -> npt.NDArray[np.int8]:
    """-1, 0 or 1: how each pair of floats is ordered."""
    order = (x > y).astype(np.int8) - (x < y).astype(np.int8)
    return order + np.isnan(x).astype(np.int8) - np.isnan(y).astype(np.int8)


def _signs(function: np.ufunc, order: npt.NDArray[np.int8]) -> npt.NDArray:
    return function(order, 0)


def _bools(mask: npt.NDArray, a: pa.Array, b: Value) -> pa.Array:
    return arrow_array(np.ascontiguousarray(mask, dtype=np.bool_), pa.bool_(), joint_validity([a, b]))


def _integers(name: str, a: pa.Array, b: Value, left: DataType, right: DataType) -> pa.Array:
    """Integers and decimals, exactly."""
    if isinstance(b, pa.Scalar):
        return _with_constant(name, a, b, left, right)
    if is_integer(left) and is_integer(right):
        if left == right:
            return _IEEE[name](a, b)
        return _bools(_NUMPY[name](numpy_values(a), numpy_values(b)), a, b)
    if a.type == b.type and scale_of(left) == scale_of(right):
        return _IEEE[name](a, b)
    x, y = unscaled(a), unscaled(b)
    scale = max(scale_of(left), scale_of(right))
    x, y = times_power(x, scale - scale_of(left)), times_power(y, scale - scale_of(right))
    return _bools(_compared(name, x, y), a, b)


def _compared(name: str, x: Unscaled, y: Unscaled) -> npt.NDArray:
    if object in (x.values.dtype, y.values.dtype):
        return _NUMPY[name](objects(x.values), objects(y.values))
    return _NUMPY[name](x.values, y.values)


def _with_constant(name: str, a: pa.Array, b: pa.Scalar, left: DataType, right: DataType) -> pa.Array:
    if is_integer(left) and left == right:
        return _IEEE[name](a, b)
    if is_decimal(left):
        a = narrowed(a)
        if is_decimal(a.type):
            x = unscaled(a)
            scale = max(scale_of(left), scale_of(right))
            constant = times_power(unscaled(b), scale - scale_of(right))
            return _bools(_compared(name, times_power(x, scale - scale_of(left)), constant), a, b)
    threshold = thresholds.exact(Fraction(b.as_py()) * 10 ** scale_of(left))
    return thresholds.compare(name, a, threshold, a.type)


def _with_floats(name: str, a: pa.Array, b: Value, left: DataType, right: DataType) -> pa.Array:
    """Floats with integers by value, with decimals as the nearest floats."""
    if is_float(left):
        if isinstance(b, pa.Scalar):
            return _float_column(name, a, b, right)
        return _with_floats(MIRRORED[name], b, a, right, left)
    if isinstance(b, pa.Scalar):
        if is_integer(left):
            return thresholds.compare(name, a, thresholds.of_float(b.as_py()), left)
        narrow = narrowed(a)
        if not is_decimal(narrow.type):
            threshold: Threshold = thresholds.of_float_among_decimals(b.as_py(), left.scale)
            return thresholds.compare(name, narrow, threshold, narrow.type)
        b = pa.repeat(b, len(a))
    y = numpy_values(b).astype(np.float64)
    if is_decimal(left):
        order = _float_order(to_float(unscaled(a), left.scale), y)
    elif left.bit_width < 64 or max(map(abs, bounds(a))) <= _DOUBLE_INTEGERS:
        return _floats(name, a.cast(pa.float64(), safe=False), b, pa.float64(), right)
    else:
        order = integer_float_order(numpy_values(a), y)
    return _bools(_signs(_NUMPY[name], order), a, b)


def _float_column(name: str, a: pa.Array, b: pa.Scalar, right: DataType) -> pa.Array:
    wide = pa.float64()
    if is_decimal(right):
        nearest = float(to_float(unscaled(b), right.scale))
        return _floats(name, a, arrow.scalar(nearest, wide), a.type, wide)
    if abs(b.as_py()) <= _DOUBLE_INTEGERS:
        return _floats(name, a, arrow.scalar(float(b.as_py()), wide), a.type, wide)
    order = integer_float_order(numpy_values(one_row(b)), numpy_values(a).astype(np.float64))
    return _bools(_signs(_NUMPY[MIRRORED[name]], order), a, b)


def integer_float_order(x: npt.NDArray, y: npt.NDArray[np.float64]) -> npt.NDArray[np.int8]:
    """-1, 0 or 1: how 64-bit integers and floats are ordered by value; NaN is the greatest."""
    nearest = x.astype(np.float64)
    order = _float_order(nearest, y)
    doubtful = np.flatnonzero((order == 0) & (np.abs(nearest) >= _DOUBLE_INTEGERS))
    if len(doubtful):
        wholes = np.broadcast_to(x, order.shape)[doubtful].astype(object)
        floats = np.broadcast_to(y, order.shape)[doubtful]
        order[doubtful] = [(i > int(f)) - (i < int(f)) for i, f in zip(wholes, floats, strict=True)]
    return order
