"""DESCRIBE, SUMMARIZE and SHOW TABLES where a query stands: in parentheses in FROM, or named by WITH."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

_WORDS = re.compile(r"\b(?:desc|describe|summarize|show)\b", re.IGNORECASE)


def descriptions(query: exp.Expr, text: str) -> Iterator[exp.Expr]:
    """The parts of a query that describe others, the innermost first. Each may be replaced before the next comes."""
    if not _WORDS.search(text):
        return
    for part in reversed(list(query.walk())):
        if isinstance(part, (exp.Describe, exp.Summarize)) or shows_tables(part):
            yield part


def shows_tables(part: exp.Expr) -> bool:
    """Whether it is a SHOW TABLES in parentheses, which is read as a table with an alias."""
    if not isinstance(part, exp.Table) or not isinstance(part.parent, exp.Subquery) or part.name.upper() != "SHOW":
        return False
    alias = part.args.get("alias")
    return isinstance(alias, exp.TableAlias) and alias.name.upper() == "TABLES" and not part.this.args.get("quoted")


def with_queries_around(query: exp.Expr, place: exp.Expr) -> exp.Expr:
    """A query that is bound by itself, with what WITH names where it stands.

    Args:
        query: what a description describes.
        place: the description.
    """
    found: list[exp.Expr] = []
    recursive = False
    inner, outer = place, place.parent
    while outer is not None:
        with_ = outer.args.get("with_")
        if isinstance(outer, exp.With):
            before = outer.expressions[: [each is inner for each in outer.expressions].index(True)]
            found, recursive = [*before, *found], recursive or bool(outer.args.get("recursive"))
        elif with_ is not None and with_ is not inner:
            found, recursive = [*with_.expressions, *found], recursive or bool(with_.args.get("recursive"))
        inner, outer = outer, outer.parent
    if not found:
        return query
    named = exp.With(expressions=[each.copy() for each in found], recursive=recursive)
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=exp.Subquery(this=query.copy())), with_=named)
