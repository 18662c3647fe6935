"""Computing over the rows around each row."""

from __future__ import annotations

from collections.abc import Mapping

from lazyframe.planner.graph import node
from lazyframe.planner.relations.plan import Plan, check_columns
from lazyframe.planner.scalars import Column, Scalar, WindowCall
from lazyframe.planner.schema import Field, Schema

RANKINGS = ("row_number", "rank", "dense_rank")
"""Functions that number the rows of a partition from its first, and do not see what comes after."""


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


@node
class PartitionTopK(Plan):
    """The rows whose place in their partition, by a ranking function `call`, is at most `count`. Input order is kept."""

    input: Plan
    call: Scalar
    count: int

    def derive_schema(self) -> Schema:
        assert isinstance(self.call, WindowCall)
        assert self.call.function in RANKINGS
        check_columns(self.call, self.input.schema)
        return self.input.schema
