"""Rows made of rows."""

from __future__ import annotations

from lazyframe.planner.graph import node
from lazyframe.planner.relations.plan import Plan
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.types import INT64, STRING


@node
class Explode(Plan):
    """A row for each item of the lists in `columns`: for the first items of all, then for the second ones, and so on.

    Of a row whose lists are all empty or null there is one row with nulls where `keep_empty`, else none. The column
    `ordinality` counts the items of a row from 1; it comes last. Where lists of a row differ in length, shorter ones are
    filled up with nulls; with `equal_lengths` that is an error.
    """

    input: Plan
    columns: tuple[str, ...]
    keep_empty: bool = True
    ordinality: str | None = None
    equal_lengths: bool = False

    def derive_schema(self) -> Schema:
        fields = [Field(f.name, f.dtype.value_type, True) if f.name in self.columns else f for f in self.input.schema]
        if self.ordinality is not None:
            fields.append(Field(self.ordinality, INT64, self.keep_empty))
        return Schema(fields)


@node
class Unpivot(Plan):
    """For each row one row a column of `on`, with its name and its value. All of `on` have one type.

    Without `keep_nulls` those whose value is null are left out.
    """

    input: Plan
    on: tuple[str, ...]
    index: tuple[str, ...]
    variable_name: str
    value_name: str
    keep_nulls: bool = True

    def derive_schema(self) -> Schema:
        schema = self.input.schema
        values = [schema.field(name) for name in self.on]
        assert len({f.dtype for f in values}) == 1
        return Schema(
            [
                *[schema.field(name) for name in self.index],
                Field(self.variable_name, STRING, False),
                Field(self.value_name, values[0].dtype, self.keep_nulls and any(f.nullable for f in values)),
            ]
        )


@node
class RowIndex(Plan):
    """The rows with their number before them, counted from `start`."""

    input: Plan
    name: str
    start: int = 0

    def derive_schema(self) -> Schema:
        return Schema([Field(self.name, INT64, False), *self.input.schema])


@node
class Sample(Plan):
    """Rows drawn at random by `seed`: `count` of them, or each with the chance `fraction`. Input order is kept."""

    input: Plan
    count: int | None
    fraction: float | None
    seed: int
    with_replacement: bool = False

    def derive_schema(self) -> Schema:
        assert (self.count is None) != (self.fraction is None)
        return self.input.schema
