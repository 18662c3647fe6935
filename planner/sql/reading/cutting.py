"""Cutting a text into its statements, and EXPLAIN off a query: sqlglot reads it as a command, and the rest as one string."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from lazyframe.planner.errors import SqlSyntaxError, UnsupportedError
from lazyframe.planner.site import TextSite
from lazyframe.planner.sql.reading.parse import parse
from lazyframe.planner.sql.reading.positions import text_site
from lazyframe.planner.sql.reading.tokenized import tokenized


class Piece(NamedTuple):
    """One statement.

    Attributes:
        text: what the parser reads: EXPLAIN is blanked.
        start: where it begins in the whole text.
        explain: whether its EXPLAIN says ANALYZE and VERBOSE; None where it has none.
    """

    text: str
    start: int
    explain: tuple[bool, bool] | None


_EXPLAIN = re.compile(r"\bexplain\b", re.IGNORECASE)
_WORDS = re.compile(r"\s*(?:(analyze|analyse|verbose)\b|\(([^()]*)\)(?=\s*\w))", re.IGNORECASE)
_NOT_BLANK = re.compile(r"[^\n]")


def pieces(text: str, dialect: str) -> list[Piece]:
    """The statements of a text.

    Raises:
        SqlSyntaxError: where there is none, or EXPLAIN stands without one.
        UnsupportedError: for what EXPLAIN may not be asked.
    """
    explains = _EXPLAIN.search(text) is not None
    if not explains and ";" not in text.rstrip().rstrip(";"):
        return [Piece(text, 0, None)]
    explained: dict[int, tuple[bool, bool]] = {}
    blanked = text
    while True:
        tokens = tokens_of(blanked, dialect)
        command = _explain(tokens)
        if command is None:
            break
        end, flags = _explain_options(text, command)
        explained[command.start] = flags
        blanked = blanked[: command.start] + _blank(blanked[command.start : end]) + blanked[end:]
    borders = [token.start for token in tokens if token.token_type is TokenType.SEMICOLON]
    starts = [token.start for token in tokens]
    found = []
    for start, end in zip([0, *[border + 1 for border in borders]], [*borders, len(text)], strict=True):
        flags_here = [flags for place, flags in explained.items() if start <= place < end]
        if bisect_left(starts, start) == bisect_left(starts, end):
            if flags_here:
                raise SqlSyntaxError("EXPLAIN needs a query", site=_site_of(text, explained, start, end))
            continue
        if len(flags_here) > 1:
            raise SqlSyntaxError("EXPLAIN stands twice", site=_site_of(text, explained, start, end))
        found.append(Piece(blanked[start:end], start, flags_here[0] if flags_here else None))
    if not found:
        raise SqlSyntaxError("there is no statement in the SQL")
    return found


def tokens_of(text: str, dialect: str) -> Sequence[Token]:
    try:
        return tokenized(Dialect.get_or_raise(dialect), text)
    except (SqlglotError, ValueError):
        parse(text, dialect)  # raises the error of ours
        raise


def _explain(tokens: Sequence[Token]) -> Token | None:
    """The first EXPLAIN at the beginning of a statement. MySQL takes it for another word for DESCRIBE."""
    begins = True
    for token in tokens:
        if begins and token.text.upper() == "EXPLAIN" and token.token_type in (TokenType.COMMAND, TokenType.DESCRIBE):
            return token
        begins = token.token_type is TokenType.SEMICOLON
    return None


def _explain_options(text: str, command: Token) -> tuple[int, tuple[bool, bool]]:
    """Where the query of an EXPLAIN begins, and whether it says ANALYZE and VERBOSE."""
    end = command.end + 1
    given: set[str] = set()
    while (match := _WORDS.match(text, end)) is not None:
        words = [match[1]] if match[1] else match[2].split(",")
        first = match.start(1 if match[1] else 2)
        if not match[1] and any(len(word.split()) != 1 for word in words):
            # A query in parentheses, or an option with a value.
            if re.match(r"\s*(select|with|from|values|explain|table|pivot|unpivot|\()", match[2], re.IGNORECASE):
                break
            raise UnsupportedError(
                f"EXPLAIN ({match[2].strip()}) is not supported",
                hint="write EXPLAIN, EXPLAIN ANALYZE or EXPLAIN VERBOSE",
                site=text_site(text, first, first + max(len(match[2]), 1) - 1),
            )
        for word in words:
            option = word.strip().upper().replace("ANALYSE", "ANALYZE")
            if option not in ("ANALYZE", "VERBOSE"):
                raise UnsupportedError(
                    f"EXPLAIN ({option}) is not supported",
                    hint="write EXPLAIN, EXPLAIN ANALYZE or EXPLAIN VERBOSE",
                    site=text_site(text, first, first + max(len(word), 1) - 1),
                )
            given.add(option)
        end = match.end()
    return end, ("ANALYZE" in given, "VERBOSE" in given)


def _site_of(text: str, explained: Mapping[int, tuple[bool, bool]], start: int, end: int) -> TextSite:
    place = max(place for place in explained if start <= place < end)
    return text_site(text, place, place + len("explain") - 1)


def _blank(text: str) -> str:
    return _NOT_BLANK.sub(" ", text)


__all__ = ["Piece", "pieces", "tokens_of"]
