"""Selectors: sets of columns by name, pattern or type, combined with `|`, `&`, `-` and `~`.

Example:
    >>> import lazyframe.selectors as cs
    >>> df = lf.from_dict({"a": [1], "b": [2.5], "c": ["x"]})
    >>> df.select(cs.numeric() - cs.by_name("a")).columns
    ['b']
"""

from __future__ import annotations

import re
from typing import Any

from lazyframe.boundary import public
from lazyframe.checks import wanted_type
from lazyframe.expr import Expr
from lazyframe.functions import checked_pattern
from lazyframe.planner.selection import (
    ByKind,
    ByName,
    ByPattern,
    ByPosition,
    ByType,
    Combined,
    Everything,
    Selection,
)
from lazyframe.planner.unbound import Many


class Selector(Expr):
    """A set of columns. It is also an expression: what is done with it is done with each column."""

    __slots__ = ("_selection",)
    __hash__ = object.__hash__  # it can be a key of cast({...}), where it stands for itself

    def __init__(self, selection: Selection) -> None:
        super().__init__(Many(selection))
        self._selection = selection

    def __or__(self, other: Any) -> Expr:
        return self._combine("|", other) if isinstance(other, Selector) else super().__or__(other)

    def __and__(self, other: Any) -> Expr:
        return self._combine("&", other) if isinstance(other, Selector) else super().__and__(other)

    def __sub__(self, other: Any) -> Expr:
        return self._combine("-", other) if isinstance(other, Selector) else super().__sub__(other)

    def __invert__(self) -> Expr:
        return Selector(Combined("-", Everything(), self._selection))

    def _combine(self, operator: str, other: Selector) -> Selector:
        return Selector(Combined(operator, self._selection, other._selection))


@public
def all() -> Selector:
    """All columns."""
    return Selector(Everything())


@public
def by_name(*names: str) -> Selector:
    """The columns of these names, in this order."""
    return Selector(ByName(names))


@public
def by_dtype(*types: Any) -> Selector:
    """The columns of these types."""
    return Selector(ByType(tuple([wanted_type(t) for t in types])))


@public
def matches(pattern: str) -> Selector:
    """The columns in whose names a regular expression is found."""
    return Selector(ByPattern(checked_pattern(pattern)))


@public
def starts_with(*prefixes: str) -> Selector:
    """The columns whose names start with one of the prefixes."""
    return Selector(ByPattern("^(" + "|".join(map(re.escape, prefixes)) + ")"))


@public
def ends_with(*suffixes: str) -> Selector:
    """The columns whose names end with one of the suffixes."""
    return Selector(ByPattern("(" + "|".join(map(re.escape, suffixes)) + ")$"))


@public
def contains(*parts: str) -> Selector:
    """The columns whose names contain one of the parts."""
    return Selector(ByPattern("|".join(map(re.escape, parts))))


@public
def first() -> Selector:
    """The first column."""
    return Selector(ByPosition(0))


@public
def last() -> Selector:
    """The last column."""
    return Selector(ByPosition(-1))


def numeric() -> Selector:
    """All columns of numbers."""
    return _kind("numeric")


def integer() -> Selector:
    """All columns of integers."""
    return _kind("integer")


def float() -> Selector:
    """All columns of floats."""
    return _kind("float")


def decimal() -> Selector:
    """All columns of decimals."""
    return _kind("decimal")


def string() -> Selector:
    """All columns of strings."""
    return _kind("string")


def binary() -> Selector:
    """All columns of bytes."""
    return _kind("binary")


def boolean() -> Selector:
    """All columns of truth values."""
    return _kind("boolean")


def temporal() -> Selector:
    """All columns of dates, times, timestamps and durations."""
    return _kind("temporal")


def date() -> Selector:
    """All columns of dates."""
    return _kind("date")


def datetime() -> Selector:
    """All columns of timestamps."""
    return _kind("datetime")


def duration() -> Selector:
    """All columns of durations."""
    return _kind("duration")


def nested() -> Selector:
    """All columns of lists, structs and maps."""
    return _kind("nested")


@public
def _kind(kind: str) -> Selector:
    return Selector(ByKind(kind))
