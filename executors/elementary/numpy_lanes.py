"""Elementary functions over numpy's arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lazyframe.executors.elementary.functions import Elementary
from lazyframe.executors.elementary.lanes import Floats, Truths, Words

_BLOCK = 4096
"""So many numbers, with what is computed on the way, stay in the first caches."""


class NumpyLanes:
    """Arrays of float64, int64 and bool."""

    def quotient(self, a: Floats, b: Floats) -> Floats:
        return a / b

    def choose(self, condition: Truths, yes: Floats, no: Floats) -> Floats:
        return np.where(condition, yes, no)

    def magnitude(self, x: Floats) -> Floats:
        return np.abs(x)

    def signed(self, size: Floats, x: Floats) -> Floats:
        return np.copysign(size, x)

    def root(self, x: Floats) -> Floats:
        return np.sqrt(x)

    def floor(self, x: Floats) -> Floats:
        return np.floor(x)

    def bits(self, x: Floats) -> Words:
        return x.view(np.int64)

    def from_bits(self, word: Words) -> Floats:
        return word.view(np.float64)

    def number(self, word: Words) -> Floats:
        return word.astype(np.float64)


def compute(function: Elementary, arguments: Sequence[np.ndarray]) -> np.ndarray:
    """The values of a function.

    Args:
        function: which.
        arguments: arrays of float64, all of one length.
    """
    rows = len(arguments[0])
    found = np.empty(rows)
    lanes = NumpyLanes()
    with np.errstate(all="ignore"):
        for start in range(0, rows, _BLOCK):
            block = slice(start, start + _BLOCK)
            found[block] = function.compute(lanes, *[a[block] for a in arguments])
    return found
