"""The options of COPY: their values, and their places, which the tree does not keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lazyframe.planner.errors import InvalidArgumentError, LazyFrameError
from lazyframe.planner.sql.reading.cutting import tokens_of
from lazyframe.planner.sql.reading.positions import SqlSite

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})


def copy_options(tree: exp.Copy, text: str, start: int, dialect: str) -> Mapping[str, tuple[Any, exp.Expr]]:
    """The options by their names in capitals: the value, and the part of the tree, which knows its place from now on.

    Args:
        tree: the statement.
        text: the whole text.
        start: where the statement begins in it.
        dialect: of the text.

    Raises:
        InvalidArgumentError: for an option that is given twice, or whose value is no plain one.
    """
    given = tree.args.get("params") or []
    if not given:
        return {}
    target = tree.args["files"][0].meta.get("end")
    spans = [] if target is None else _spans(text, start, target, dialect)
    found: dict[str, tuple[Any, exp.Expr]] = {}
    for option, span in zip(given, spans, strict=False):
        option.meta.update(start=span[0], end=span[1])
    for option in given:
        name = option.name.upper()
        if name in found:
            raise InvalidArgumentError(f"the option {name} is given twice", site=SqlSite(text, option))
        if option.expressions and option.args.get("expression") is None:
            value: Any = [_value(part, option, text) for part in option.expressions]
        else:
            value = True if option.expression is None else _value(option.expression, option, text)
        found[name] = (value, option)
    return found


def _spans(text: str, start: int, target: int, dialect: str) -> list[tuple[int, int]]:
    """The first and last character of each option behind the name of the file."""
    found: list[tuple[int, int]] = []
    first = last = -1
    depth = 0
    for token in tokens_of(text[start:], dialect):
        begin, kind = token.start + start, token.token_type
        if begin <= target:
            continue
        if kind is TokenType.SEMICOLON or (kind in _CLOSING and depth == 0):
            break
        if first < 0 and (kind is TokenType.WITH or (kind is TokenType.L_PAREN and not found)):
            continue  # the parentheses of all options
        if kind is TokenType.COMMA and depth == 0:
            found.append((first, last))
            first = -1
            continue
        depth += (kind in _OPENING) - (kind in _CLOSING)
        first, last = (begin if first < 0 else first), token.end + start
    return [*found, (first, last)] if first >= 0 else found


def _value(tree: exp.Expr, option: exp.Expr, text: str) -> Any:
    """A text or name, number, truth value, or a list of them."""
    match tree:
        case exp.Tuple() | exp.Array():
            return [_value(part, option, text) for part in tree.expressions]
        case exp.Paren():
            return [_value(tree.this, option, text)]
        case exp.Boolean():
            return bool(tree.this)
        case exp.Literal() if not tree.is_string:
            return int(tree.this) if tree.this.isdecimal() else float(tree.this)
        case exp.Literal() | exp.Var() | exp.Identifier():
            return _word(tree.name)
        case exp.Column() if len(tree.parts) == 1:
            return _word(tree.name)
        case exp.Star():
            return "*"
    error: LazyFrameError = InvalidArgumentError("an option takes a plain value here", site=SqlSite(text, option))
    raise error


def _word(text: str) -> str | bool:
    return {"true": True, "false": False}.get(text.lower(), text)


__all__ = ["copy_options"]
