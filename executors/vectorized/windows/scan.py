"""Joining the values of all rows so far, for every row at once."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lazyframe.executors.vectorized.windows.monoids import Columns


def running(
    values: Columns, restarts: npt.NDArray[np.bool_], combine: Callable[[Columns, Columns], Columns]
) -> Columns:
    """At each place, the values since the last restart joined in their order.

    The places are cut into about as many chunks as a chunk has places. All chunks are run through side by side, and then what
    came before each of them is joined to its front.

    Args:
        values: one array a part.
        restarts: where the values begin anew.
        combine: joins two vectors of values, the first of which stands for the rows before.
    """
    count = len(restarts)
    width = max(math.isqrt(count), 1)
    chunks = -(-count // width)
    parts = [_in_chunks(part, width, chunks) for part in values]
    new = _in_chunks(restarts, width, chunks)
    for place in range(1, width):
        found = combine(tuple([part[place - 1] for part in parts]), tuple([part[place] for part in parts]))
        for part, joined in zip(parts, found, strict=True):
            part[place] = np.where(new[place], part[place], joined)
    if chunks > 1:
        open_ = np.logical_and.accumulate(~new, axis=0)
        carried = _carried([part[-1] for part in parts], open_[-1], combine)
        found = combine(tuple([np.broadcast_to(part, open_.shape) for part in carried]), tuple(parts))
        # What comes before the first chunk is nothing.
        open_[:, 0] = False
        parts = [np.where(open_, joined, part) for part, joined in zip(parts, found, strict=True)]
    return tuple([part.T.reshape(-1)[:count] for part in parts])


def _in_chunks(part: npt.NDArray, width: int, chunks: int) -> npt.NDArray:
    """An array as a matrix of one column a chunk."""
    padded = np.zeros(width * chunks, dtype=part.dtype)
    padded[: len(part)] = part
    return np.ascontiguousarray(padded.reshape(chunks, width).T)


def _carried(
    totals: list[npt.NDArray], open_: npt.NDArray[np.bool_], combine: Callable[[Columns, Columns], Columns]
) -> list[npt.NDArray]:
    """For each chunk, the values before it since the last restart."""
    carried = [np.zeros_like(total) for total in totals]
    for chunk in range(1, len(open_)):
        here = slice(chunk - 1, chunk)
        total = tuple([part[here] for part in totals])
        if chunk > 1 and open_[chunk - 1]:
            total = combine(tuple([part[here] for part in carried]), total)
        for part, value in zip(carried, total, strict=True):
            part[chunk] = value[0]
    return carried
