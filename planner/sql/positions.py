"""Where in a SQL text something stands: kept as the piece of the tree, read only when an error is shown."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from lazyframe.planner.site import TextSite


@dataclass(frozen=True, slots=True, eq=False)
class SqlSite:
    """A part of a statement. sqlglot notes where the names and literals of a tree began and ended in its text."""

    text: str
    tree: exp.Expr

    def describe(self) -> str:
        return self.located().describe()

    def located(self) -> TextSite:
        """The line and column of the part, and what to underline."""
        span = extent(self.tree)
        return text_site(self.text, span[0], _closed(self.text, *span)) if span is not None else TextSite("SQL", 1)


def own_extent(tree: exp.Expr) -> tuple[int, int] | None:
    """The first and last character of the names and literals in a part of a tree; None where it has none."""
    starts, ends = [], []
    for part in tree.walk():
        meta = part._meta
        if meta and "start" in meta:
            starts.append(meta["start"])
            ends.append(meta["end"])
    return (min(starts), max(ends)) if starts else None


def extent(tree: exp.Expr) -> tuple[int, int] | None:
    """The first and last character of a part of a tree; of what stands around it where it has no place of its own."""
    current: exp.Expr | None = tree
    while current is not None:
        if (found := own_extent(current)) is not None:
            return found
        current = current.parent
    return None


def _closed(text: str, start: int, end: int) -> int:
    """The end of a part with the parentheses that close it, of which the tree has no places."""
    part = text[start : end + 1]
    opened = part.count("(") - part.count(")")
    closed = end
    for place in range(end + 1, len(text)):
        if opened <= 0 or not (text[place] == ")" or text[place].isspace()):
            break
        if text[place] == ")":
            opened -= 1
            closed = place
    return closed


def text_site(text: str, start: int, end: int) -> TextSite:
    """The place of the characters from `start` to `end`, both included; of their first line where they have several."""
    before = text.rfind("\n", 0, start) + 1
    after = text.find("\n", start)
    line = text[before : after if after >= 0 else len(text)]
    # A tab is as wide as a space where the line is shown.
    shown = line.replace("\t", " ").rstrip("\r")
    length = min(end + 1, before + len(line)) - start
    return TextSite("SQL", text.count("\n", 0, start) + 1, start - before + 1, shown, max(length, 1))


__all__ = ["SqlSite", "extent", "own_extent", "text_site"]
