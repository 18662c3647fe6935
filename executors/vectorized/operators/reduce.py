"""Reductions of all rows, as a sink: groups and distinct rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from lazyframe.executors.batch import Batch
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.sources.source import MORSEL_ROWS
from lazyframe.executors.vectorized.operators.collect import evened
from lazyframe.planner.schema import Schema


class Reduction(Protocol):
    """How rows become one state: `GroupedAggregation` and `DistinctRows`. The length of a state is its number of rows."""

    def partials(self, batch: Batch) -> Sequence[Any]:
        """The states of the rows of a batch: one, or several where it is taken in parts."""
        ...

    def combine(self, partials: Sequence[Any]) -> Any:
        """One state of several, in row order; of none, the state of no rows."""
        ...

    def finish(self, partial: Any) -> Batch: ...


class Reduce:
    """A reduction of all rows by `partial` states that are combined in row order.

    States wait until they hold as many rows as what was combined before, so that each row is combined a logarithmic number
    of times; which states are combined depends on their sizes alone, so results are the same for any number of threads.
    """

    def __init__(self, reduction: Reduction, schema: Schema) -> None:
        self.reduction = reduction
        self.schema = schema
        self._total: list[Any] = []
        self._waiting: list[Any] = []
        self._waiting_rows = 0

    def start(self) -> list[Any]:
        return []

    def push(self, state: list[Any], batch: Batch) -> None:
        if batch.length:
            state.extend(self.reduction.partials(batch))

    def merge(self, state: list[Any]) -> bool:
        self._waiting.extend(state)
        self._waiting_rows += sum(len(partial) for partial in state)
        held = sum(len(partial) for partial in self._total)
        if self._waiting_rows > max(held, MORSEL_ROWS // 2):
            self._compact()
        return False

    def _compact(self) -> None:
        parts = self._total + self._waiting
        if len(parts) != 1:
            parts = [self.reduction.combine(parts)]
        self._total, self._waiting, self._waiting_rows = parts, [], 0

    def finish(self) -> Source:
        self._compact()
        result = self.reduction.finish(self._total[0])
        return Batches(evened([result], self.schema))
