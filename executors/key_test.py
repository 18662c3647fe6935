"""What scans ask of rows, for joins and sorts above them: whether a value is among keys, or within a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lazyframe.executors.batch import Batch
from lazyframe.executors.context import Context
from lazyframe.executors.key_set import KeySet
from lazyframe.executors.sources.source import Split
from lazyframe.executors.threshold import Threshold
from lazyframe.executors.vectorized.expression import Expressions
from lazyframe.planner.relations import Scan
from lazyframe.planner.scalars import Cast, Column, Scalar
from lazyframe.planner.types import is_integer


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


def columns_of(tests: Sequence[KeyTest]) -> list[str]:
    return sorted(frozenset().union(*[test.value.columns for test in tests]))


def narrowed_by(split: Split, tests: Sequence[KeyTest], plan: Scan, context: Context) -> Split | None:
    """The split without its parts in which no row passes the tests; None where none is left."""
    narrowed: Split | None = split
    for test in tests:
        narrowed, left_out = test.narrowed(narrowed)
        if left_out and context.measured is not None:
            context.measured.leave_out(plan.digest, groups=left_out)
        if narrowed is None:
            return None
    return narrowed
