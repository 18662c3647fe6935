"""From text to sqlglot's trees, one a statement; mistakes of syntax become errors of ours."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from lazyframe.planner.errors import InvalidArgumentError, SqlSyntaxError, did_you_mean
from lazyframe.planner.sql.reading.arity import check_arguments, rename_calls
from lazyframe.planner.sql.reading.corrected_tokens import corrected
from lazyframe.planner.sql.reading.joined_tokens import joined
from lazyframe.planner.sql.reading.positions import text_site
from lazyframe.planner.sql.reading.tokenized import tokenized

DEFAULT_DIALECT = "duckdb"

_MAX_DEPTH = 200
"""How deep expressions and subqueries may be nested. The parser recurses, and its compiled form ends the process where the
stack does."""

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_UNARY = frozenset({TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.INTERVAL})
_CHAINED = frozenset({TokenType.DCOLON, TokenType.L_BRACKET, TokenType.DSTAR, TokenType.ARROW, TokenType.DARROW})
_UNCHAINED = frozenset(
    {
        TokenType.COMMA, TokenType.SEMICOLON, TokenType.L_PAREN, TokenType.DPIPE, TokenType.WHEN, TokenType.THEN,
        TokenType.ELSE, TokenType.SELECT, TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.ORDER_BY,
        TokenType.JOIN, TokenType.ON, *Parser.CONJUNCTION, *Parser.DISJUNCTION, *Parser.EQUALITY, *Parser.COMPARISON,
        *Parser.TERM, *Parser.FACTOR,
    }
)  # fmt: skip
"""Between operands of these, casts, subscripts, powers and arrows do not hang on each other."""


def parse(text: str, dialect: str = DEFAULT_DIALECT) -> list[exp.Expr]:
    """The statements of a text.

    Raises:
        SqlSyntaxError: with the place where reading stopped.
        InvalidArgumentError: where there is no such dialect, or no statement.
    """
    spoken = _dialect(dialect)
    try:
        tokens = joined(tokenized(spoken, text), text, dialect)
        _check_depth(tokens, text)
        _check_quotes(tokens, text)
        tokens = corrected(tokens, dialect)
        rename_calls(tokens, dialect)
        trees = _trees(spoken, tokens, text)
    except SqlSyntaxError:
        raise
    except ParseError as error:
        raise _syntax_error(error, text) from None
    except (SqlglotError, ValueError) as error:
        if (unclosed := _unclosed(text)) is not None:
            quote, start = unclosed
            what = {"'": "a text", '"': "a name", "`": "a name"}.get(quote, "a comment")
            raise SqlSyntaxError(
                f"SQL syntax: {what} that begins with {quote} does not end",
                hint=f"close it with {_CLOSED_BY.get(quote, quote)}",
                site=text_site(text, start, start),
            ) from None
        raise SqlSyntaxError(f"the SQL cannot be read: {_first_line(error)}") from None
    check_arguments(tokens, text, dialect)
    found = [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
    if not found:
        raise SqlSyntaxError("there is no statement in the SQL")
    return found


def _trees(spoken: Any, tokens: list[Token], text: str) -> list[exp.Expr | None]:
    try:
        return spoken.parser().parse(tokens, text)
    except (AttributeError, TypeError, LookupError):
        # Over some texts the parser stumbles, and does not know where.
        raise SqlSyntaxError(
            "SQL syntax: the SQL cannot be read", hint="a part of it is missing", site=text_site(text, 0, len(text) - 1)
        ) from None


def _dialect(name: str) -> Any:
    try:
        spoken = Dialect.get_or_raise(name)
    except ValueError:
        names = [known for known in Dialect.classes if known]
        raise InvalidArgumentError(f"there is no SQL dialect {name!r}", hint=did_you_mean(name, names)) from None
    # Positions in brackets stay as they are written: sqlglot counts some of them from 0, by types that it guesses.
    spoken.INDEX_OFFSET = 0
    return spoken


def first_position(dialect: str) -> int:
    """The position that the first item of a list has between brackets."""
    return int(type(Dialect.get_or_raise(dialect)).INDEX_OFFSET)


def _check_depth(tokens: list[Token], text: str) -> None:
    if len(tokens) <= _MAX_DEPTH:
        return
    depth = run = chain = 0
    for token in tokens:
        kind = token.token_type
        chain = chain + 1 if kind in _CHAINED else 0 if kind in _UNCHAINED else chain
        if kind in _OPENING:
            depth += 1
        elif kind in _CLOSING:
            depth -= 1
        run = run + 1 if kind in _UNARY else 0
        if max(depth, run, chain) > _MAX_DEPTH:
            raise SqlSyntaxError(
                f"the SQL is nested more than {_MAX_DEPTH} levels deep",
                hint="name inner queries in WITH, and write long lists with IN or VALUES",
                site=text_site(text, token.start, token.end),
            )


_CURLY = re.compile("[\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f]")


def _check_quotes(tokens: list[Token], text: str) -> None:
    """Refuse the quotes of word processors, which would be letters of a name, and those of other dialects."""
    if "`" not in text and _CURLY.search(text) is None:
        return
    for token in tokens:
        if token.token_type is TokenType.UNKNOWN and token.text == "`":
            raise SqlSyntaxError(
                "SQL syntax: ` is no quote in this dialect",
                hint="write names as \"name\", or give the dialect, such as dialect='mysql'",
                site=text_site(text, token.start, token.end),
            )
        if token.token_type is TokenType.VAR and (found := _CURLY.search(token.text)):
            raise SqlSyntaxError(
                f"SQL syntax: {found[0]} is no quote in SQL",
                hint="write straight ones: 'text' and \"name\"",
                site=text_site(text, token.start, token.end),
            )


_CLOSED_BY = {"/*": "*/"}
_QUOTED = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\$(\w*)\$.*?\$\1\$|--[^\n]*|/\*.*?\*/|(?P<open>['"`]|/\*)|[^'"`$/-]+|.""",
    re.DOTALL,
)


def _unclosed(text: str) -> tuple[str, int] | None:
    """The quote, or start of a comment, that nothing closes, and where it stands."""
    for found in _QUOTED.finditer(text):
        if found["open"]:
            return found["open"], found.start()
    return None


_TOKEN = re.compile(r"<Token token_type: [\w.]+, text: (.*?), line: \d+, .*?comments: \[.*?\]>", re.DOTALL)
_MISSING = re.compile(r"required keyword: '(\w+)' missing for <class '[\w.]*?(\w+)'>", re.IGNORECASE)


def _written(kind: str) -> str:
    """What a part of the tree is called in SQL."""
    known = getattr(exp, kind, None)
    if isinstance(known, type) and issubclass(known, exp.Func) and not issubclass(known, exp.Binary):
        return f"{known.sql_name().lower()}()"
    return kind.upper()


def _syntax_error(error: ParseError, text: str) -> SqlSyntaxError:
    details = error.errors[0] if error.errors else {}
    message = str(details.get("description") or _first_line(error)).rstrip(".")
    if missing := _MISSING.match(message):
        part = {"this": "what follows it", "expression": "its right side", "expressions": "its parts"}
        message = f"{_written(missing[2])} lacks {part.get(missing[1].lower(), missing[1])}"
    message = _TOKEN.sub(lambda token: "nothing" if token[1] == "SENTINEL" else repr(token[1]), message)
    message = (
        message[0].lower() + message[1:] if message and not message[:2].isupper() else message or "it cannot be read"
    )
    line, column, found = details.get("line"), details.get("col"), details.get("highlight") or ""
    if line is None or column is None:
        return SqlSyntaxError(f"SQL syntax: {message}")
    # sqlglot counts to the end of the token.
    lines = text.split("\n")
    start = sum(len(each) + 1 for each in lines[: line - 1]) + max(column - max(len(found), 1), 0)
    start = min(start, max(len(text) - 1, 0))
    shown = f", at {found!r}" if found else ""
    hint = _misspelt([*text[:start].split()[-4:], found])
    return SqlSyntaxError(
        f"SQL syntax: {message}{shown}", hint=hint, site=text_site(text, start, start + max(len(found), 1) - 1)
    )


_KEYWORDS = (
    "SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION", "INTERSECT", "EXCEPT", "JOIN", "DISTINCT",
    "BETWEEN", "QUALIFY", "WINDOW", "VALUES",
)  # fmt: skip


def _misspelt(words: list[str]) -> str | None:
    """What was meant, where one of the words before an error is like a keyword."""
    for word in reversed(words):
        upper = word.upper()
        if upper == "TOP":
            return "write LIMIT at the end of the query"
        if upper in ("GROUP", "ORDER"):
            return f"{upper} is followed by BY"
        likely = len(word) > 3 and word.isalpha() and not upper.startswith(_KEYWORDS)
        if likely and (close := get_close_matches(upper, _KEYWORDS, 1, 0.7)):
            return f"did you mean {close[0]} by {word!r}?"
    return None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


__all__ = ["DEFAULT_DIALECT", "first_position", "parse"]
