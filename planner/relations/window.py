"""Computing over the rows around each row."""

from __future__ import annotations

from collections.abc import Mapping

from lazyframe.planner.graph import node
from lazyframe.planner.relations.plan import Plan, check_columns
from lazyframe.planner.scalars import Column, Scalar, WindowCall
from lazyframe.planner.schema import Field, Schema


@node
class Window(Plan):
    """The rows as they are, and after their columns one for each window function. Input order is kept."""

    input: Plan
    calls: tuple[tuple[str, Scalar], ...]

    def derive_schema(self) -> Schema:
        for _, call in self.calls:
            check_columns(call, self.input.schema)
        assert all([isinstance(call, WindowCall) for _, call in self.calls])
        return Schema([*self.input.schema, *[Field(name, call.dtype, call.nullable) for name, call in self.calls]])

    @property
    def bindings(self) -> Mapping[str, Scalar]:
        passing = {f.name: Column(f.name, f.dtype, f.nullable) for f in self.input.schema}
        return {**passing, **dict(self.calls)}
