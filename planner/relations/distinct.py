"""Dropping duplicates."""

from __future__ import annotations

from lazyframe.planner.graph import node
from lazyframe.planner.relations.plan import Plan
from lazyframe.planner.schema import Schema


@node
class Distinct(Plan):
    """One row for each different tuple of the columns `subset`.

    `keep` says which: the `first`, the `last`, or `none` of those that occur more than once. Input order is kept.
    """

    input: Plan
    subset: tuple[str, ...]
    keep: str = "first"

    def derive_schema(self) -> Schema:
        assert self.keep in ("first", "last", "none")
        for name in self.subset:
            self.input.schema.field(name)
        return self.input.schema
