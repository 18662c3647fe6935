"""The items of lists in one column, and lists made of such a column."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class ListItems:
    """A column of lists, taken apart.

    Attributes:
        items: the items of all lists that are not null, whatever slices and null lists lie over others.
        lengths: the number of items of each list, 0 of null ones.
        starts: where the items of each list start.
        null: which lists are null.
        total: the number of items.
    """

    __slots__ = ("items", "lengths", "null", "starts", "total")

    def __init__(self, lists: pa.Array) -> None:
        self.items = lists.flatten()
        lengths = pc.list_value_length(lists)
        self.lengths: Numbers = arrow.numpy_of(pc.fill_null(lengths, 0)).astype(np.int64)
        self.starts: Numbers = np.cumsum(self.lengths) - self.lengths
        self.null: Mask = arrow.numpy_of(lists.is_null())
        self.total = len(self.items)

    @property
    def rows(self) -> Numbers:
        """The list of each item."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def at(self, positions: Numbers, good: Mask) -> pa.Array:
        """The item at a position from 0 of each list where `good`, else null."""
        return pc.array_take(self.items, arrow.array(np.where(good, self.starts + positions, 0), mask=~good))

    def between(self, low: Numbers, high: Numbers, null: Mask) -> pa.Array:
        """The items of each list from one position on and up to before another, which are cut to the list."""
        low = np.clip(low, 0, self.lengths)
        lengths = np.where(null, 0, np.maximum(np.clip(high, 0, self.lengths) - low, 0))
        before = np.cumsum(lengths) - lengths
        picked = np.repeat(self.starts + low - before, lengths) + np.arange(int(lengths.sum()))
        return lists_of(lengths, pc.array_take(self.items, arrow.array(picked)), null)

    def kept(self, keep: Mask) -> pa.Array:
        """The lists of those items for which `keep` is true."""
        lengths = np.bincount(self.rows[keep], minlength=len(self.lengths))
        return lists_of(lengths, self.items.filter(arrow.array(keep)), self.null)

    def count(self, rows: Numbers) -> Numbers:
        """How often each list stands in `rows`."""
        return np.bincount(rows, minlength=len(self.lengths))


def lists_of(lengths: Numbers, items: pa.Array, null: Mask) -> pa.Array:
    """Lists of these lengths over the items, null where `null` is true."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int32)
    np.cumsum(lengths, out=offsets[1:])
    mask = arrow.array(null) if null.any() else None
    return pa.ListArray.from_arrays(arrow.array(offsets), items, type=pa.list_(pa.field("item", items.type)), mask=mask)


def masked(numbers: npt.NDArray, null: Mask) -> pa.Array:
    return arrow.array(numbers, mask=null if null.any() else None)
