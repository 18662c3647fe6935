"""Lineage as a table in a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lazyframe.display.glyphs import choose_glyphs, output_encoding
from lazyframe.display.width import terminal_width
from lazyframe.planner.lineage import ROLES, Origin

if TYPE_CHECKING:
    from lazyframe.lineage.lineage import Lineage

EVERY = "every column"
_MOST_LINES = 4


def rich_table(lineage: Lineage) -> Any:
    """A table of rich: each column of the result with its roles, and what holds for all of them once at the end."""
    from rich import box
    from rich.table import Table

    plain = choose_glyphs(output_encoding()).encoding == "ascii"
    table = Table(box=box.ASCII if plain else box.SIMPLE_HEAD, pad_edge=False)
    for title in ("column", "role", "from", "code"):
        table.add_column(title, overflow="fold")
    for row in rows(lineage):
        table.add_row(*row)
    return table


def rows(lineage: Lineage) -> list[tuple[Any, Any, Any, Any]]:
    """The cells of the table: rich texts, in which no bracket means anything."""
    from rich.text import Text

    common = set(lineage.common())
    found = []
    for name, column in lineage.items():
        own = [origin for origin in column.origins() if origin not in common]
        found += [(name, role, _named(own, role), column.code(role)) for role in ROLES if _named(own, role)]
        if not own:
            found.append((name, "", "", []))
    for column in list(lineage.values())[:1]:
        found += [(EVERY, role, _named(common, role), column.code(role)) for role in ROLES if _named(common, role)]
    cells = []
    last = ""
    for name, role, origins, code in found:
        shown = [str(line) for line in code[:_MOST_LINES]]
        shown += [f"and {len(code) - _MOST_LINES} more"] * (len(code) > _MOST_LINES)
        style = "italic" if name == EVERY else "bold"
        cells.append(
            (Text("" if name == last else name, style), Text(role), Text(origins), Text("\n".join(shown), "dim"))
        )
        last = name
    return cells


def _named(origins: Iterable[Origin], role: str) -> str:
    return "\n".join(sorted([f"{table}.{column}" for table, column, own in origins if own == role]))


def render(lineage: Lineage) -> str:
    """The table as text, as wide as the terminal."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=terminal_width(), color_system=None, force_terminal=False)
    console.print(rich_table(lineage))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join([line.rstrip() for line in text.splitlines() if line.strip()])


__all__ = ["EVERY", "render", "rich_table", "rows"]
