"""A query that has not run: its schema, its sources, and in notebooks its plan."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from lazyframe.display.escaping import visible
from lazyframe.display.excerpt import count_of
from lazyframe.display.glyphs import choose_glyphs, output_encoding
from lazyframe.display.width import cells, list_names, pad, shorten, terminal_width

_SHOWN_FIELDS = 30
_SHOWN_SOURCES = 3
_LONGEST_NAME = 40
_TYPE_FLOOR = 10
_NOT_NULL = "not null"
_LEFT = 'style="text-align: left"'


def render_schema_text(
    fields: Sequence[tuple[str, str, bool]], sources: Sequence[str], *, width: int | None = None
) -> str:
    """Describe a query by its columns and sources.

    Args:
        fields: name, type and whether it may be null, one triple a column.
        sources: names of what is read.
        width: cells of a line; that of the terminal by default.

    >>> print(render_schema_text([("year", "int32", True), ("origin", "string", False)], ["flights.parquet"]))
    LazyFrame (not run)  2 columns from flights.parquet
      year    int32
      origin  string  not null
    """
    width = max(terminal_width() if width is None else width, 20)
    glyphs = choose_glyphs(output_encoding())

    def fit(text: str, room: int) -> str:
        return shorten(glyphs.clean(text), room, glyphs.ellipsis)

    shown = [(visible(name), visible(dtype), nullable) for name, dtype, nullable in fields[:_SHOWN_FIELDS]]
    longest_name = min(_LONGEST_NAME, width // 2)
    names = [fit(name, longest_name) for name, _, _ in shown]
    name_width = max(map(cells, names), default=0)
    has_mark = not all(nullable for _, _, nullable in shown)
    room = width - name_width - 4
    if has_mark and room >= _TYPE_FLOOR + len(_NOT_NULL) + 2:
        room -= len(_NOT_NULL) + 2
    types = [fit(dtype, room) for _, dtype, _ in shown]
    type_width = max(map(cells, types), default=0)

    lines = [fit(f"LazyFrame (not run)  {count_of(len(fields), 'column')}{_from(sources)}", width)]
    for name, dtype, (_, _, nullable) in zip(names, types, shown, strict=True):
        mark = "" if nullable else _NOT_NULL
        line = f"  {pad(name, name_width, right=False)}  {pad(dtype, type_width, right=False)}  {mark}"
        lines.append(shorten(line.rstrip(" "), width, glyphs.ellipsis))
    if len(fields) > len(shown):
        # A name takes at least a cell and its comma: more than `width` of them are never needed.
        listed = fields[len(shown) : len(shown) + width]
        prefix = f"  … {len(fields) - len(shown):,} more: "
        complete = len(shown) + len(listed) == len(fields)
        lines.append(fit(list_names(prefix, [visible(name) for name, _, _ in listed], width, complete=complete), width))
    return "\n".join(lines)


def render_schema_html(
    fields: Sequence[tuple[str, str, bool]], sources: Sequence[str], hint: str, plan_text: str | None
) -> str:
    """Describe a query in a notebook: a strip of columns, the sources, what to call, the plan folded away.

    No scripts and no style sheets, so it looks the same in a notebook that is not trusted.

    Args:
        fields: name, type and whether it may be null, one triple a column.
        sources: names of what is read.
        hint: what the reader may call, as plain text.
        plan_text: the optimised plan, if it is to be shown.
    """
    shown = fields[:_SHOWN_FIELDS]
    names = [f"<th {_LEFT}>{_html(name)}</th>" for name, _, _ in shown]
    types = [f'<td class="type" {_LEFT}>{_html(dtype)}</td>' for _, dtype, _ in shown]
    nulls = [
        f'<td class="nullable" style="text-align: left; color: #888888">{"nullable" if nullable else _NOT_NULL}</td>'
        for _, _, nullable in shown
    ]
    if len(fields) > len(shown):
        names.append(f"<th {_LEFT}>… {len(fields) - len(shown):,} more</th>")
        types.append("<td></td>")
        nulls.append("<td></td>")
    parts = [
        '<div class="lazyframe">',
        f"<p><b>LazyFrame</b> (not run) {count_of(len(fields), 'column')}{escape(_from(sources))}</p>",
    ]
    if shown:
        parts += [
            '<table class="dataframe">',
            f"<thead><tr>{''.join(names)}</tr></thead>",
            f"<tbody><tr>{''.join(types)}</tr>",
            f"<tr>{''.join(nulls)}</tr></tbody>",
            "</table>",
        ]
    if hint:
        parts.append(f"<p>{_html(hint)}</p>")
    if plan_text is not None:
        parts.append(f"<details><summary>Optimised plan</summary><pre>{escape(plan_text)}</pre></details>")
    parts.append("</div>")
    return "\n".join(parts)


def _html(text: str) -> str:
    return escape(visible(text))


def _from(sources: Sequence[str]) -> str:
    if not sources:
        return ""
    named = ", ".join(visible(source) for source in sources[:_SHOWN_SOURCES])
    beyond = len(sources) - _SHOWN_SOURCES
    return f" from {named} and {beyond:,} more" if beyond > 0 else f" from {named}"
