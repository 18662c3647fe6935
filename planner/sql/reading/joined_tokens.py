"""Tokens with no space between them: constants that sqlglot takes apart, and names that run into numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from lazyframe.planner.errors import SqlSyntaxError
from lazyframe.planner.sql.reading.positions import text_site

_RUNS = re.compile(r"""\d\.?[^\W\d]|x['"$]""", re.IGNORECASE)
"""What is part of every text in which a number runs into a name, or an x stands before a text."""

_GROUPED = re.compile(r"(?:_\d+)+")


def joined(tokens: Sequence[Token], text: str, dialect: str) -> list[Token]:
    """The tokens with `x'6162'` and `1_000` as one each, and with PostgreSQL's `0x1F` as the number that it is.

    Raises:
        SqlSyntaxError: where a name follows a number with no space between them, as in `12abc`, which would be read as an alias.
    """
    if _RUNS.search(text) is None:
        return list(tokens)
    found: list[Token] = []
    for written in tokens:
        token = written
        before = found[-1] if found else None
        if token.token_type is TokenType.HEX_STRING and dialect == "postgres" and text[token.start] == "0":
            token = Token(TokenType.NUMBER, str(int(token.text, 16)), token.line, token.col, token.start, token.end)
        if before is None or token.start != before.end + 1:
            found.append(token)
        elif before.token_type is TokenType.VAR and before.text in ("x", "X") and token.token_type is TokenType.STRING:
            found[-1] = _one(TokenType.HEX_STRING, token.text, before, token)
        elif before.token_type is TokenType.NUMBER and token.token_type is TokenType.VAR:
            if len(found) > 1 and found[-2].token_type is TokenType.DOT:
                found.append(token)
            elif _GROUPED.fullmatch(token.text):
                found[-1] = _one(TokenType.NUMBER, before.text + token.text.replace("_", ""), before, token)
            else:
                raise SqlSyntaxError(
                    f"SQL syntax: the number {before.text} runs into the name {token.text!r}",
                    hint="put a space or AS between them; whole numbers are written in decimal digits",
                    site=text_site(text, before.start, token.end),
                )
        else:
            found.append(token)
    return found


def _one(kind: TokenType, text: str, first: Token, last: Token) -> Token:
    return Token(kind, text, first.line, first.col, first.start, last.end)


__all__ = ["joined"]
