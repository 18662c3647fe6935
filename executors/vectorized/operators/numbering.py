"""What depends on a row's number: row indices and random samples."""

from __future__ import annotations

import numpy as np

from lazyframe.executors.batch import Batch
from lazyframe.executors.vectorized.operators.collect import Collect, all_rows
from lazyframe.planner import arrow
from lazyframe.planner.relations import Sample
from lazyframe.planner.schema import Schema


class NumberRows:
    """The rows with their number before them."""

    may_end_early = False

    def __init__(self, name: str, start: int) -> None:
        self._name = name
        self._next = start

    def process_in_order(self, batch: Batch) -> Batch:
        numbers = arrow.array(np.arange(self._next, self._next + batch.length, dtype=np.int64))
        self._next += batch.length
        return Batch({self._name: numbers, **batch.columns}, batch.length)

    def is_done(self) -> bool:
        return False


class DrawRows:
    """Each row with the same chance. The draws follow the rows' order, so a seed always finds the same rows."""

    may_end_early = False

    def __init__(self, fraction: float, seed: int) -> None:
        self._fraction = fraction
        self._random = np.random.Generator(np.random.PCG64(seed))

    def process_in_order(self, batch: Batch) -> Batch:
        kept = self._random.random(batch.length) < self._fraction
        return batch.filter(arrow.array(kept))

    def is_done(self) -> bool:
        return False


def draw_rows(plan: Sample, schema: Schema) -> Collect:
    """A sink that draws `count` rows, or a fraction of all with replacement."""

    def then(batches: list[Batch]) -> list[Batch]:
        rows = all_rows(batches, schema)
        random = np.random.Generator(np.random.PCG64(plan.seed))
        wanted = plan.count if plan.count is not None else round((plan.fraction or 0) * rows.length)
        if rows.length == 0:
            return []
        if plan.with_replacement:
            chosen = random.integers(0, rows.length, wanted)
        else:
            chosen = random.permutation(rows.length)[:wanted]
        return [rows.take(np.sort(chosen))]

    return Collect(schema, then)
