"""What scans leave out while they are read, by what joins and sorts above them know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyframe.executors.batch import Batch
from lazyframe.executors.context import Context
from lazyframe.executors.filtered_split import FilteredSplit
from lazyframe.executors.key_set import KeySet
from lazyframe.executors.key_test import KeyTest, columns_of, narrowed_by
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.sources.memory import MemorySource
from lazyframe.executors.sources.source import ReadableSource, ScanMetrics, Split
from lazyframe.executors.threshold import Threshold
from lazyframe.executors.vectorized.expression import Expressions
from lazyframe.executors.vectorized.operators.collect import Collect, all_rows
from lazyframe.planner.relations import Scan
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.schema import Schema

if TYPE_CHECKING:
    from lazyframe.executors.compiled.kept_rows import KeptRows

_WORTH_SAMPLING = 6
"""A scan of fewer splits is filtered without a look at what a filter would keep of it."""

_MOST_KEPT = 0.4
"""A filter that keeps more than this share of the rows costs more than it saves."""


class CollectKeys(Collect):
    """All rows of a side that is looked up, kept as they come, and its keys."""

    def __init__(
        self, schema: Schema, keys: Sequence[Scalar], gives: Sequence[KeySet | None], *, nulls_equal: bool
    ) -> None:
        super().__init__(schema)
        self._keys = keys
        self._gives = gives
        self._nulls_equal = nulls_equal

    def finish(self) -> Source:
        given = [(scalar, key) for scalar, key in zip(self._keys, self._gives, strict=True) if key is not None]
        names = frozenset().union(*[scalar.columns for scalar, _ in given])
        schema = Schema([field for field in self.schema if field.name in names])
        rows = all_rows([batch.select(schema.names) for batch in self.batches], schema)
        columns = Expressions([scalar for scalar, _ in given]).columns(rows)
        for (scalar, key), column in zip(given, columns, strict=True):
            key.give(column, scalar.dtype, None, alone=False, nulls_equal=self._nulls_equal)
        return Batches(self.batches)


class FilteredScan:
    """A table source as the source of a pipeline, which leaves rows out that are of no use to joins and sorts above it.

    Which keys of joins are looked up row by row is decided before the first row is read, by a look at a part of the table: so
    it depends on the data alone, and not on which thread comes to what first. What the threshold of a sort leaves out does
    depend on it, and is seen by nobody.

    Args:
        source: the table.
        columns: those that are wanted.
        plan: the scan.
        keys: of joins, with the values that have to be among them.
        thresholds: of sorts, with the columns that they are for.
        context: of the run.
    """

    def __init__(
        self,
        source: ReadableSource,
        columns: Sequence[str],
        plan: Scan,
        keys: Sequence[tuple[KeySet, Scalar]],
        thresholds: Sequence[tuple[Threshold, Scalar]],
        context: Context,
    ) -> None:
        self._source = source
        self._columns = list(columns)
        self._plan = plan
        self._keys = [KeyTest(known, value, Expressions([value])) for known, value in keys]
        self._whole = [name in plan.whole for name, _ in plan.filters]
        self._thresholds = [KeyTest(known, value, Expressions([value])) for known, value in thresholds]
        self._context = context

    def splits(self) -> Sequence[Split]:
        asked = columns_of((*self._keys, *self._thresholds))
        every = [*self._columns, *[name for name in asked if name not in self._columns]]
        kept: list[Split] = []
        for split in self._source.splits(every, self._plan.predicate, self._context.metrics):
            narrowed = narrowed_by(split, self._keys, self._plan, self._context)
            if narrowed is not None:
                kept.append(narrowed)
        tests = self._worth_their_cost(kept)
        for test in self._thresholds:
            self._look_ahead(test, kept)
        if not tests and not self._thresholds and len(every) == len(self._columns):
            return kept
        by_kernel = self._by_kernel(tests, len(kept))
        return [
            FilteredSplit(split, tests, self._thresholds, by_kernel, self._columns, self._plan, self._context)
            for split in kept
        ]

    def _by_kernel(self, tests: Sequence[KeyTest], splits: int) -> KeptRows | None:
        """What finds the rows that pass; None where they are few, or kernels cannot look for them."""
        if not tests or splits < _WORTH_SAMPLING or not self._context.compiles(self.known_rows()):
            return None
        from lazyframe.executors.compiled.kept_rows import kept_rows

        return kept_rows(tests, self._source.schema)

    @property
    def name(self) -> str:
        """That of the table."""
        return self._source.name

    def in_memory(self) -> tuple[MemorySource, Scan] | None:
        """The table, where it is in memory and nothing but keys is asked, so that nothing is saved by not reading rows."""
        if self._thresholds or self._context.measured is not None or not isinstance(self._source, MemorySource):
            return None
        return self._source, self._plan

    @property
    def tests(self) -> Sequence[KeyTest]:
        """The keys of joins, with the values that have to be among them."""
        return self._keys

    @property
    def columns(self) -> Sequence[str]:
        """Those that are wanted."""
        return self._columns

    def known_rows(self) -> float | None:
        """Those of the table."""
        return self._source.statistics().rows

    def _worth_their_cost(self, splits: Sequence[Any]) -> list[KeyTest]:
        """The keys to look up row by row, those that keep few rows first."""
        if not self._keys or len(splits) < _WORTH_SAMPLING:
            return self._keys
        split = splits[len(splits) // 2]
        if not hasattr(split, "only"):
            return self._keys
        sample = next(iter(split.only(columns_of(self._keys)).read(ScanMetrics())), None)
        if sample is None:
            return self._keys
        shares = [_share_kept(test, self._by_kernel([test], len(splits)), sample) for test in self._keys]
        order = sorted(range(len(shares)), key=lambda number: (shares[number], number))
        return [self._keys[number] for number in order if shares[number] <= _MOST_KEPT or self._whole[number]]

    def _look_ahead(self, test: KeyTest, splits: Sequence[Any]) -> None:
        """Set a threshold by the part of the table that is most likely to hold first rows, before any other is read."""
        assert isinstance(test.known, Threshold)
        if not test.known.rows or len(splits) < _WORTH_SAMPLING or not hasattr(splits[0], "only"):
            return
        split = _most_promising(test, splits) or splits[len(splits) // 2]
        for batch in split.only(columns_of([test])).read(ScanMetrics()):
            test.known.set_by(test.expression.columns(batch)[0])
            break


def _most_promising(test: KeyTest, splits: Sequence[Any]) -> Any:
    """The split whose bounds come first in the order of a sort; None where nothing is known of them."""
    best: tuple[Any, Any] | None = None
    column, threshold = test.bounded, test.known
    assert isinstance(threshold, Threshold)
    if column is None:
        return None
    for split in splits:
        if not hasattr(split, "bounds"):
            return None
        for statistics in split.bounds(column.name):
            promise = threshold.promise(statistics, column.dtype)
            if promise is not None and (best is None or threshold.is_better(promise, best[0])):
                best = (promise, split)
    return None if best is None else best[1]


def _share_kept(test: KeyTest, by_kernel: KeptRows | None, sample: Batch) -> float:
    if by_kernel is not None:
        return len(by_kernel(sample)) / max(sample.length, 1)
    keeps = test.keeps(sample)
    return 1.0 if keeps is None else np.count_nonzero(keeps) / max(sample.length, 1)
