"""The first and the last rows."""

from __future__ import annotations

from lazyframe.executors.batch import Batch
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.vectorized.operators.collect import evened
from lazyframe.planner.schema import Schema


class TakeRows:
    """`count` rows (all, where None) after the first `offset`."""

    def __init__(self, count: int | None, offset: int) -> None:
        self._count = count
        self._offset = offset
        self.may_end_early = count is not None

    def process_in_order(self, batch: Batch) -> Batch:
        skipped = min(self._offset, batch.length)
        self._offset -= skipped
        rest = batch.slice(skipped) if skipped else batch
        if self._count is None:
            return rest
        taken = min(self._count, rest.length)
        self._count -= taken
        return rest if taken == rest.length else rest.slice(0, taken)

    def is_done(self) -> bool:
        return self._count == 0


class KeepLast:
    """The last `count` rows."""

    def __init__(self, count: int, schema: Schema) -> None:
        self._count = count
        self._schema = schema
        self._batches: list[Batch] = []
        self._rows = 0

    def start(self) -> list[Batch]:
        return []

    def push(self, state: list[Batch], batch: Batch) -> None:
        if batch.length:
            state.append(batch)

    def merge(self, state: list[Batch]) -> bool:
        self._batches.extend(state)
        self._rows += sum(batch.length for batch in state)
        while self._batches and self._rows - self._batches[0].length >= self._count:
            self._rows -= self._batches.pop(0).length
        return False

    def finish(self) -> Source:
        surplus = max(self._rows - self._count, 0)
        if surplus and self._batches:
            self._batches[0] = self._batches[0].slice(surplus)
        return Batches(evened(self._batches, self._schema))
