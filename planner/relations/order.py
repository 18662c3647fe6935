"""Order, and what depends on it."""

from __future__ import annotations

from lazyframe.planner.graph import node
from lazyframe.planner.relations.join import nullable
from lazyframe.planner.relations.plan import Plan, check_columns
from lazyframe.planner.scalars import Scalar, SortKey
from lazyframe.planner.schema import Schema


@node
class Sort(Plan):
    """The rows in the order of the keys; rows with equal keys keep their order."""

    input: Plan
    keys: tuple[Scalar, ...]

    def derive_schema(self) -> Schema:
        return _check_keys(self.input.schema, self.keys)


@node
class TopK(Plan):
    """The first `count` rows of a sort, after leaving out `offset`.

    Where `gives` is a name, scans below know under it what the first key of a row must be to come among them.
    """

    input: Plan
    keys: tuple[Scalar, ...]
    count: int
    offset: int = 0
    gives: str = ""

    def derive_schema(self) -> Schema:
        return _check_keys(self.input.schema, self.keys)


@node
class Limit(Plan):
    """`count` rows (all where None) after the first `offset`."""

    input: Plan
    count: int | None
    offset: int = 0

    def derive_schema(self) -> Schema:
        assert self.count is None or self.count >= 0
        assert self.offset >= 0
        return self.input.schema


@node
class Tail(Plan):
    """The last `count` rows."""

    input: Plan
    count: int

    def derive_schema(self) -> Schema:
        assert self.count >= 0
        return self.input.schema


@node
class Reverse(Plan):
    """The rows from the last to the first."""

    input: Plan

    def derive_schema(self) -> Schema:
        return self.input.schema


@node
class Shift(Plan):
    """Every value moved down by `count` rows (up where negative); the rows that open are null."""

    input: Plan
    count: int

    def derive_schema(self) -> Schema:
        return nullable(self.input.schema)


@node
class Interpolate(Plan):
    """Nulls of the float columns `columns` between two values lie on the line between them."""

    input: Plan
    columns: tuple[str, ...]

    def derive_schema(self) -> Schema:
        return self.input.schema


def _check_keys(schema: Schema, keys: tuple[Scalar, ...]) -> Schema:
    for key in keys:
        assert isinstance(key, SortKey)
        check_columns(key, schema)
    return schema
