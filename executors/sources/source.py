"""What the executor asks of a table: splits, and the batches of a split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lazyframe.executors.batch import Batch
from lazyframe.planner.sources import TableSource

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar


@dataclass(slots=True)
class ScanMetrics:
    """Where a scan counts what it did. Not locked: give each worker its own, or add them up under the interpreter lock.

    `bytes` are those of the column chunks that were read, as stored; `groups` are row groups, record batches of an Arrow
    file, or whole files where a format has no parts. `may_compile` is not counted but told: whether kernels may read.
    """

    rows: int = 0
    bytes: int = 0
    groups_read: int = 0
    groups_skipped: int = 0
    may_compile: bool = True

    def add(self, other: ScanMetrics) -> None:
        """Count what another has counted."""
        self.rows += other.rows
        self.bytes += other.bytes
        self.groups_read += other.groups_read
        self.groups_skipped += other.groups_skipped


class Split(Protocol):
    """A part of a table that one worker reads, such as a row group. Splits are numbered in the order of their rows.

    A split may have further methods, which filters of scans use where they are there: `only(columns)`, some columns of the same
    rows; `narrowed(column, may_match)`, the split without the row groups that cannot match; `bounds(column)`, what is
    known of a column in each row group; and `laid_out(convert)`, the same rows in arrays as `convert` leaves them, for readers
    that take other layouts than those of a batch.
    """

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        """The batches of this part, in order.

        Each has at most `MORSEL_ROWS` rows, at least one, and exactly the columns asked for. May be called in any thread,
        and again: it reads the same rows again.
        """
        ...


class ReadableSource(TableSource, Protocol):
    """A table source that this executor can read."""

    def splits(
        self, columns: Sequence[str], predicate: Scalar | None, metrics: ScanMetrics | None = None
    ) -> Sequence[Split]:
        """The parts to read, in row order.

        `columns` are those wanted (perhaps none: then only row counts matter). Parts in which `predicate` can be true
        for no row are left out where statistics prove it, and counted as skipped in `metrics`; the rows of the others
        are not filtered: the executor does that.
        """
        ...


MORSEL_ROWS = 131_072
"""The most rows in a batch that a source hands out."""
