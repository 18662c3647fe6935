"""A part of a table of which only those rows are read that are of use to joins and sorts above the scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyframe.executors.batch import Batch
from lazyframe.executors.context import Context
from lazyframe.executors.key_test import KeyTest, columns_of, narrowed_by
from lazyframe.executors.sources.source import ScanMetrics, Split
from lazyframe.planner.relations import Scan

if TYPE_CHECKING:
    from lazyframe.executors.compiled.kept_rows import KeptRows


class FilteredSplit:
    """A split of which only those rows are read that pass some tests.

    Where the split can be read column by column, the others are only read where any row is left.
    """

    __slots__ = ("_by_kernel", "_columns", "_context", "_moving", "_plan", "_split", "_tests")

    def __init__(
        self,
        split: Split,
        tests: Sequence[KeyTest],
        moving: Sequence[KeyTest],
        by_kernel: KeptRows | None,
        columns: Sequence[str],
        plan: Scan,
        context: Context,
    ) -> None:
        self._split = split
        self._tests = [*moving, *tests]
        self._moving = moving
        self._by_kernel = by_kernel
        self._columns = columns
        self._plan = plan
        self._context = context

    @property
    def is_near(self) -> bool:
        """Whether it is read from this machine."""
        return getattr(self._split, "is_near", False)

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        split: Any = narrowed_by(self._split, self._moving, self._plan, self._context)
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
        for number, test in enumerate(self._tests if self._by_kernel is None else self._moving):
            keeps = test.keeps(seen)
            if keeps is None or keeps.all():
                continue
            found = np.flatnonzero(keeps)
            rows = found if rows is None else rows.take(found)
            if not len(rows):
                break
            if number + 1 < len(self._tests):
                seen = batch.select(columns_of(self._tests[number + 1 :])).take(rows)
        if self._by_kernel is not None and seen.length and (rows is None or len(rows)):
            found = self._by_kernel(seen)
            if len(found) < seen.length:
                rows = found if rows is None else rows.take(found)
        if rows is not None and self._context.measured is not None:
            self._context.measured.leave_out(self._plan.digest, rows=batch.length - len(rows))
        return rows


def _mask(batch: Batch, rows: np.ndarray | None) -> np.ndarray:
    mask = np.full(batch.length, rows is None)
    if rows is not None:
        mask[rows] = True
    return mask
