"""Which columns of a frame are meant: by name, pattern or type, with set algebra."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lazyframe.planner.errors import column_not_found
from lazyframe.planner.types import (
    DataType,
    is_binary,
    is_bool,
    is_date,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_nested,
    is_numeric,
    is_string,
    is_temporal,
    is_time,
    is_timestamp,
    token,
)

KINDS = {
    "numeric": is_numeric,
    "integer": is_integer,
    "float": is_float,
    "decimal": is_decimal,
    "string": is_string,
    "binary": is_binary,
    "boolean": is_bool,
    "temporal": is_temporal,
    "date": is_date,
    "datetime": is_timestamp,
    "time": is_time,
    "duration": is_duration,
    "nested": is_nested,
}


@dataclass(frozen=True, slots=True)
class Selection:
    """A set of columns, in the order of the frame (or, where written out by name, in that order)."""

    def names(self, columns: Sequence[str], types: Mapping[str, DataType]) -> list[str]:
        """The columns it finds in a frame.

        Raises:
            ColumnNotFoundError: where a name that was written out is not there.
        """
        raise AssertionError("abstract")

    def identity(self) -> tuple[object, ...]:
        raise AssertionError("abstract")


@dataclass(frozen=True, slots=True)
class ByName(Selection):
    wanted: tuple[str, ...]

    def names(self, columns: Sequence[str], types: Mapping[str, DataType]) -> list[str]:
        for name in self.wanted:
            if name not in types:
                raise column_not_found(name, columns)
        return list(self.wanted)

    def identity(self) -> tuple[object, ...]:
        return ("names", *self.wanted)


@dataclass(frozen=True, slots=True)
class ByPattern(Selection):
    """Names in which a regular expression is found."""

    pattern: str

    def names(self, columns: Sequence[str], types: Mapping[str, DataType]) -> list[str]:
        compiled = re.compile(self.pattern)
        return [name for name in columns if compiled.search(name)]

    def identity(self) -> tuple[object, ...]:
        return ("pattern", self.pattern)


@dataclass(frozen=True, slots=True)
class ByKind(Selection):
    """All columns of a kind of type."""

    kind: str

    def names(self, columns: Sequence[str], types: Mapping[str, DataType]) -> list[str]:
        test = KINDS[self.kind]
        return [name for name in columns if test(types[name])]

    def identity(self) -> tuple[object, ...]:
        return ("kind", self.kind)


@dataclass(frozen=True, slots=True)
class ByType(Selection):
    """All columns of just these types."""

    types: tuple[DataType, ...]

    def names(self, columns: Sequence[str], types: Mapping[str, DataType]) -> list[str]:
        return [name for name in columns if types[name] in self.types]

    def identity(self) -> tuple[object, ...]:
        return ("types", *[token(t) for t in self.types])


@dataclass(frozen=True, slots=True)
class Everything(Selection):
    def names(self, columns: Sequence[str], types: Mapping[str, DataType]) -> list[str]:
        return list(columns)

    def identity(self) -> tuple[object, ...]:
        return ("all",)


@dataclass(frozen=True, slots=True)
class ByPosition(Selection):
    """The first or the last column."""

    index: int

    def names(self, columns: Sequence[str], types: Mapping[str, DataType]) -> list[str]:
        return [columns[self.index]] if columns else []

    def identity(self) -> tuple[object, ...]:
        return ("position", self.index)


@dataclass(frozen=True, slots=True)
class Combined(Selection):
    """Set algebra of two selections: `|`, `&` or `-`. What is not a list of names keeps the frame's order."""

    operator: str
    left: Selection
    right: Selection

    def names(self, columns: Sequence[str], types: Mapping[str, DataType]) -> list[str]:
        left = self.left.names(columns, types)
        right = self.right.names(columns, types)
        if self.operator == "|":
            both = {*left, *right}
            return [name for name in columns if name in both]
        other = set(right)
        return [name for name in left if (name in other) == (self.operator == "&")]

    def identity(self) -> tuple[object, ...]:
        return (self.operator, self.left.identity(), self.right.identity())
