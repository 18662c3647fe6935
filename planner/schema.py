"""A schema: the names, types and nullability that a plan promises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from lazyframe.planner.errors import DuplicateColumnError, column_not_found
from lazyframe.planner.site import AnySite
from lazyframe.planner.types import DataType, canonical, type_name


class Field(NamedTuple):
    """A column's name, its type, and whether it may hold nulls."""

    name: str
    dtype: DataType
    nullable: bool = True


class Schema:
    """An ordered, immutable mapping from column names to fields. No two columns share a name."""

    __slots__ = ("_arrow", "_fields", "columns")

    def __init__(self, fields: Iterable[Field]) -> None:
        fields = tuple(fields)
        self._fields: dict[str, Field] = {field[0]: field for field in fields}
        self._arrow: pa.Schema | None = None
        self.columns: dict[str, Any] = {}
        """The expressions that stand for its columns, made when they are first asked for (`relations/project.py`)."""
        if len(fields) != len(self._fields):
            names: set[str] = set()
            for field in fields:
                if field.name in names:
                    raise DuplicateColumnError(
                        f"two columns would be named {field.name!r}", hint="rename one with .alias(...)"
                    )
                names.add(field.name)

    @classmethod
    def from_arrow(cls, schema: pa.Schema) -> Schema:
        """The schema by which we know an Arrow schema."""
        return cls([Field(f.name, canonical(f.type), f.nullable) for f in schema])

    def beside(self, other: Schema) -> Schema:
        """The fields of both, which share no name."""
        found = Schema(())
        found._fields = {**self._fields, **other._fields}
        assert len(found) == len(self) + len(other), f"both have {sorted(self._fields.keys() & other._fields)}"
        return found

    def covers(self, names: frozenset[str]) -> bool:
        """Whether each of the names is that of a column."""
        return self._fields.keys() >= names

    def to_arrow(self) -> pa.Schema:
        if self._arrow is None:
            self._arrow = pa.schema([pa.field(*field) for field in self])
        return self._arrow

    @property
    def names(self) -> list[str]:
        return list(self._fields)

    @property
    def types(self) -> list[DataType]:
        return [f.dtype for f in self]

    def field(self, name: str, site: AnySite | None = None) -> Field:
        """The field of that name.

        Raises:
            ColumnNotFoundError: where there is none; offers the nearest names.
        """
        found = self._fields.get(name)
        if found is None:
            raise column_not_found(name, self._fields, site)
        return found

    def get(self, name: str) -> Field | None:
        return self._fields.get(name)

    def __getitem__(self, name: str) -> DataType:
        return self.field(name).dtype

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[Field]:
        return iter(self._fields.values())

    def __len__(self) -> int:
        return len(self._fields)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self._fields))

    def __repr__(self) -> str:
        width = max((len(f.name) for f in self), default=0)
        lines = [f"  {f.name:<{width}}  {type_name(f.dtype)}{'' if f.nullable else ' not null'}" for f in self]
        return "\n".join(["Schema", *lines])


Fresh = Callable[[str], str]
"""Makes a name like the one given, which nothing else has."""


def fresh_name(base: str, taken: Iterable[str] | Schema, number: int = 1) -> str:
    """A name like `base` that none of `taken` has.

    Args:
        base: what it is like.
        taken: the names there are.
        number: the first to try. Who makes thousands of names knows how many there are, and need not count anew for each.
    """
    if base not in taken:
        return base
    while f"{base}:{number}" in taken:
        number += 1
    return f"{base}:{number}"
