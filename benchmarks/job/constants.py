"""What the queries of the join-order benchmark compare columns with, read off their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import sqlglot
from sqlglot import exp

Constants = dict[tuple[str, str], list[str]]
"""By table and column, the texts that a predicate looks for, in the order in which they are first met."""


def constants(texts: Iterable[str]) -> Constants:
    """The constants of `=` and IN, and what fits the patterns of LIKE, where they are not negated.

    >>> constants(["SELECT 1 FROM title AS t WHERE t.title LIKE 'Kung%Panda%' AND t.kind_id = 7 AND t.title <> 'Saw'"])
    {('title', 'title'): ['Kung Panda']}
    """
    found: dict[tuple[str, str], dict[str, None]] = {}
    for text in texts:
        tree = sqlglot.parse_one(text, dialect="duckdb")
        tables = {table.alias_or_name: table.name for table in tree.find_all(exp.Table)}
        for column, value in _compared(tree):
            found.setdefault((tables[column.table], column.name), {})[value] = None
    return {key: list(values) for key, values in found.items()}


def _compared(tree: exp.Expression) -> Iterator[tuple[exp.Column, str]]:
    for node in tree.find_all(exp.EQ, exp.In, exp.Like):
        column = node.this
        is_negated = node.args.get("negate") or isinstance(node.parent, exp.Not)  # by the release of sqlglot
        if not isinstance(column, exp.Column) or is_negated:
            continue
        for literal in node.expressions if isinstance(node, exp.In) else [node.expression]:
            if isinstance(literal, exp.Literal) and literal.is_string:
                yield column, fitting(literal.this) if isinstance(node, exp.Like) else literal.this


def fitting(pattern: str) -> str:
    """A text that a pattern of LIKE fits.

    >>> fitting("%Downey%Robert%"), fitting("Saw%")
    ('Downey Robert', 'Saw')
    """
    return " ".join(filter(None, pattern.split("%")))
