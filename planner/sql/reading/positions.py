"""Where in a SQL text something stands: kept as the piece of the tree, read only when an error is shown."""

from __future__ import annotations

import re

from sqlglot import exp

from lazyframe.planner.site import TextSite

_CALL = re.compile(r"(\w+)\s*\(\s*(?:distinct\s+)?\Z", re.IGNORECASE)
_OPERATORS: dict[type[exp.Expr], str] = {
    exp.Neg: "-",
    exp.Mod: "%",
    exp.Like: "LIKE",
    exp.ILike: "ILIKE",
    exp.BitwiseNot: "~",
}
_NAME = re.compile(r"\w+(?=\s*\()")
_PARENTHESIS = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|[()]")


class SqlSite:
    """A part of a statement. sqlglot notes where the names and literals of a tree began and ended in its text.

    One is made for each part that is bound: it is no dataclass, which takes four times as long to make when it is frozen.
    """

    __slots__ = ("text", "tree")

    def __init__(self, text: str, tree: exp.Expr) -> None:
        self.text = text
        self.tree = tree

    def describe(self) -> str:
        return self.located().describe()

    def called(self, function: str) -> str:
        """The function or operator as it is written here, for a function of ours that it stands for."""
        tree = self.tree
        operator = _OPERATORS.get(type(tree))
        if operator is not None:
            return repr(operator)
        if isinstance(tree, exp.Anonymous):
            return f"{tree.name.lower()}()"
        if not isinstance(tree, exp.Func) or isinstance(tree, (exp.Cast, exp.Case, exp.Connector)):
            return f"{function}()"
        names = tree.sql_names()
        own = tree._meta.get("start") if tree._meta else None
        if own is not None and (named := _NAME.match(self.text, own)):
            return f"{named[0].lower()}()"
        span = own_extent(tree)
        found = _CALL.search(self.text, 0, span[0]) if span is not None else None
        if found is not None and found[1].upper() not in names and _holds_call_at(tree, span):
            found = None
        return f"{(names[0] if found is None else found[1]).lower()}()"

    def located(self) -> TextSite:
        """The line and column of the part, and what to underline."""
        span = extent(self.tree)
        if span is None:
            # What is written without arguments, as current_user, leaves no place in the tree.
            words = "|".join(self.tree.sql_names()) if isinstance(self.tree, exp.Func) else ""
            found = list(re.finditer(rf"\b(?:{words})\b", self.text, re.IGNORECASE)) if words else []
            if len(found) != 1:
                return TextSite("SQL", 1)
            return text_site(self.text, found[0].start(), found[0].end() - 1)
        start = _opened(self.text, self.tree, span[0])
        return text_site(self.text, start, _closed(self.text, start, span[1]))


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


def _holds_call_at(tree: exp.Expr, span: tuple[int, int] | None) -> bool:
    """Whether a function inside a part begins where its first argument does, so that the name there may be its own."""
    if span is None:
        return False
    inner = [part for part in tree.walk() if part is not tree and isinstance(part, exp.Func)]
    return any((own := own_extent(part)) is not None and own[0] == span[0] for part in inner)


def _opened(text: str, tree: exp.Expr, start: int) -> int:
    """The start of a part with the names of the functions it begins with: of some the tree has no places."""
    for call in reversed(list(tree.walk())):
        if not isinstance(call, exp.Func):
            continue
        span = own_extent(call)
        found = _CALL.search(text, 0, start) if span is not None and span[0] >= start else None
        if found is not None and found[1].upper() in call.sql_names():
            start = found.start()
    return start


def _closed(text: str, start: int, end: int) -> int:
    """The end of a part with the parentheses that close it, of which the tree has no places."""
    depth = 0
    for found in _PARENTHESIS.finditer(text, start):
        if found.start() > end and depth <= 0:
            break
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if found.start() > end and depth == 0:
            return found.start()
    return end


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
