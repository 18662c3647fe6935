"""The partitions of a window, their order, and the peers in them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.batch import take
from lazyframe.executors.vectorized.keys import encode, sort_runs
from lazyframe.planner import arrow

Places = npt.NDArray[np.int64]
"""Places among the rows of all partitions, one partition after the other, each in its order."""


class Partitions:
    """Rows divided into partitions and ordered within them. Rows with equal sort keys are peers, and keep their order.

    Args:
        keys: columns in which the rows of a partition are equal.
        order: columns by which they are sorted.
        descending, nulls_first: of each column of `order`.
        count: how many rows there are.
    """

    def __init__(
        self,
        keys: Sequence[pa.Array],
        order: Sequence[pa.Array],
        descending: Sequence[bool],
        nulls_first: Sequence[bool],
        count: int,
    ) -> None:
        codes = encode(keys, count)
        self.count = count
        self.codes = codes.codes
        """The partition of each row."""
        self.partitions = codes.count
        self.is_ordered = bool(order)
        self._order = order
        self._directions = list(descending), list(nulls_first)

    @cached_property
    def _runs(self) -> tuple[Places, npt.NDArray[np.bool_]]:
        if self.partitions <= 1 and not self._order:
            return np.arange(self.count), np.zeros(self.count, dtype=np.bool_)
        codes = [arrow.array(self.codes)] if self.partitions > 1 else []
        descending, nulls_first = self._directions
        flags = [False] * len(codes)
        return sort_runs([*codes, *self._order], [*flags, *descending], [*flags, *nulls_first])

    @property
    def order(self) -> Places:
        """The row at each place."""
        return self._runs[0]

    @cached_property
    def _sizes(self) -> Places:
        return np.bincount(self.codes, minlength=self.partitions)

    @cached_property
    def first(self) -> Places:
        """At each place, the first place of its partition."""
        return np.repeat(np.cumsum(self._sizes) - self._sizes, self._sizes)

    @cached_property
    def stop(self) -> Places:
        """At each place, the place after the last of its partition."""
        return np.repeat(np.cumsum(self._sizes), self._sizes)

    @cached_property
    def groups(self) -> Places:
        """At each place, the number of its group of peers among those of all partitions."""
        return np.cumsum(self._runs[1])

    @cached_property
    def group_starts(self) -> Places:
        """The first place of each group of peers, and at the end the number of places."""
        return np.append(np.flatnonzero(np.append(True, self._runs[1][1:])), self.count)

    @property
    def peers_first(self) -> Places:
        """At each place, the place of its first peer."""
        return self.group_starts.take(self.groups)

    @property
    def peers_stop(self) -> Places:
        """At each place, the place after its last peer."""
        return self.group_starts.take(self.groups + 1)

    def sorted(self, column: pa.Array) -> pa.Array:
        """A column of the rows, by place."""
        return take(column, self.order)

    @cached_property
    def _inverse(self) -> Places:
        inverse = np.empty(self.count, dtype=np.int64)
        inverse[self.order] = np.arange(self.count)
        return inverse

    def by_row(self, column: pa.Array) -> pa.Array:
        """A column by place, put back in the order of the rows."""
        return take(column, self._inverse)
