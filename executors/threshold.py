"""What the first key of a row must be to come among the first rows of a sort, as scans below know it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import decoded
from lazyframe.executors.sources.pruning import order_key, scalar_order_key
from lazyframe.executors.vectorized.keys import top_k_indices
from lazyframe.executors.vectorized.keys.search import ordered_numbers, plain
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.sources import ColumnStatistics
from lazyframe.planner.types import BINARY, STRING, DataType, is_float


class _Last(NamedTuple):
    """The key of the last row that is kept: as it is compared with the bounds of row groups, and with columns."""

    key: Any
    number: Any
    text: pa.Scalar | None
    is_null: bool


class Threshold:
    """The first key of the last row that a sort keeps so far. It only ever comes nearer, so that an old one is no harm.

    Args:
        dtype: of the key.
        descending: whether the greatest keys come first.
        nulls_first: whether nulls come before all others.
        rows: where all rows that are read come to the sort, how many it keeps; else 0. Then any of them tell of the others.
    """

    def __init__(self, dtype: DataType, *, descending: bool, nulls_first: bool, rows: int = 0) -> None:
        self.rows = rows
        self._dtype = dtype
        self._descending = descending
        self._nulls_first = nulls_first
        self._last: _Last | None = None

    def set(self, key: pa.Array) -> None:
        """Make known the key of the last row, an array of one value."""
        key = plain(key, self._dtype)
        value = decoded(key, self._dtype)[0]
        numbers = ordered_numbers(key)
        text = value if self._dtype in (STRING, BINARY) else None
        if numbers is None and text is None and value.is_valid:
            return
        number = None if numbers is None else numbers[0]
        # One assignment, which other threads see as a whole.
        self._last = _Last(scalar_order_key(value) if value.is_valid else None, number, text, not value.is_valid)

    def set_by(self, column: pa.Array) -> None:
        """Make known what follows from some of the rows that will come."""
        if 0 < self.rows <= len(column):
            first = top_k_indices([column], [self._descending], [self._nulls_first], self.rows)
            self.set(pc.take(column, arrow.array(first[-1:])))

    def promise(self, statistics: ColumnStatistics, dtype: DataType) -> Any:
        """The bound of a part of a table by which it is likely to hold first rows or not; None where nothing is known."""
        return order_key(statistics.maximum if self._descending else statistics.minimum, dtype)

    def is_better(self, a: Any, b: Any) -> bool:
        """Whether one promise is better than another."""
        return bool(a > b if self._descending else a < b)

    def keeps(self, column: pa.Array) -> np.ndarray | None:
        """Which values do not come behind the last one; None where all do not, or nothing is known."""
        last = self._last
        behind = None if last is None else self._behind(column, last)
        return None if behind is None else ~behind

    def _behind(self, column: pa.Array, last: _Last) -> np.ndarray | None:
        if last.is_null:
            return _mask(pc.is_valid(plain(column, self._dtype))) if self._nulls_first else None
        if last.text is not None:
            values = decoded(column, self._dtype)
            found = _mask(pc.fill_null((pc.less if self._descending else pc.greater)(values, last.text), False))
            return found if self._nulls_first or not values.null_count else found | _mask(values.is_null())
        column = plain(column, self._dtype)
        numbers = ordered_numbers(column)
        if numbers is None:
            return None
        found = numbers < last.number if self._descending else numbers > last.number
        if column.null_count:
            nulls = _mask(column.is_null())
            return found & ~nulls if self._nulls_first else found | nulls
        return found

    def may_hold(self, statistics: ColumnStatistics, dtype: DataType, rows: int) -> bool:
        """Whether any of `rows` values, of which only this is known, may not come behind the last one."""
        last = self._last
        if last is None:
            return True
        if self._nulls_first and statistics.nulls != 0:
            return True
        if last.is_null:
            return not self._nulls_first
        if statistics.nulls == rows:
            return False
        # NaN is the greatest, and bounds do not tell of it.
        if last.key is None or (is_float(dtype) and (self._descending or last.key[0])):
            return True
        best = self.promise(statistics, dtype)
        if best is None:
            return True
        try:
            return best >= last.key if self._descending else best <= last.key
        except TypeError:
            return True


def _mask(array: pa.BooleanArray) -> np.ndarray:
    return arrow.numpy_of(array)
