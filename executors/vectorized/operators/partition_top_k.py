"""The first rows of each partition."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.compile_from import calls_for_kernels
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.sources.source import MORSEL_ROWS
from lazyframe.executors.vectorized.expression import Expressions
from lazyframe.executors.vectorized.keys import encode, one_word
from lazyframe.executors.vectorized.operators.collect import all_rows, evened
from lazyframe.executors.vectorized.windows.partitions import Partitions
from lazyframe.executors.vectorized.windows.ranking import RANKINGS
from lazyframe.planner.scalars import SortKey, WindowCall
from lazyframe.planner.schema import Schema

_WORTH_IT = 0.75
"""Where a batch keeps more of its rows than this, looking at batches by themselves does not pay."""

_SAMPLE = 2 * MORSEL_ROWS
"""So many rows are looked at before that is decided."""


class KeepFirstOfPartitions:
    """The rows whose place in their partition, by a ranking function, is at most `count`, in input order.

    Each batch is left with the rows that are among the first of its own partitions: a row that is not is not among the first
    of all, and is before none of those. So few rows are held where partitions are large; where they are small, batches are
    kept as they are and looked at once in the end.
    """

    def __init__(self, call: WindowCall, count: int, schema: Schema) -> None:
        self._keys = len(call.partition)
        self._expressions = Expressions([*call.partition, *call.order])
        order = [key for key in call.order if isinstance(key, SortKey)]
        self._directions = [key.descending for key in order], [key.nulls_first for key in order]
        self._function = call.function
        self._count = count
        self._schema = schema
        self._held: list[Batch] = []
        self._reduced = 0
        self._waiting = 0
        self._seen = 0
        self._kept = 0

    def start(self) -> list[Batch]:
        return []

    def push(self, state: list[Batch], batch: Batch) -> None:
        if not batch.length:
            return
        if self._pays():
            rows = batch.length
            batch = self._first(batch)
            self._seen += rows
            self._kept += batch.length
        state.append(batch)

    def merge(self, state: list[Batch]) -> bool:
        self._held.extend(state)
        self._waiting += sum([batch.length for batch in state])
        if self._waiting > max(self._reduced, MORSEL_ROWS) and self._pays():
            self._reduce()
        return False

    def finish(self) -> Source:
        self._reduce()
        return Batches(evened(self._held, self._schema))

    def _pays(self) -> bool:
        return self._seen < _SAMPLE or self._kept < _WORTH_IT * self._seen

    def _reduce(self) -> None:
        rows = self._first(all_rows(self._held, self._schema)) if self._held else None
        self._held = [] if rows is None else [rows]
        self._reduced, self._waiting = (0 if rows is None else rows.length), 0

    def _first(self, batch: Batch) -> Batch:
        columns = self._expressions.columns(batch)
        keys, order = columns[: self._keys], columns[self._keys :]
        first = self._found(keys, order, batch.length)
        if first is None:
            partitions = Partitions(keys, order, *self._directions, batch.length)
            first = np.sort(partitions.order[RANKINGS[self._function](partitions) <= self._count])
        return batch if len(first) == batch.length else batch.take(first)

    def _found(self, keys: list[pa.Array], order: list[pa.Array], rows: int) -> np.ndarray | None:
        """The first rows, where a kernel finds them without sorting."""
        if self._function not in ("row_number", "rank") or not calls_for_kernels(rows):
            return None
        from lazyframe.executors.compiled.keys.firsts import MOST_KEPT, first_rows

        word = one_word(order, *self._directions) if order and self._count <= MOST_KEPT else None
        if word is None:
            return None
        codes = encode(keys, rows)
        kept = first_rows(codes.codes, codes.count, word, self._count, with_ties=self._function == "rank")
        return None if kept is None else kept.nonzero()[0]


__all__ = ["KeepFirstOfPartitions"]
