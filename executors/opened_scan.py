"""Filtered scans of tables in memory as pipelines that look keys up by themselves, which kernels do for a row as it passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lazyframe.executors.batch import Batch
from lazyframe.executors.filtered_scan import FilteredScan
from lazyframe.executors.key_set import KeySet
from lazyframe.executors.key_test import KeyTest, columns_of
from lazyframe.executors.pipeline import AnyTransform, Source
from lazyframe.executors.sources.memory import MemorySource
from lazyframe.executors.sources.source import Split
from lazyframe.executors.vectorized.operators.filter import FilterRows
from lazyframe.executors.vectorized.operators.join import Probe
from lazyframe.planner.relations import Scan
from lazyframe.planner.schema import Schema


class KeepKnownKeys:
    """Rows whose values are among the keys of joins, as a transform."""

    def __init__(self, tests: Sequence[KeyTest], columns: Sequence[str]) -> None:
        self.tests = tests
        self._columns = columns

    def process(self, batch: Batch) -> Batch:
        for test in self.tests:
            keeps = test.keeps(batch)
            if keeps is not None and not keeps.all():
                batch = batch.take(np.flatnonzero(keeps))
        return batch.select(self._columns)


class _Table(NamedTuple):
    """Some columns of a table in memory as the source of a pipeline."""

    source: MemorySource
    names: Sequence[str]
    plan: Scan

    def splits(self) -> Sequence[Split]:
        return self.source.splits(self.names, self.plan.predicate)

    def known_rows(self) -> float | None:
        return self.source.statistics().rows


def opened(
    source: Source, transforms: Sequence[AnyTransform], schemas: Sequence[Schema | None]
) -> tuple[Source, Sequence[AnyTransform], Sequence[Schema | None]]:
    """A pipeline over a filtered scan of a table in memory as one over the table, in which kernels look keys up.

    A test stands behind the filters of the scan, which cost less; it is left out where the first join asks the same.
    """
    scan = source
    table = scan.in_memory() if isinstance(scan, FilteredScan) else None
    if table is None or not schemas:
        return source, transforms, schemas
    assert isinstance(scan, FilteredScan)
    rows, plan = table
    first = next((t for t in transforms if not isinstance(t, FilterRows)), None)
    tests = [
        test
        for test in scan.tests
        if not (isinstance(first, Probe) and isinstance(test.known, KeySet) and test.known.is_of(first.build))
    ]
    asked = columns_of(tests)
    given = Schema([rows.schema.field(name) for name in dict.fromkeys([*scan.columns, *asked])])
    opened = _Table(rows, given.names, plan)
    if not tests:
        return opened, transforms, schemas
    schemas = [given, *schemas[1:]]
    place = 0
    while place < len(transforms) and isinstance(transforms[place], FilterRows):
        following = schemas[place + 1]
        if following is None or not frozenset(asked).issubset(following.names):
            break
        place += 1
    behind = scan.columns if place == 0 else schemas[place].names  # type: ignore[union-attr]
    keep = KeepKnownKeys(tests, behind)
    left = Schema([given.field(name) for name in behind])
    return (
        opened,
        [*transforms[:place], keep, *transforms[place:]],
        [*schemas[: place + 1], left, *schemas[place + 1 :]],
    )
