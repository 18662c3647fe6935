"""Keeping rows."""

from __future__ import annotations

from lazyframe.executors.batch import Batch
from lazyframe.executors.vectorized.expression import Predicate
from lazyframe.planner.scalars import Scalar, conjuncts


class FilterRows:
    """The rows for which all parts of the predicate are true; a part sees only rows that those before it kept."""

    def __init__(self, predicate: Scalar, keep: tuple[str, ...] | None = None) -> None:
        self._parts = [Predicate(part) for part in conjuncts(predicate)]
        self._keep = keep

    def process(self, batch: Batch) -> Batch:
        for part in self._parts:
            batch = part.keep(batch)
        return batch if self._keep is None else batch.select(self._keep)
