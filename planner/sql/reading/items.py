"""Where the items of SELECT lists stand in a text: the tree has no places of operators, brackets and keywords."""

from __future__ import annotations

from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import TokenType

from lazyframe.planner.sql.reading.tokenized import tokenized

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_ENDING = frozenset(
    {
        TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.QUALIFY, TokenType.ORDER_BY,
        TokenType.LIMIT, TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.SEMICOLON, TokenType.WINDOW,
        TokenType.OFFSET, TokenType.FETCH,
    }
)  # fmt: skip
_LEADING = frozenset({TokenType.DISTINCT, TokenType.ALL})


def item_spans(text: str, dialect: str) -> list[tuple[int, int, str]]:
    """The first and last character of each item of each SELECT list in a text, and the item without its comments."""
    found: list[tuple[int, int, str]] = []
    open_lists: list[_List] = []
    depth = 0
    for token in tokenized(Dialect.get_or_raise(dialect), text):
        kind = token.token_type
        current = open_lists[-1] if open_lists else None
        if kind in _CLOSING:
            depth -= 1
            if current is not None and depth < current.depth:
                found += current.closed()
                open_lists.pop()
                current = open_lists[-1] if open_lists else None
        here = current is not None and depth == current.depth
        if here and current is not None and kind in _ENDING and not current.distinct_from:
            found += current.closed()
            open_lists.pop()
            current = None
        elif here and current is not None and kind == TokenType.COMMA:
            found += current.closed()
        elif kind == TokenType.SELECT:
            if current is not None:
                current.take(token.start, token.end)
            open_lists.append(_List(depth, text))
            continue
        elif current is not None and not (kind in _LEADING and current.start is None):
            current.take(token.start, token.end)
        if current is not None:
            # IS DISTINCT FROM ends no list.
            current.distinct_from = kind == TokenType.DISTINCT and current.start is not None
        if kind in _OPENING:
            depth += 1
    for each in open_lists:
        found += each.closed()
    return found


class _List:
    """A SELECT list being read: how deep it stands, and the item at hand."""

    def __init__(self, depth: int, text: str) -> None:
        self.depth = depth
        self.text = text
        self.parts: list[str] = []
        self.start: int | None = None
        self.end = 0
        self.distinct_from = False

    def take(self, start: int, end: int) -> None:
        if self.start is None:
            self.start = start
        elif start > self.end + 1:
            self.parts.append(" ")
        self.parts.append(self.text[start : end + 1])
        self.end = end

    def closed(self) -> list[tuple[int, int, str]]:
        """The item that ends here, if there is one."""
        span = [] if self.start is None else [(self.start, self.end, "".join(self.parts))]
        self.start = None
        self.parts = []
        return span


__all__ = ["item_spans"]
