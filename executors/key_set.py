"""The keys of a side of a join, as scans below the other side know them."""

from __future__ import annotations

import threading
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import decoded
from lazyframe.executors.sources.pruning import order_key, scalar_order_key
from lazyframe.executors.vectorized.keys import KeyTable
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.sources import ColumnStatistics
from lazyframe.planner.types import DataType, is_float, is_integer, is_nested

if TYPE_CHECKING:
    from lazyframe.executors.compiled.join_table import JoinTable

_MOST_VALUES = 10_000
"""Up to so many keys are compared one by one with the bounds of a row group."""

_MANY_ROWS = 1 << 20
"""Integers of more rows are taken for many keys: a table of them would be large, and is needed for nothing else."""


class Tables(Protocol):
    """Who has the tables of a join's build side."""

    @property
    def table(self) -> KeyTable | None: ...

    @property
    def native(self) -> JoinTable | None: ...


class KeySet:
    """The keys of a side of a join, which are known when that side is complete.

    What is equal to what is up to the table in which the join itself looks keys up.
    """

    def __init__(self) -> None:
        self._given = False
        self._join: Tables | None = None
        self._lock = threading.Lock()
        self._column: pa.Array
        self._dtype: DataType
        self._nulls_equal = False

    def give(self, column: pa.Array, dtype: DataType, join: Tables | None, *, alone: bool, nulls_equal: bool) -> None:
        """Make the keys known.

        Args:
            column: the keys of all rows of the side that is complete.
            dtype: their type.
            join: who has the tables of the join, where there are any.
            alone: whether this is the only key of the join.
            nulls_equal: whether NULL is a key that equals itself.
        """
        self._column, self._dtype, self._nulls_equal = column, dtype, nulls_equal
        self._given, self._join, self._alone = True, join, alone

    @cached_property
    def _table(self) -> KeyTable:
        assert self._given, "keys are asked for before the side is complete"
        with self._lock:
            made = self._join.table if self._alone and self._join is not None else None
            return KeyTable([self._column], len(self._column), nulls_equal=self._nulls_equal) if made is None else made

    @cached_property
    def native(self) -> JoinTable | None:
        """The table in which kernels look; None where they cannot."""
        assert self._given, "keys are asked for before the side is complete"
        if self._alone and self._join is not None:
            return self._join.native
        from lazyframe.executors.compiled.join_table import join_table

        return join_table([self._column], [self._dtype], len(self._column), nulls_equal=self._nulls_equal)

    def is_of(self, join: Tables) -> bool:
        """Whether a join whose tables these are gave the keys."""
        return self._join is join

    def keeps(self, column: pa.Array) -> np.ndarray:
        """Which values of a column are among the keys."""
        return self._table.contains([column], len(column))

    def may_hold(self, statistics: ColumnStatistics, dtype: DataType, rows: int) -> bool:
        """Whether any of `rows` values, of which only this is known, may be among the keys."""
        if self._are_many:
            if not self._bounds and not self._has_null:
                return False
        elif not self._table.count:
            return False
        if statistics.nulls != 0 and self._has_null:
            return True
        if statistics.nulls == rows:
            return False
        bounds = self._bounds
        lower, upper = order_key(statistics.minimum, dtype), order_key(statistics.maximum, dtype)
        if not bounds or lower is None or upper is None:
            return True
        try:
            if lower > bounds[-1] or upper < bounds[0]:
                return False
            if not self._are_many and self._table.count <= _MOST_VALUES:
                place = bisect_left(bounds, lower)
                return place < len(bounds) and bounds[place] <= upper
        except TypeError:
            return True
        return True

    @cached_property
    def _are_many(self) -> bool:
        return is_integer(self._dtype) and len(self._column) > _MANY_ROWS

    @cached_property
    def _has_null(self) -> bool:
        return self._nulls_equal and decoded(self._column, self._dtype).null_count > 0

    @cached_property
    def _bounds(self) -> list[Any] | None:
        """The least and the greatest key, or all keys in order where they are few; None where they have no bounds."""
        if is_nested(self._dtype):
            return None
        if self._are_many:
            present = arrow.numpy_of(pc.drop_null(self._column))
            return [(0, int(present.min())), (0, int(present.max()))] if len(present) else []
        distinct = pc.take(self._column, arrow.array(self._table.rows_of_keys))
        if is_integer(self._dtype):
            numbers = arrow.numpy_of(pc.drop_null(distinct))
            numbers = (
                np.sort(numbers) if self._table.count <= _MOST_VALUES else np.array([numbers.min(), numbers.max()])
            )
            return [(0, number) for number in numbers.tolist()]
        if len(distinct) > _MOST_VALUES:
            return None
        keys = [scalar_order_key(value) for value in pc.drop_null(decoded(distinct, self._dtype))]
        # Bounds of row groups leave NaN out.
        if not keys or None in keys or (is_float(self._dtype) and any([key[0] for key in keys if key])):
            return None
        return sorted(keys)
