"""Grouping, as a sink."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from lazyframe.executors.batch import Batch
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.sources.source import MORSEL_ROWS
from lazyframe.executors.vectorized.distinct import DistinctRows
from lazyframe.executors.vectorized.hash_aggregate import GroupedAggregation
from lazyframe.executors.vectorized.operators.collect import evened
from lazyframe.planner.schema import Schema

P = TypeVar("P")


class Reduce:
    """A reduction of all rows by `partial` states that are combined in row order.

    States wait until they hold as many rows as what was combined before, so that each row is combined a logarithmic number
    of times; which states are combined depends on their sizes alone, so results are the same for any number of threads.
    """

    def __init__(self, reduction: GroupedAggregation | DistinctRows, schema: Schema) -> None:
        self._reduction = reduction
        self._schema = schema
        self._total: list[object] = []
        self._waiting: list[object] = []
        self._waiting_rows = 0

    def start(self) -> list[object]:
        return []

    def push(self, state: list[object], batch: Batch) -> None:
        if batch.length:
            state.append(self._reduction.partial(batch))

    def merge(self, state: list[object]) -> bool:
        self._waiting.extend(state)
        self._waiting_rows += sum(partial.rows for partial in state)  # type: ignore[attr-defined]
        held = sum(partial.rows for partial in self._total)  # type: ignore[attr-defined]
        if self._waiting_rows > max(held, MORSEL_ROWS // 2):
            self._compact()
        return False

    def _compact(self) -> None:
        parts = self._total + self._waiting
        if len(parts) > 1:
            parts = [self._reduction.combine(parts)]
        self._total, self._waiting, self._waiting_rows = parts, [], 0

    def finish(self) -> Source:
        self._compact()
        result = self._reduction.finish(self._total[0] if self._total else None)
        return Batches(evened([result], self._schema))


def grouped(keys: Sequence[tuple[str, object]], aggregates: Sequence[tuple[str, object]], schema: Schema) -> Reduce:
    return Reduce(GroupedAggregation(keys, aggregates), schema)  # type: ignore[arg-type]
