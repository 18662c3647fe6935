"""What the planner knows of a table that it does not own. Implemented in `executors/sources/`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from lazyframe.planner.schema import Schema

if TYPE_CHECKING:
    from lazyframe.planner.cells import Cell
    from lazyframe.planner.scalars import Scalar


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """What is known of a column without reading it.

    `minimum` and `maximum` bound the values that are neither null nor NaN (Parquet leaves NaN out of them), as Python
    values; None where unknown. `nulls` is the number of nulls, None where unknown.
    """

    minimum: object = None
    maximum: object = None
    nulls: int | None = None
    distinct: int | None = None


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is known of a table without reading it: exact or estimated rows, bytes, and its columns."""

    rows: float | None = None
    exact: bool = False
    bytes: float | None = None
    columns: Mapping[str, ColumnStatistics] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a scan would do, from metadata alone: shown by `explain()`."""

    files: int = 0
    files_skipped: int = 0
    groups: int = 0
    groups_skipped: int = 0
    columns_read: int = 0
    columns_total: int = 0


class Question(NamedTuple):
    """A question about all rows of a table: `len`, or `count`, `min` or `max` of a column."""

    function: str
    column: str | None


class Sample(Protocol):
    """What some rows of a table tell of all. Equal questions get equal answers, whatever was asked before."""

    def share(self, predicate: Scalar) -> float | None:
        """About which share of the rows a predicate keeps, 0 where it keeps no row of the sample; None where it cannot be told."""
        ...

    def distinct(self, name: str) -> float | None:
        """About how many different values a column has; None where it cannot be told."""
        ...

    def share_with_partner(
        self, name: str, predicate: Scalar | None, other: Any, key: str, condition: Scalar | None
    ) -> float | None:
        """Of the rows that a predicate keeps, about which share has a partner among what a condition keeps of another table.

        A partner is a row whose `key` equals the column `name`. None where it cannot be told from the two samples.
        """
        ...

    def is_clustered(self, name: str) -> bool:
        """Whether the rows it was drawn from lie together in this column, as in a table sorted by it."""
        ...


class Learned(NamedTuple):
    """Columns of a table that are the elements of a parameter.

    Args:
        cell: where their values are: an array with a row for each row of the table.
        row: the column that has the number of the row.
        columns: those that are learned, in the order of the array's.
    """

    cell: Cell
    row: str
    columns: tuple[str, ...]


class TableSource(Protocol):
    """A table: its schema, an identity, statistics, and what it can skip by itself.

    The schema may be derived from metadata when the source is made. Before the query runs nothing else is read, but for a
    sample where an estimate of rows depends on it: a source may have a method `sample()` that gives one, or None. It may have
    a method `summary(questions, schema)` that gives a source of one row, the answers to some `Question`s, or None. It
    may have `struct_names`, the columns of which it can read some fields, and a method `with_fields(paths)` that gives a source
    whose schema has these fields as further columns, in this order, or None: a path is the name of a column and of a field in
    it, of a field in that, and so on. Where columns of it are a parameter, it says so in `learned`.
    """

    @property
    def schema(self) -> Schema: ...

    @property
    def name(self) -> str:
        """What a person calls it: a file name, `'flights/*.parquet'`, `'in memory'`. Never a credential."""
        ...

    def identity(self) -> tuple[object, ...]:
        """Plain values (str, int, bytes, tuples of them) that two sources share only if they hold the same rows:
        kind, paths, options; an in-memory table is only equal to itself.
        """
        ...

    def statistics(self) -> Statistics:
        """From metadata that was already read, or cheap to read; cached by the source."""
        ...

    def report(self, columns: tuple[str, ...], predicate: Scalar | None) -> ScanReport:
        """Which files and row groups `predicate` lets it skip. Called by `explain()` only."""
        ...


def learned(source: TableSource) -> Learned | None:
    """Which columns of a table are a parameter."""
    return getattr(source, "learned", None)
