"""Tables put together, and sets of rows."""

from __future__ import annotations

from collections.abc import Mapping

from lazyframe.planner.graph import node
from lazyframe.planner.relations.join import nullable
from lazyframe.planner.relations.plan import Plan
from lazyframe.planner.scalars import Column, Scalar
from lazyframe.planner.schema import Field, Schema


@node
class Union(Plan):
    """The rows of all inputs, one after the other. They have the same names and types."""

    inputs: tuple[Plan, ...]

    def derive_schema(self) -> Schema:
        return _merged([child.schema for child in self.inputs])


@node
class SetOperation(Plan):
    """The rows of `left` that also stand (`intersect`) or do not stand (`except`) in `right`.

    Each different row once; with `keep_duplicates` as often as in both, or as there are more of it on the left.
    """

    left: Plan
    right: Plan
    kind: str
    keep_duplicates: bool = False

    def derive_schema(self) -> Schema:
        assert self.kind in ("intersect", "except")
        _merged([self.left.schema, self.right.schema])
        return self.left.schema

    @property
    def bindings(self) -> Mapping[str, Scalar]:
        return {field.name: Column(field.name, field.dtype, field.nullable) for field in self.left.schema}


@node
class HorizontalConcat(Plan):
    """The inputs side by side, row by row. Shorter ones are filled up with nulls."""

    inputs: tuple[Plan, ...]

    def derive_schema(self) -> Schema:
        return Schema([field for child in self.inputs for field in nullable(child.schema)])


def _merged(schemas: list[Schema]) -> Schema:
    first, *others = schemas
    for other in others:
        assert (other.names, other.types) == (first.names, first.types), f"{other} is not like {first}"
    return Schema([Field(f.name, f.dtype, any(s.field(f.name).nullable for s in schemas)) for f in first])
