"""Grouping."""

from __future__ import annotations

from collections.abc import Mapping

from lazyframe.planner.graph import node
from lazyframe.planner.relations.plan import Plan, check_columns
from lazyframe.planner.scalars import AggregateCall, Scalar
from lazyframe.planner.schema import Field, Schema


@node
class Aggregate(Plan):
    """One row for each group of equal keys, in order of first appearance, with the values of the aggregates.

    Without keys there is one row, also over no rows.
    """

    input: Plan
    keys: tuple[tuple[str, Scalar], ...]
    aggregates: tuple[tuple[str, Scalar], ...]

    def derive_schema(self) -> Schema:
        outputs = (*self.keys, *self.aggregates)
        for _, scalar in outputs:
            check_columns(scalar, self.input.schema)
        assert all([isinstance(a, AggregateCall) for _, a in self.aggregates])
        return Schema([Field(name, s.dtype, s.nullable) for name, s in outputs])

    @property
    def bindings(self) -> Mapping[str, Scalar]:
        return dict((*self.keys, *self.aggregates))
