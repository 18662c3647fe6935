"""Kernels of lists of numbers as vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.functions.list_items import ListItems, Mask, Numbers, masked
from lazyframe.executors.vectorized.functions.subject import of_columns
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError
from lazyframe.planner import arrow

Floats = npt.NDArray[np.float64]


class _Vectors(NamedTuple):
    """Two columns of vectors.

    Attributes:
        left: the numbers of the vectors on the left, of rows in which both are there.
        right: those on the right.
        rows: the row of each number.
        lengths: how many numbers the vectors of a row have.
        null: in which rows one is missing.
    """

    left: Floats
    right: Floats
    rows: Numbers
    lengths: Numbers
    null: Mask

    def sums(self, values: Floats) -> Floats:
        found: Floats = np.bincount(self.rows, weights=values, minlength=len(self.null)).astype(np.float64, copy=False)
        return found


def _vectors(left: pa.Array, right: pa.Array) -> _Vectors:
    a, b = ListItems(left), ListItems(right)
    null = a.null | b.null
    unequal = ~null & (a.lengths != b.lengths)
    if unequal.any():
        row = int(np.argmax(unequal))
        raise KernelError(f"vectors have as many numbers as each other, not {a.lengths[row]} and {b.lengths[row]}", row)
    numbers = []
    for side in (a, b):
        known = ~null[side.rows]
        items, rows = side.items.filter(arrow.array(known)), side.rows[known]
        if items.null_count:
            raise KernelError("a vector cannot hold a null", int(rows[np.argmax(arrow.numpy_of(items.is_null()))]))
        numbers.append(arrow.numpy_of(items))
    return _Vectors(numbers[0], numbers[1], a.rows[~null[a.rows]], a.lengths, null)


def _of_vectors(compute: Callable[[_Vectors], tuple[Floats, Mask]]) -> Kernel:
    def run(left: pa.Array, right: pa.Array, *, arguments: Arguments) -> pa.Array:
        with np.errstate(all="ignore"):
            return masked(*compute(_vectors(left, right)))

    return of_columns(run)


def _product(found: _Vectors) -> tuple[Floats, Mask]:
    return found.sums(found.left * found.right), found.null


def _cosine(found: _Vectors) -> tuple[Floats, Mask]:
    lengths = np.sqrt(found.sums(found.left**2) * found.sums(found.right**2))
    cosine = found.sums(found.left * found.right) / lengths
    # Rounding may lead a little beyond what a cosine can be.
    return np.clip(cosine, -1.0, 1.0), found.null | (found.lengths == 0)


def _distance(found: _Vectors) -> tuple[Floats, Mask]:
    return np.sqrt(found.sums((found.left - found.right) ** 2)), found.null


KERNELS: dict[str, Kernel] = {
    "list_inner_product": _of_vectors(_product),
    "list_cosine_similarity": _of_vectors(_cosine),
    "list_distance": _of_vectors(_distance),
}
