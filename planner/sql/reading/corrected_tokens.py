"""Tokens put so that sqlglot reads what is meant, where it would read something else or nothing."""

from __future__ import annotations

import re
from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_TYPES = frozenset(
    {
        TokenType.DATE, TokenType.TIME, TokenType.TIMETZ, TokenType.TIMESTAMP, TokenType.TIMESTAMPTZ, TokenType.TIMESTAMPNTZ,
        TokenType.TIMESTAMPLTZ, TokenType.DATETIME, TokenType.DECIMAL, TokenType.INT, TokenType.BIGINT, TokenType.SMALLINT,
        TokenType.TINYINT, TokenType.DOUBLE, TokenType.FLOAT, TokenType.VARCHAR, TokenType.TEXT, TokenType.BOOLEAN,
    }
)  # fmt: skip
_ONE_UNIT = re.compile(r"\s*[-+]?\d+(\.\d+)?\s*([a-zA-Z]+\s*)?")


def corrected(tokens: list[Token], dialect: str) -> list[Token]:
    """The tokens of a text, with what they mean put in the way of sqlglot's parser."""
    kinds = {token.token_type for token in tokens}
    if TokenType.VALUES in kinds:
        _rename_values(tokens)
    if TokenType.COLON in kinds and dialect == "duckdb":
        _mark_parameters(tokens)
    if TokenType.TABLE in kinds and dialect == "duckdb":
        _tables_as_from(tokens)
    if TokenType.INTERVAL in kinds:
        tokens = _intervals_as_casts(tokens)
    if TokenType.DCOLON in kinds or TokenType.INTERVAL in kinds:
        tokens = _literals_before_casts(tokens)
    return _pivot_as_source(tokens)


def _made(kind: TokenType, text: str, place: Token) -> Token:
    return Token(kind, text, place.line, place.col, place.start, place.end)


def _rename_values(tokens: list[Token]) -> None:
    """VALUES as a name where no row follows."""
    for token, following in pairwise(tokens):
        if token.token_type == TokenType.VALUES and following.token_type != TokenType.L_PAREN:
            token.token_type = TokenType.VAR
    if tokens and tokens[-1].token_type == TokenType.VALUES:
        tokens[-1].token_type = TokenType.VAR


def _mark_parameters(tokens: list[Token]) -> None:
    """`:name` as `$name`, outside of brackets: in front of an alias it is not read as a parameter."""
    brackets: list[TokenType] = []
    for index, token in enumerate(tokens):
        kind = token.token_type
        if kind in (TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.L_PAREN):
            brackets.append(kind)
        elif kind in (TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.R_PAREN) and brackets:
            brackets.pop()
        elif (
            kind == TokenType.COLON
            and 0 < index < len(tokens) - 1
            and (not brackets or brackets[-1] == TokenType.L_PAREN)
        ):
            before, after = tokens[index - 1], tokens[index + 1]
            apart = before.end < token.start - 1 or before.token_type in (TokenType.L_PAREN, TokenType.COMMA)
            if apart and after.token_type == TokenType.VAR and after.start == token.end + 1:
                tokens[index] = _made(TokenType.PARAMETER, "$", token)


_BEFORE_QUERIES = frozenset(
    {
        TokenType.L_PAREN,
        TokenType.UNION,
        TokenType.ALL,
        TokenType.INTERSECT,
        TokenType.EXCEPT,
        TokenType.ALIAS,
        TokenType.SEMICOLON,
    }
)


def _tables_as_from(tokens: list[Token]) -> None:
    """`TABLE t` as `FROM t`: releases of sqlglot read no clauses behind the first."""
    for index, token in enumerate(tokens[:-1]):
        named = tokens[index + 1].token_type in (TokenType.VAR, TokenType.IDENTIFIER)
        if (
            token.token_type == TokenType.TABLE
            and named
            and (not index or tokens[index - 1].token_type in _BEFORE_QUERIES)
        ):
            tokens[index] = _made(TokenType.FROM, "FROM", token)


def _intervals_as_casts(tokens: list[Token]) -> list[Token]:
    """INTERVAL '1 day 02:03:04' as CAST('1 day 02:03:04' AS INTERVAL): of several parts only the first would be read."""
    found: list[Token] = []
    skipped = False
    for index, token in enumerate(tokens):
        if skipped:
            skipped = False
            continue
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if (
            token.token_type == TokenType.INTERVAL
            and following is not None
            and following.token_type == TokenType.STRING
            and not _ONE_UNIT.fullmatch(following.text)
            and not _is_unit(tokens[index + 2] if index + 2 < len(tokens) else None)
        ):
            place = following
            found += [_made(TokenType.VAR, "CAST", token), _made(TokenType.L_PAREN, "(", token), following]
            found += [_made(TokenType.ALIAS, "AS", place), token, _made(TokenType.R_PAREN, ")", place)]
            skipped = True
        else:
            found.append(token)
    return found


_UNITS = re.compile(
    r"(millenni|centur|decade|year|quarter|month|week|day|hour|minute|second|millisecond|microsecond|nanosecond)\w*",
    re.IGNORECASE,
)


def _is_unit(token: Token | None) -> bool:
    return token is not None and token.token_type != TokenType.STRING and _UNITS.fullmatch(token.text) is not None


def _literals_before_casts(tokens: list[Token]) -> list[Token]:
    """DATE '...'::VARCHAR with parentheses around the literal: the text alone would be cast."""
    if not any([token.token_type == TokenType.DCOLON for token in tokens]):
        return tokens
    found: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        end = _literal_end(tokens, index) if token.token_type in _TYPES else None
        if end is not None and end + 1 < len(tokens) and tokens[end + 1].token_type == TokenType.DCOLON:
            found += [
                _made(TokenType.L_PAREN, "(", token), *tokens[index : end + 1], _made(TokenType.R_PAREN, ")", tokens[end])
            ]  # fmt: skip
            index = end + 1
        else:
            found.append(token)
            index += 1
    return found


def _literal_end(tokens: list[Token], index: int) -> int | None:
    """Where a literal of a type that stands there ends: `DATE '...'`, `DECIMAL(10, 2) '...'`."""
    place = index + 1
    if place < len(tokens) and tokens[place].token_type == TokenType.L_PAREN:
        while place < len(tokens) and tokens[place].token_type != TokenType.R_PAREN:
            place += 1
        place += 1
    return place if place < len(tokens) and tokens[place].token_type == TokenType.STRING else None


def _pivot_as_source(tokens: list[Token]) -> list[Token]:
    """A PIVOT or UNPIVOT with an ORDER BY or LIMIT behind it, which is not read, as FROM (PIVOT ...) ORDER BY ..."""
    if not tokens or tokens[0].token_type not in (TokenType.PIVOT, TokenType.UNPIVOT):
        return tokens
    depth = 0
    for index, token in enumerate(tokens):
        kind = token.token_type
        depth += (kind in _OPENING) - (kind in _CLOSING)
        if depth == 0 and kind in (TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET):
            opening = [_made(TokenType.FROM, "FROM", tokens[0]), _made(TokenType.L_PAREN, "(", tokens[0])]
            return [*opening, *tokens[:index], _made(TokenType.R_PAREN, ")", token), *tokens[index:]]
    return tokens


__all__ = ["corrected"]
