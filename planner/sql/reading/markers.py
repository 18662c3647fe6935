"""Places of parameters in the text, which the parser does not keep, and the numbers of those that are written `?`."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.sql.reading.cutting import tokens_of
from lazyframe.planner.sql.reading.parse import parse


def numbered(trees: list[exp.Expr], text: str, dialect: str, first: int) -> tuple[list[exp.Expr], int]:
    """Trees in which each `?` has a number, and the number that comes next.

    Args:
        trees: what was read from the text.
        text: the statements.
        dialect: of the text.
        first: the number of the first `?`.

    Raises:
        UnsupportedError: where `?` stands for something else too, or beside numbers that are written.
    """
    if "?" not in text:
        return trees, first
    found = [mark for tree in trees for mark in tree.find_all(exp.Placeholder, exp.Parameter)]
    bare = [mark for mark in found if not mark.this]
    if not bare:
        return trees, first
    marks = [token for token in tokens_of(text, dialect) if token.token_type is TokenType.PLACEHOLDER]
    if len(marks) != len(bare) or any([mark.this and mark.name.isdecimal() for mark in found]):
        raise UnsupportedError(
            "? stands beside other parameters, or for an operator", hint="write $1, $2, ... for all parameters"
        )
    if len(bare) == 1:
        _place(bare[0], str(first), marks[0].start, marks[0].end)
        return trees, first + 1
    # The parser is given numbers, and then the places in its trees are those of the text without them again.
    written = [f" {'$' if dialect == 'duckdb' else ':'}{number} " for number in range(first, first + len(marks))]
    longer, ends, last, added = [], [], 0, 0
    for mark, number in zip(marks, written, strict=True):
        longer += [text[last : mark.start], number]
        added += len(number) - 1
        ends.append((mark.start + added, added))
        last = mark.end + 1
    trees = parse("".join([*longer, text[last:]]), dialect)
    for tree in trees:
        for part in tree.walk():
            meta = part._meta
            if meta and "start" in meta:
                for key in ("start", "end"):
                    meta[key] -= max([more for end, more in ends if end < meta[key]], default=0)
            if isinstance(part, (exp.Placeholder, exp.Parameter)) and part.name.isdecimal():
                mark = marks[int(part.name) - first]
                _place(part, part.name, mark.start, mark.end)
    return trees, first + len(marks)


def located(trees: list[exp.Expr], text: str, dialect: str) -> None:
    """Note in the trees where the parameters with names stand; those that are used more than once stay as they are."""
    if _SIGN.search(text) is None:
        return
    marks = [mark for tree in trees for mark in tree.find_all(exp.Placeholder, exp.Parameter) if mark.name]
    names = Counter([mark.name for mark in marks])
    if not names:
        return
    tokens = tokens_of(text, dialect)
    places: dict[str, list[tuple[int, int]]] = {}
    for before, token in pairwise(tokens):
        if before.token_type in _SIGNS and token.text in names:
            places.setdefault(token.text, []).append((before.start, token.end))
    for mark in marks:
        if names[mark.name] == 1 and len(places.get(mark.name, ())) == 1:
            start, end = places[mark.name][0]
            mark.meta.update(start=start, end=end)


_SIGN = re.compile(r"[$:@%]")
_SIGNS = frozenset({TokenType.PARAMETER, TokenType.COLON})


def _place(mark: exp.Expr, number: str, start: int, end: int) -> None:
    mark.set("this", number)
    mark.meta.update(start=start, end=end)


__all__ = ["located", "numbered"]
