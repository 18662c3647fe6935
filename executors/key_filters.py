"""What scans leave out while they are read, by the keys of joins above them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.context import Context
from lazyframe.executors.key_set import KeySet
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.sources.source import ReadableSource, ScanMetrics, Split
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
            key.give(column, scalar.dtype, None, nulls_equal=self._nulls_equal)
        return Batches(self.batches)


class _KeyFilter(NamedTuple):
    """A value of the rows of a scan, and the keys among which it must be."""

    keys: KeySet
    value: Scalar
    expression: Expressions

    def keeps(self, batch: Batch) -> np.ndarray:
        (column,) = self.expression.columns(batch)
        return self.keys.contains(column)

    @property
    def bounded(self) -> Column | None:
        """The column whose bounds are those of the value."""
        value = self.value
        if isinstance(value, Cast) and is_integer(value.to) and is_integer(value.arg.dtype):
            value = value.arg
        return value if isinstance(value, Column) else None


class FilteredScan:
    """A table source as the source of a pipeline, which leaves rows out that no join above it finds a partner for.

    Which filters are applied row by row is decided before the first row is read, by a look at a part of the table: so it
    depends on the data alone, and not on which thread comes to what first.
    """

    def __init__(
        self,
        source: ReadableSource,
        columns: Sequence[str],
        plan: Scan,
        filters: Sequence[tuple[KeySet, Scalar]],
        context: Context,
    ) -> None:
        self._source = source
        self._columns = list(columns)
        self._plan = plan
        self._filters = [_KeyFilter(keys, value, Expressions([value])) for keys, value in filters]
        self._context = context

    def splits(self) -> Sequence[Split]:
        found = self._source.splits(self._asked(), self._plan.predicate, self._context.metrics)
        kept: list[Split] = []
        for split in found:
            narrowed = self._narrowed(split)
            if narrowed is not None:
                kept.append(narrowed)
        filters = self._worth_their_cost(kept)
        if not filters and len(self._asked()) == len(self._columns):
            return kept
        return [_FilteredSplit(split, filters, self._columns, self._plan, self._context) for split in kept]

    def _asked(self) -> list[str]:
        names = frozenset().union(*[each.value.columns for each in self._filters])
        return [*self._columns, *sorted(names.difference(self._columns))]

    def _narrowed(self, split: Any) -> Split | None:
        """The split without its parts in which no row can have a key; None where none is left."""
        if not hasattr(split, "narrowed"):
            return split
        for each in self._filters:
            column = each.bounded
            if column is None:
                continue
            narrowed, left_out = split.narrowed(
                column.name, lambda known, rows, keys=each.keys, dtype=column.dtype: keys.may_hold(known, dtype, rows)
            )
            if left_out and self._context.measured is not None:
                self._context.measured.leave_out(self._plan.digest, groups=left_out)
            if narrowed is None:
                return None
            split = narrowed
        return split

    def _worth_their_cost(self, splits: Sequence[Any]) -> list[_KeyFilter]:
        """The filters to apply to rows, those that keep few first."""
        if len(splits) < _WORTH_SAMPLING:
            return self._filters
        split = splits[len(splits) // 2]
        if not hasattr(split, "only"):
            return self._filters
        names = sorted(frozenset().union(*[each.value.columns for each in self._filters]))
        sample = next(iter(split.only(names).read(ScanMetrics())), None)
        if sample is None:
            return self._filters
        shares = [np.count_nonzero(each.keeps(sample)) / max(sample.length, 1) for each in self._filters]
        order = sorted(range(len(shares)), key=lambda number: (shares[number], number))
        return [self._filters[number] for number in order if shares[number] <= _MOST_KEPT]


class _FilteredSplit:
    """A split of which only those rows are read that have the keys.

    Where the split can be read column by column, the others are only read where any row is left.
    """

    __slots__ = ("_columns", "_context", "_filters", "_plan", "_split")

    def __init__(
        self, split: Any, filters: Sequence[_KeyFilter], columns: Sequence[str], plan: Scan, context: Context
    ) -> None:
        self._split = split
        self._filters = filters
        self._columns = columns
        self._plan = plan
        self._context = context

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        asked = frozenset().union(*[each.value.columns for each in self._filters])
        rest = [name for name in self._columns if name not in asked]
        if not asked or not rest or not hasattr(self._split, "only"):
            for batch in self._split.read(metrics):
                rows = self._kept(batch)
                if rows is None:
                    yield batch.select(self._columns)
                elif len(rows):
                    yield batch.select(self._columns).take(rows)
            return
        kept = [(batch, self._kept(batch)) for batch in self._split.only(sorted(asked)).read(metrics)]
        if all([rows is not None and not len(rows) for _, rows in kept]):
            return
        others = ScanMetrics()
        more = list(self._split.only(rest).read(others))
        if [batch.length for batch in more] != [batch.length for batch, _ in kept]:
            # Columns that are cut into chunks in different ways: all of them together are cut in yet another one.
            yield from self._read_again(kept, metrics)
            return
        metrics.bytes += others.bytes
        for (batch, rows), other in zip(kept, more, strict=True):
            if rows is None or len(rows):
                whole = Batch({**batch.columns, **other.columns}, batch.length).select(self._columns)
                yield whole if rows is None else whole.take(rows)

    def _read_again(self, kept: list[tuple[Batch, np.ndarray | None]], metrics: ScanMetrics) -> Iterator[Batch]:
        mask = np.concatenate([_mask(batch, rows) for batch, rows in kept])
        start = 0
        for batch in self._split.read(metrics):
            yield batch.select(self._columns).filter(pa.array(mask[start : start + batch.length]))
            start += batch.length

    def _kept(self, batch: Batch) -> np.ndarray | None:
        """The numbers of the rows that have the keys; None where all have."""
        rows: np.ndarray | None = None
        seen = batch
        for each in self._filters:
            keeps = each.keeps(seen)
            if keeps.all():
                continue
            found = np.flatnonzero(keeps)
            rows = found if rows is None else rows.take(found)
            if not len(rows):
                break
            seen = batch.select(sorted(frozenset().union(*[f.value.columns for f in self._filters]))).take(rows)
        if rows is not None and self._context.measured is not None:
            self._context.measured.leave_out(self._plan.digest, rows=batch.length - len(rows))
        return rows


def _mask(batch: Batch, rows: np.ndarray | None) -> np.ndarray:
    mask = np.full(batch.length, rows is None)
    if rows is not None:
        mask[rows] = True
    return mask
