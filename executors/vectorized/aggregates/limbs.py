"""Exact sums of integers of any size, a vector of groups at a time.

A number is a tuple of limbs, the lowest first: the sum of limb i times 2**(32 i). All but the last are in [0, 2**32); the
last is signed and takes what is left. A single limb is an int64, which is what most sums need.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import narrowed
from lazyframe.executors.vectorized.aggregates.groups import Groups, fixed_width

Ints = npt.NDArray[np.int64]
Limbs = tuple[Ints, ...]

BITS = 32
_LOW = np.int64((1 << BITS) - 1)
_SHIFT = np.int64(BITS)
_FULL = 4


def limbs_of(array: pa.Array) -> Limbs:
    """The integers under a column without nulls; decimals by their unscaled values."""
    if pa.types.is_decimal(array.type):
        array = narrowed(array)
    if not pa.types.is_decimal(array.type):
        values = fixed_width(array)
        if values.dtype == np.uint64 and len(values) and values.max() >> np.uint64(63):
            return (values & np.uint64(_LOW)).view(np.int64), (values >> np.uint64(BITS)).view(np.int64)
        return (values.astype(np.int64, copy=False),)
    words = np.frombuffer(array.buffers()[1], np.int64)[2 * array.offset : 2 * (array.offset + len(array))].reshape(
        -1, 2
    )
    low, high = words[:, 0], words[:, 1]
    return low & _LOW, low >> _SHIFT & _LOW, high & _LOW, high >> _SHIFT


def add_up(groups: Groups, limbs: Limbs) -> Limbs:
    """The sum of each group."""
    if len(limbs) == 1:
        (values,) = limbs
        if not len(values) or max(-int(values.min()), int(values.max())) * len(values) < 1 << 62:
            return (groups.sum(values),)
        limbs = widened(limbs, 2)
    return carried([groups.sum(limb) for limb in limbs])


def gather(parts: Sequence[Limbs]) -> Limbs:
    """The numbers of all parts, one after the other."""
    size = max(len(limbs) for limbs in parts)
    wide = [widened(limbs, size) for limbs in parts]
    return tuple([np.concatenate([limbs[i] for limbs in wide]) for i in range(size)])


def widened(limbs: Limbs, size: int) -> Limbs:
    """The same numbers in more limbs."""
    while len(limbs) < size:
        top = limbs[-1]
        limbs = (*limbs[:-1], top & _LOW, top >> _SHIFT)
    return limbs


def carried(sums: Sequence[Ints]) -> Limbs:
    """Numbers whose limbs have grown past 32 bits."""
    carried: list[Ints] = []
    carry: Ints | None = None
    for limb in sums[:-1]:
        total = limb if carry is None else limb + carry
        carried.append(total & _LOW)
        carry = total >> _SHIFT
    return (*carried, sums[-1] if carry is None else sums[-1] + carry)


def words(limbs: Limbs) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """Numbers as the low and the high word of 128 bits, and where these hold them."""
    a, b, c, d = widened(limbs, _FULL)
    return a | b << _SHIFT, c + (d << _SHIFT), d == d << _SHIFT >> _SHIFT


def narrow(limbs: Limbs) -> tuple[Ints, npt.NDArray[np.bool_] | None]:
    """Numbers as int64, and where they fit; None where all do."""
    if len(limbs) == 1:
        return limbs[0], None
    low, high, held = words(limbs)
    fits = held & (high == low >> np.int64(63))
    return low, None if fits.all() else fits


def exact(limbs: Limbs, group: int) -> int:
    """One of the numbers, as Python's."""
    return sum(int(limb[group]) << (BITS * place) for place, limb in enumerate(limbs))
