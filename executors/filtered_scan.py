"""What scans leave out while they are read, by what joins and sorts above them know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from lazyframe.executors.batch import Batch
from lazyframe.executors.context import Context
from lazyframe.executors.key_set import KeySet
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.sources.memory import MemorySource
from lazyframe.executors.sources.source import ReadableSource, ScanMetrics, Split
from lazyframe.executors.threshold import Threshold
from lazyframe.executors.vectorized.expression import Expressions
from lazyframe.executors.vectorized.operators.collect import Collect, all_rows
from lazyframe.planner.relations import Scan
from lazyframe.planner.scalars import Cast, Column, Scalar
from lazyframe.planner.schema import Schema
from lazyframe.planner.types import is_integer

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


class KeyTest(NamedTuple):
    """A value of the rows of a scan, and who knows which values are of use."""

    known: KeySet | Threshold
    value: Scalar
    expression: Expressions

    @property
    def bounded(self) -> Column | None:
        """The column whose bounds are those of the value."""
        value = self.value
        if isinstance(value, Cast) and is_integer(value.to) and is_integer(value.arg.dtype):
            value = value.arg
        return value if isinstance(value, Column) else None

    def keeps(self, batch: Batch) -> np.ndarray | None:
        """Which rows are of use; None where all are."""
        (column,) = self.expression.columns(batch)
        return self.known.keeps(column)

    def narrowed(self, split: Any) -> tuple[Split | None, int]:
        """A split without its parts of which no row can be of use, and how many parts these are."""
        column = self.bounded
        if column is None or not hasattr(split, "narrowed"):
            return split, 0
        dtype = column.dtype
        found: tuple[Split | None, int] = split.narrowed(
            column.name, lambda statistics, rows: self.known.may_hold(statistics, dtype, rows)
        )
        return found


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
            narrowed = _narrowed(split, self._keys, self._plan, self._context)
            if narrowed is not None:
                kept.append(narrowed)
        tests = self._worth_their_cost(kept)
        for test in self._thresholds:
            self._look_ahead(test, kept)
        if not tests and not self._thresholds and len(every) == len(self._columns):
            return kept
        return [
            _FilteredSplit(split, tests, self._thresholds, self._columns, self._plan, self._context) for split in kept
        ]

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
        shares = [_share_kept(test, sample) for test in self._keys]
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


def columns_of(tests: Sequence[KeyTest]) -> list[str]:
    return sorted(frozenset().union(*[test.value.columns for test in tests]))


def _narrowed(split: Split, tests: Sequence[KeyTest], plan: Scan, context: Context) -> Split | None:
    """The split without its parts in which no row passes the tests; None where none is left."""
    narrowed: Split | None = split
    for test in tests:
        narrowed, left_out = test.narrowed(narrowed)
        if left_out and context.measured is not None:
            context.measured.leave_out(plan.digest, groups=left_out)
        if narrowed is None:
            return None
    return narrowed


def _share_kept(test: KeyTest, sample: Batch) -> float:
    keeps = test.keeps(sample)
    return 1.0 if keeps is None else np.count_nonzero(keeps) / max(sample.length, 1)


class _FilteredSplit:
    """A split of which only those rows are read that pass some tests.

    Where the split can be read column by column, the others are only read where any row is left.
    """

    __slots__ = ("_columns", "_context", "_moving", "_plan", "_split", "_tests")

    def __init__(
        self,
        split: Split,
        tests: Sequence[KeyTest],
        moving: Sequence[KeyTest],
        columns: Sequence[str],
        plan: Scan,
        context: Context,
    ) -> None:
        self._split = split
        self._tests = [*moving, *tests]
        self._moving = moving
        self._columns = columns
        self._plan = plan
        self._context = context

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        split: Any = _narrowed(self._split, self._moving, self._plan, self._context)
        if split is None:
            return
        asked = columns_of(self._tests)
        rest = [name for name in self._columns if name not in asked]
        if not asked or not rest or not hasattr(split, "only"):
            for batch in split.read(metrics):
                yield from self._rows(batch, self._kept(batch))
            return
        kept = [(batch, self._kept(batch)) for batch in split.only(asked).read(metrics)]
        if all([rows is not None and not len(rows) for _, rows in kept]):
            return
        others = ScanMetrics()
        more = list(split.only(rest).read(others))
        if [batch.length for batch in more] != [batch.length for batch, _ in kept]:
            # Columns that are cut into chunks in different ways: all of them together are cut in yet another one.
            mask = np.concatenate([_mask(batch, rows) for batch, rows in kept])
            start = 0
            for batch in split.read(metrics):
                yield from self._rows(batch, np.flatnonzero(mask[start : start + batch.length]))
                start += batch.length
            return
        metrics.bytes += others.bytes
        for (batch, rows), other in zip(kept, more, strict=True):
            yield from self._rows(Batch({**batch.columns, **other.columns}, batch.length), rows)

    def _rows(self, batch: Batch, rows: np.ndarray | None) -> Iterator[Batch]:
        """The columns that are wanted of these rows, if any; of all where `rows` is None."""
        if rows is None or len(rows):
            wanted = batch.select(self._columns)
            yield wanted if rows is None or len(rows) == batch.length else wanted.take(rows)

    def _kept(self, batch: Batch) -> np.ndarray | None:
        """The numbers of the rows that pass; None where all do."""
        rows: np.ndarray | None = None
        seen = batch
        for number, test in enumerate(self._tests):
            keeps = test.keeps(seen)
            if keeps is None or keeps.all():
                continue
            found = np.flatnonzero(keeps)
            rows = found if rows is None else rows.take(found)
            if not len(rows):
                break
            if number + 1 < len(self._tests):
                seen = batch.select(columns_of(self._tests[number + 1 :])).take(rows)
        if rows is not None and self._context.measured is not None:
            self._context.measured.leave_out(self._plan.digest, rows=batch.length - len(rows))
        return rows


def _mask(batch: Batch, rows: np.ndarray | None) -> np.ndarray:
    mask = np.full(batch.length, rows is None)
    if rows is not None:
        mask[rows] = True
    return mask
