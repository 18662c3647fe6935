"""Which rows of a table are shown, and their values as text; shared by terminal and notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from lazyframe.display.escaping import visible
from lazyframe.display.values import format_values, is_flexible, is_numeric
from lazyframe.planner.types import type_name


@dataclass(frozen=True, slots=True)
class RowWindow:
    """The first `head` and last `tail` rows of a result of `total` rows."""

    head: int
    tail: int
    total: int

    @property
    def shown(self) -> int:
        """How many rows are shown."""
        return self.head + self.tail

    @property
    def has_gap(self) -> bool:
        """Whether rows are left out."""
        return self.shown < self.total


@dataclass(frozen=True, slots=True)
class Column:
    """A column's header and the text of its shown values, None where null."""

    name: str
    type: str
    values: list[str | None]
    numeric: bool
    flexible: bool


def choose_rows(available: int, total: int | None, max_rows: int) -> RowWindow:
    """Choose head and tail among `available` rows; only a head where these are the beginning of a longer result."""
    total = available if total is None else max(total, available)
    if available == total and available > max_rows:
        return RowWindow(max_rows - max_rows // 2, max_rows // 2, total)
    return RowWindow(min(available, max_rows), 0, total)


def header_names(table: pa.Table, names_types: Sequence[tuple[str, str]] | None) -> list[str]:
    """The names to show, those given first.

    Raises:
        ValueError: as many names as columns are needed.
    """
    if names_types is None:
        return list(table.schema.names)
    if len(names_types) != table.num_columns:
        raise ValueError(f"{len(names_types)} names for a table of {table.num_columns} columns")
    return [name for name, _ in names_types]


def read_column(table: pa.Table, index: int, header: tuple[str, str | None], rows: RowWindow, *, limit: int) -> Column:
    """Format the shown rows of one column; nothing else of it is touched."""
    data = table.column(index)
    scalars = list(data.slice(0, rows.head))
    if rows.tail:
        scalars += data.slice(len(data) - rows.tail)
    name, shown_type = header
    return Column(
        name=visible(name),
        type=visible(type_name(data.type) if shown_type is None else shown_type),
        values=format_values(scalars, data.type, limit=limit),
        numeric=is_numeric(data.type),
        flexible=is_flexible(data.type),
    )


def count_of(number: int, noun: str) -> str:
    """A count with its noun.

    >>> count_of(336776, "row"), count_of(1, "row")
    ('336,776 rows', '1 row')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shape_line(rows: RowWindow, columns: int) -> str:
    """The size of a result and how much of it is shown.

    >>> shape_line(RowWindow(5, 5, 336776), 19)
    '336,776 rows × 19 columns, showing 10 rows'
    """
    line = f"{count_of(rows.total, 'row')} × {count_of(columns, 'column')}"
    return f"{line}, showing {count_of(rows.shown, 'row')}" if rows.has_gap and columns else line
