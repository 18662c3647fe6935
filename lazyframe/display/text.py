"""A result as a table that fits the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import pyarrow as pa

from lazyframe.display.escaping import visible
from lazyframe.display.excerpt import Column, RowWindow, choose_rows, count_of, header_names, read_column, shape_line
from lazyframe.display.glyphs import Glyphs, choose_glyphs, output_encoding
from lazyframe.display.values import NULL
from lazyframe.display.width import cells, list_names, pad, shorten, terminal_width, wrap

_NARROWEST = 20
_BORDER, _SEPARATOR = 1, 3
# A name, type or text is shortened to this much before a column is left out.
_HEADER_FLOOR, _TYPE_FLOOR, _TEXT_FLOOR = 16, 10, 16


def render_text(
    table: pa.Table,
    *,
    total_rows: int | None = None,
    width: int | None = None,
    max_rows: int = 10,
    names_types: Sequence[tuple[str, str]] | None = None,
    title: str | None = None,
) -> str:
    """Draw a table with its types, its first and last rows, and a line that says what was left out.

    A null is the bare word `null`; a string that reads the same stands in quotes, as do empty strings and those
    with outer blanks or control characters. No line is wider than the terminal. The frame is drawn in ASCII
    where standard output can't encode the box-drawing characters.

    Args:
        table: the rows, or the first rows of a longer result.
        total_rows: rows of the whole result, if `table` only begins it.
        width: cells of a line, at least 20; that of the terminal by default, 80 where there is none.
        max_rows: rows shown.
        names_types: names and types to show instead of the table's own, one pair a column.
        title: a line above the table.

    Raises:
        ValueError: `names_types` does not have one pair a column.

    >>> print(render_text(pa.table({"origin": ["JFK", None], "delay": [2.5, 11.25]}), width=40))
    ┌────────┬─────────┐
    │ origin │   delay │
    │ string │ float64 │
    ├────────┼─────────┤
    │ JFK    │    2.50 │
    │ null   │   11.25 │
    └────────┴─────────┘
    2 rows × 2 columns
    """
    width = max(terminal_width() if width is None else width, _NARROWEST)
    glyphs = choose_glyphs(output_encoding())
    rows = choose_rows(table.num_rows, total_rows, max(max_rows, 0))
    names = header_names(table, names_types)

    def read(index: int) -> Column:
        header = (names[index], None if names_types is None else names_types[index][1])
        return _printable(read_column(table, index, header, rows, limit=width), glyphs)

    lines = [shorten(glyphs.clean(visible(title)), width, glyphs.ellipsis)] if title is not None else []
    if names:
        layout = _lay_out(len(names), read, width, glyphs)
        lines += _draw(layout, rows, glyphs)
        lines += _left_out_columns(layout, names, width, glyphs)
    lines += [glyphs.clean(line) for line in wrap(shape_line(rows, len(names)), width)]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Layout:
    """The columns that fit: some of the first, some of the last, and their widths in cells."""

    first: list[Column]
    last: list[Column]
    widths: list[int]
    hidden: range


def _printable(column: Column, glyphs: Glyphs) -> Column:
    if glyphs.encoding is None:
        return column
    values = [None if value is None else glyphs.clean(value) for value in column.values]
    return Column(glyphs.clean(column.name), glyphs.clean(column.type), values, column.numeric, column.flexible)


def _lay_out(count: int, read: Callable[[int], Column], width: int, glyphs: Glyphs) -> _Layout:
    """Take columns from both ends in turn as long as they fit at their least width, then widen them."""
    columns: dict[int, Column] = {}

    def least(index: int) -> int:
        if index not in columns:
            columns[index] = read(index)
        return _least_width(columns[index], width - _BORDER - _SEPARATOR)

    gap = len(glyphs.ellipsis) + _SEPARATOR
    room = width - _BORDER
    first, last = _take_from_both_ends(count, lambda index: least(index) + _SEPARATOR, room, gap)
    hidden = range(first, count - last)
    shown = [*range(first), *range(count - last, count)]
    if hidden:
        room -= gap
    floors = [min(least(index), room - _SEPARATOR) for index in shown]
    wishes = [_full_width(columns[index]) for index in shown]
    widths = _widen(floors, wishes, room - sum(floors) - _SEPARATOR * len(floors))
    kept = [columns[index] for index in shown]
    return _Layout(kept[:first], kept[first:], widths, hidden)


def _take_from_both_ends(count: int, cost: Callable[[int], int], room: int, gap: int) -> tuple[int, int]:
    """How many of the first and of the last columns fit, all of them or some beside a gap; at least the first."""
    costs: list[int] = []
    for index in range(count):
        costs.append(cost(index))
        if sum(costs) > room:
            break
    else:
        return count, 0
    first, last, used = 1, 0, gap + costs[0]
    open_front = open_back = True
    while (open_front or open_back) and first + last < count - 1:
        at_back = open_back and (last < first or not open_front)
        more = cost(count - 1 - last if at_back else first)
        if used + more > room:
            open_back, open_front = open_back and not at_back, open_front and at_back
            continue
        used += more
        first, last = (first, last + 1) if at_back else (first + 1, last)
    return first, last


def _least_width(column: Column, most: int) -> int:
    values = max((cells(NULL if value is None else value) for value in column.values), default=1)
    if column.flexible:
        values = min(values, _TEXT_FLOOR)
    header = max(min(cells(column.name), _HEADER_FLOOR), min(cells(column.type), _TYPE_FLOOR))
    return min(max(values, header), most)


def _full_width(column: Column) -> int:
    values = (cells(NULL if value is None else value) for value in column.values)
    return max(cells(column.name), cells(column.type), *values)


def _widen(floors: Sequence[int], wishes: Sequence[int], room: int) -> list[int]:
    """Share spare cells, first among those that want least, so that as many columns as possible are whole."""
    widths = list(floors)
    wanting = sorted((wish - floor, index) for index, (floor, wish) in enumerate(zip(floors, wishes, strict=True)))
    for place, (want, index) in enumerate(wanting):
        extra = min(max(want, 0), max(room, 0) // (len(wanting) - place))
        widths[index] += extra
        room -= extra
    return widths


def _draw(layout: _Layout, rows: RowWindow, glyphs: Glyphs) -> Iterator[str]:
    columns = [*layout.first, *layout.last]
    at = len(layout.first) if layout.hidden else None
    more = glyphs.ellipsis

    def line(texts: Sequence[str]) -> str:
        parts = [
            pad(shorten(text, width, more), width, right=column.numeric)
            for text, width, column in zip(texts, layout.widths, columns, strict=True)
        ]
        if at is not None:
            parts.insert(at, more)
        return f"{glyphs.bar} " + f" {glyphs.bar} ".join(parts) + f" {glyphs.bar}"

    def rule(shape: str) -> str:
        left, dash, crossing, right = list(shape)
        widths = list(layout.widths)
        if at is not None:
            widths.insert(at, len(more))
        return left + crossing.join(dash * (width + 2) for width in widths) + right

    yield rule(glyphs.top)
    yield line([column.name for column in columns])
    yield line([column.type for column in columns])
    yield rule(glyphs.middle)
    for row in range(rows.head):
        yield line([_text(column, row) for column in columns])
    if rows.has_gap:
        yield line([more] * len(columns))
    for row in range(rows.head, rows.shown):
        yield line([_text(column, row) for column in columns])
    yield rule(glyphs.bottom)


def _text(column: Column, row: int) -> str:
    value = column.values[row]
    return NULL if value is None else value


def _left_out_columns(layout: _Layout, names: Sequence[str], width: int, glyphs: Glyphs) -> list[str]:
    if not layout.hidden:
        return []
    prefix = f"… {count_of(len(layout.hidden), 'more column')}: "
    # A name takes at least a cell and its comma: more than `width` of them are never needed.
    listed = [visible(names[index]) for index in islice(layout.hidden, width)]
    line = list_names(prefix, listed, width, complete=len(listed) == len(layout.hidden))
    return [shorten(glyphs.clean(line), width, glyphs.ellipsis)]
