"""Which patterns that are constants are known to be sound, so that calls with them can raise nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lazyframe.planner import arrow

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar

_FOREIGN_GROUP = re.compile(r"\$(?:[0-9]|\{[0-9]\})")

Totality = Callable[["Sequence[Scalar]"], bool]


def constant_of(arg: Scalar) -> Any:
    """The Python value of a literal; None for null and for what is no literal."""
    from lazyframe.planner.scalars import Literal

    return arg.value.as_py() if isinstance(arg, Literal) else None


def sound_pattern(args: Sequence[Scalar]) -> bool:
    """Whether the second argument is a constant regular expression that RE2 takes."""
    pattern = constant_of(args[1])
    return isinstance(pattern, str) and regex_error(pattern) is None


def sound_replacement(args: Sequence[Scalar]) -> bool:
    """Whether the second and third arguments are a regular expression and a replacement that go together."""
    pattern, replacement = constant_of(args[1]), constant_of(args[2])
    return isinstance(pattern, str) and isinstance(replacement, str) and regex_error(pattern, replacement) is None


def not_negative(position: int) -> Totality:
    """Whether the argument there, if it is given, is a constant of 0 or more."""

    def total(args: Sequence[Scalar]) -> bool:
        value = constant_of(args[position]) if len(args) > position else 0
        return isinstance(value, int) and value >= 0

    return total


def one_character(position: int) -> Totality:
    """Whether the argument there, if it is given, is a constant of one character."""

    def total(args: Sequence[Scalar]) -> bool:
        value = constant_of(args[position]) if len(args) > position else " "
        return isinstance(value, str) and len(value) == 1

    return total


@lru_cache(maxsize=1024)
def regex_error(pattern: str, replacement: str | None = None) -> str | None:
    """Why RE2 does not take a pattern, or a replacement with it; None where it does."""
    from lazyframe.planner import arrow_compute as pc

    nothing = arrow.array([""])
    try:
        if replacement is None:
            pc.match_substring_regex(nothing, pattern)
        else:
            pc.replace_substring_regex(nothing, pattern, replacement)
    except pa.ArrowInvalid as error:
        return str(error).splitlines()[0].rpartition("Invalid regular expression: ")[2]
    return None


def foreign_group(pattern: str, replacement: str) -> str | None:
    r"""A group in a replacement as other tools write it, `$1` or `${1}`, where the pattern has groups.

    >>> foreign_group("(a)b", "$1!"), foreign_group("(?:a)b", "$1!"), foreign_group("(a)b", r"$\1")
    ('$1', None, None)
    """
    found = _FOREIGN_GROUP.search(replacement)
    has_groups = found is not None and regex_error(pattern) is None and regex_error(pattern, r"\1") is None
    return found[0] if found is not None and has_groups else None


ANY, ONE = object(), object()
"""Of a pattern of LIKE: a run of any characters, and any one character."""


@lru_cache(maxsize=1024)
def like_parts(pattern: str, escape: str = "") -> tuple[object, ...] | None:
    """A pattern of LIKE as texts, ANY and ONE; None where its escape character ends it.

    >>> like_parts("a#%b%", "#")[0]
    'a%b'
    """
    parts: list[object] = []
    text = ""
    characters = iter(pattern)
    for character in characters:
        if escape and character == escape:
            following = next(characters, None)
            if following is None:
                return None
            text += following
        elif character in "%_":
            if text:
                parts.append(text)
                text = ""
            if character == "_":
                parts.append(ONE)
            elif not parts or parts[-1] is not ANY:
                parts.append(ANY)
        else:
            text += character
    if text:
        parts.append(text)
    return tuple(parts)
