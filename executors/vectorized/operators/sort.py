"""Sorting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch, concat
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.sources.source import MORSEL_ROWS, ScanMetrics, Split
from lazyframe.executors.threshold import Threshold
from lazyframe.executors.vectorized.expression import Expressions
from lazyframe.executors.vectorized.keys import sort_indices, top_k_indices
from lazyframe.executors.vectorized.operators.collect import Collect, all_rows, evened
from lazyframe.planner.scalars import Scalar, SortKey
from lazyframe.planner.schema import Schema


class SortOrder:
    """The order that sort keys give the rows of a batch."""

    def __init__(self, keys: Sequence[Scalar]) -> None:
        self._expressions = Expressions(keys)
        self._descending = [key.descending for key in keys if isinstance(key, SortKey)]
        self._nulls_first = [key.nulls_first for key in keys if isinstance(key, SortKey)]

    def indices(self, batch: Batch) -> np.ndarray:
        return sort_indices(self._expressions.columns(batch), self._descending, self._nulls_first)

    def first_key(self, batch: Batch) -> pa.Array:
        """The values of the first of the keys."""
        return self._expressions.columns(batch)[0]

    def first(self, batch: Batch, count: int) -> np.ndarray:
        """The indices of the first `count` rows of the order."""
        return top_k_indices(self._expressions.columns(batch), self._descending, self._nulls_first, count)


class SortRows(Collect):
    """All rows in the order of the keys."""

    def __init__(self, keys: Sequence[Scalar], schema: Schema) -> None:
        super().__init__(schema)
        self._order = SortOrder(keys)

    def finish(self) -> Source:
        rows = self.take_rows()
        order = self._order.indices(rows)
        if rows.length <= MORSEL_ROWS:
            return Batches([rows.take(order)])
        return Permuted(rows, order)


class Permuted:
    """Rows in another order than they lie in, as a source: they are brought together by whoever reads them."""

    def __init__(self, rows: Batch, order: np.ndarray) -> None:
        self._rows = rows
        self._order = order

    def splits(self) -> Sequence[Split]:
        rows, order = self._rows, self._order
        return [_Piece(rows, order[start : start + MORSEL_ROWS]) for start in range(0, rows.length, MORSEL_ROWS)]

    def known_rows(self) -> int:
        return self._rows.length


class _Piece:
    __slots__ = ("_order", "_rows")

    def __init__(self, rows: Batch, order: np.ndarray) -> None:
        self._rows = rows
        self._order = order

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        del metrics
        yield self._rows.take(self._order)


class KeepFirstOfOrder:
    """The first `count` rows of a sort, after leaving out `offset`: only so many are kept at any time.

    Where there is a `threshold`, it is told the first key of the last of them, each time when all rows of a split have come.
    """

    def __init__(
        self, keys: Sequence[Scalar], count: int, offset: int, schema: Schema, threshold: Threshold | None = None
    ) -> None:
        self._order = SortOrder(keys)
        self._most = count + offset
        self._offset = offset
        self._schema = schema
        self._kept: list[Batch] = []
        self._threshold = threshold

    def start(self) -> list[Batch]:
        return []

    def push(self, state: list[Batch], batch: Batch) -> None:
        if batch.length:
            state.append(self._first(batch))
            self._compact(state)

    def merge(self, state: list[Batch]) -> bool:
        self._kept.extend(state)
        if self._threshold is None:
            self._compact(self._kept)
        elif state and sum(batch.length for batch in self._kept) >= self._most > 0:
            rows = concat(self._kept, self._schema)
            last = np.sort(first := self._order.first(rows, self._most))
            self._threshold.set(self._order.first_key(rows.take(first[-1:])))
            self._kept = [rows.take(last)]
        return self._most == 0

    def _first(self, batch: Batch) -> Batch:
        if batch.length <= self._most:
            return batch
        # Ties are broken by row number, so the rows are kept in input order until the end.
        return batch.take(np.sort(self._order.first(batch, self._most)))

    def _compact(self, batches: list[Batch]) -> None:
        held = sum(batch.length for batch in batches)
        if len(batches) > 1 and held > max(2 * self._most, MORSEL_ROWS // 8):
            batches[:] = [self._first(concat(batches, self._schema))]

    def finish(self) -> Source:
        rows = all_rows(self._kept, self._schema)
        chosen = self._order.indices(rows)[self._offset : self._most]
        return Batches(evened([rows.take(chosen)], self._schema))
