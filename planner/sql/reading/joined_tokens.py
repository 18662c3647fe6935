"""Tokens with no space between them: constants that sqlglot takes apart or runs together, and names that run into numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from lazyframe.planner.errors import SqlSyntaxError
from lazyframe.planner.sql.reading.positions import text_site

_RUNS = re.compile(r"""\d\.?[^\W\d]|x['"$]""", re.IGNORECASE)
"""What is part of every text in which a number runs into a name, or an x stands before a text."""

_GROUPED = re.compile(r"(?:_\d+)+")

_TERM = re.compile(r"(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]")

_SIGNS = {"+": TokenType.PLUS, "-": TokenType.DASH}


def joined(tokens: Sequence[Token], text: str, dialect: str) -> list[Token]:
    """The tokens with `x'6162'` and `1_000` as one each, `1e3+1` as three, and PostgreSQL's `0x1F` as the number that it is.

    Raises:
        SqlSyntaxError: where a name follows a number with no space between them, as in `12abc`, which would be read as an alias.
    """
    if _RUNS.search(text) is None:
        return list(tokens)
    found: list[Token] = []
    for written in _terms(tokens, text):
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


def _terms(tokens: Sequence[Token], text: str) -> Iterator[Token]:
    """The tokens with `1e3+2e3` as three: behind an exponent sqlglot takes a sign and what follows it for more of the number."""
    read = 0
    for token in tokens:
        if token.start < read:
            continue
        if token.token_type is not TokenType.NUMBER or not ("+" in token.text or "-" in token.text):
            yield token
            continue
        parts: list[Token] = []
        read = token.start
        while read <= token.end and (part := _TERM.match(text, read)) is not None:
            kind = _SIGNS.get(part[0], TokenType.NUMBER)
            parts.append(Token(kind, part[0].replace("_", ""), token.line, token.col, read, part.end() - 1))
            read = part.end()
        if read <= token.end:
            # A suffix such as Spark's `1e-3d`, which is a cast: its tokens have the same place.
            parts, read = [token], 0
        yield from parts


def _one(kind: TokenType, text: str, first: Token, last: Token) -> Token:
    return Token(kind, text, first.line, first.col, first.start, last.end)


__all__ = ["joined"]
