"""Texts of lists and structs read by a cast: `'[1, 2]'::int[]`, `'{a: 1, b: x}'::struct(a int, b varchar)`."""

from __future__ import annotations

import re
from collections.abc import Callable

from lazyframe.planner import arrow
from lazyframe.planner.bind import call
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.literals import literal
from lazyframe.planner.scalars import Literal, Scalar, null_of
from lazyframe.planner.types import DataType, is_list, is_struct

_QUOTED = re.compile(r"""\s*(?:'((?:[^'\\]|\\.|'')*)'|"((?:[^"\\]|\\.|"")*)")\s*""", re.DOTALL)
_BARE = re.compile(r"[^\[\]{},:'\"]+")
_WORD = re.compile(r"[^\[\]{},'\"]+")

Convert = Callable[[Scalar, DataType], Scalar]


def is_nested_text(to: DataType) -> bool:
    """Whether constants of text are read as values of the type here."""
    return is_list(to) or is_struct(to)


def read_nested(text: str, to: DataType, convert: Convert) -> Scalar:
    """The list or struct that a text writes; `convert` reads the texts of its items as their types.

    Raises:
        InvalidArgumentError: where it is none.
    """
    value, end = _value(text, 0, to, convert)
    if text[end:].strip():
        raise _unreadable(text)
    return value


def _value(text: str, start: int, to: DataType, convert: Convert) -> tuple[Scalar, int]:
    """The value that begins there, and where it ends."""
    start = _past_space(text, start)
    if text[start : start + 4].upper() == "NULL" and not text[start + 4 : start + 5].isalnum():
        return null_of(to), _past_space(text, start + 4)
    if is_list(to):
        return _list(text, start, to, convert)
    if is_struct(to):
        return _struct(text, start, to, convert)
    if m := _QUOTED.match(text, start):
        return convert(literal(_unquoted(m)), to), m.end()
    m = _WORD.match(text, start)
    if m is None or not m[0].strip():
        raise _unreadable(text)
    return convert(literal(m[0].strip()), to), m.end()


def _list(text: str, start: int, to: DataType, convert: Convert) -> tuple[Scalar, int]:
    items: list[Scalar] = []
    place = _opened(text, start, "[")
    if text[place : place + 1] == "]":
        return Literal(arrow.scalar([], to)), _past_space(text, place + 1)
    while True:
        item, place = _value(text, place, to.value_type, convert)
        items.append(item)
        place, more = _following(text, place, "]")
        if not more:
            return call("make_list", *items), place


def _struct(text: str, start: int, to: DataType, convert: Convert) -> tuple[Scalar, int]:
    """Fields that are not written are null."""
    names = {field.name.casefold(): field for field in to}
    found: dict[str, Scalar] = {}
    place = _opened(text, start, "{")
    more = text[place : place + 1] != "}"
    if not more:
        place = _past_space(text, place + 1)
    while more:
        m = _QUOTED.match(text, place) or _BARE.match(text, place)
        name = "" if m is None else _unquoted(m) if m.re is _QUOTED else m[0].strip()
        field = names.get(name.casefold())
        if m is None or field is None or field.name in found or text[m.end() : m.end() + 1] != ":":
            raise _unreadable(text)
        found[field.name], place = _value(text, m.end() + 1, field.type, convert)
        place, more = _following(text, place, "}")
    parts = [found.get(field.name, null_of(field.type)) for field in to]
    return call("make_struct", *parts, names=tuple([field.name for field in to])), place


def _opened(text: str, start: int, bracket: str) -> int:
    if text[start : start + 1] != bracket:
        raise _unreadable(text)
    return _past_space(text, start + 1)


def _following(text: str, place: int, bracket: str) -> tuple[int, bool]:
    """Where it goes on behind an item, and whether another one follows."""
    place = _past_space(text, place)
    mark = text[place : place + 1]
    if mark not in (",", bracket) or not mark:
        raise _unreadable(text)
    return _past_space(text, place + 1), mark == ","


def _past_space(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _unquoted(m: re.Match[str]) -> str:
    quote, inner = ("'", m[1]) if m[1] is not None else ('"', m[2])
    return re.sub(r"\\(.)", r"\1", inner.replace(quote * 2, quote), flags=re.DOTALL)


def _unreadable(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"no list or struct is written in {text!r}", hint="write it as '[1, 2]' or '{a: 1, b: x}'"
    )


__all__ = ["is_nested_text", "read_nested"]
