"""A result as an HTML table for notebooks.

Everything is escaped and nothing needs trust: no script, no style sheet, only the style properties that
JupyterLab's sanitizer lets pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pyarrow as pa

from lazyframe.display.escaping import visible
from lazyframe.display.excerpt import Column, choose_rows, count_of, header_names, read_column, shape_line
from lazyframe.display.values import NULL

_LONGEST_VALUE = 120
_LISTED_NAMES = 20


def render_html(
    table: pa.Table,
    *,
    total_rows: int | None = None,
    max_rows: int = 10,
    max_columns: int = 30,
    names_types: Sequence[tuple[str, str]] | None = None,
) -> str:
    """Write a table with its types, its first and last rows and columns, and what was left out.

    Nulls carry the class `null` and are grey; strings look as in a terminal (see `render_text`).

    Args:
        table: the rows, or the first rows of a longer result.
        total_rows: rows of the whole result, if `table` only begins it.
        max_rows: rows shown.
        max_columns: columns shown.
        names_types: names and types to show instead of the table's own, one pair a column.

    Raises:
        ValueError: `names_types` does not have one pair a column.
    """
    rows = choose_rows(table.num_rows, total_rows, max(max_rows, 0))
    names = header_names(table, names_types)
    count = len(names)
    head, tail = count, 0
    if count > max(max_columns, 1):
        tail = max(max_columns, 1) // 2
        head = max(max_columns, 1) - tail
    hidden = names[head : count - tail]
    columns = [
        read_column(
            table,
            index,
            (names[index], None if names_types is None else names_types[index][1]),
            rows,
            limit=_LONGEST_VALUE,
        )
        for index in (*range(head), *range(count - tail, count))
    ]
    gap_at = head if hidden else None
    parts = ['<div class="lazyframe">']
    if columns:
        parts += ['<table class="dataframe">', "<thead>"]
        parts.append(_row([_header(column.name, column) for column in columns], gap_at, "th"))
        parts.append(_row([_header(column.type, column, "type") for column in columns], gap_at, "th"))
        parts += ["</thead>", "<tbody>"]
        parts += [_row([_cell(column, row) for column in columns], gap_at, "td") for row in range(rows.head)]
        if rows.has_gap:
            parts.append(_row([f"<td{_style(column)}>…</td>" for column in columns], gap_at, "td"))
        parts += [
            _row([_cell(column, row) for column in columns], gap_at, "td") for row in range(rows.head, rows.shown)
        ]
        parts += ["</tbody>", "</table>"]
    if hidden:
        listed = ", ".join(visible(name) for name in hidden[:_LISTED_NAMES])
        more = ", …" if len(hidden) > _LISTED_NAMES else ""
        parts.append(f"<p>… {count_of(len(hidden), 'more column')}: {escape(listed)}{more}</p>")
    parts += [f"<p>{escape(shape_line(rows, count))}</p>", "</div>"]
    return "\n".join(parts)


def _row(cells: list[str], gap_at: int | None, tag: str) -> str:
    if gap_at is not None:
        cells.insert(gap_at, f"<{tag}>…</{tag}>")
    return f"<tr>{''.join(cells)}</tr>"


def _style(column: Column, color: str = "") -> str:
    align = "right" if column.numeric else "left"
    return f' style="text-align: {align}{f"; color: {color}" if color else ""}"'


def _header(text: str, column: Column, kind: str = "") -> str:
    if kind:
        return f'<th class="{kind}"{_style(column, "#888888")}><small>{escape(text)}</small></th>'
    return f"<th{_style(column)}>{escape(text)}</th>"


def _cell(column: Column, row: int) -> str:
    value = column.values[row]
    if value is None:
        return f'<td class="null"{_style(column, "#888888")}>{NULL}</td>'
    return f"<td{_style(column)}>{escape(value)}</td>"
