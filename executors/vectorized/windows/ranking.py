"""Functions of a row's place among the rows of its partition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import decoded
from lazyframe.executors.vectorized.aggregates.groups import fixed_width
from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.executors.vectorized.windows.partitions import Partitions
from lazyframe.planner import arrow


def _row_number(rows: Partitions) -> npt.NDArray:
    return np.arange(rows.count) - rows.first + 1


def _rank(rows: Partitions) -> npt.NDArray:
    return rows.peers_first - rows.first + 1


def _dense_rank(rows: Partitions) -> npt.NDArray:
    return rows.groups - rows.groups.take(rows.first) + 1


def _percent_rank(rows: Partitions) -> npt.NDArray:
    others = rows.stop - rows.first - 1
    return (rows.peers_first - rows.first) / np.maximum(others, 1)


def _cume_dist(rows: Partitions) -> npt.NDArray:
    return (rows.peers_stop - rows.first) / (rows.stop - rows.first)


RANKINGS: dict[str, Callable[[Partitions], npt.NDArray]] = {
    "row_number": _row_number,
    "rank": _rank,
    "dense_rank": _dense_rank,
    "percent_rank": _percent_rank,
    "cume_dist": _cume_dist,
}


def ntile(rows: Partitions, buckets: pa.Array) -> pa.Array:
    """The bucket of each row, by place; the first ones are a row larger where the rows cannot be divided evenly.

    Args:
        rows: the partitions.
        buckets: by place, how many buckets there are.
    """
    buckets = decoded(buckets, pa.int64())
    null = arrow.numpy_of(buckets.is_null())
    count = np.where(null, 1, fixed_width(buckets))
    if (count < 1).any():
        raise KernelError(f"ntile() needs at least one bucket, not {count[np.argmax(count < 1)]}")
    place = np.arange(rows.count) - rows.first
    size, larger = np.divmod(rows.stop - rows.first, count)
    in_larger = larger * (size + 1)
    found = np.where(place < in_larger, place // (size + 1), larger + (place - in_larger) // np.maximum(size, 1))
    return arrow.array(found + 1, mask=null)
