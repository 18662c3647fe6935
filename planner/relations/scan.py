"""Reading a table."""

from __future__ import annotations

from lazyframe.planner.graph import node
from lazyframe.planner.relations.plan import Plan, check_predicate
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.schema import Schema
from lazyframe.planner.sources import TableSource


@node
class Scan(Plan):
    """The rows of a source for which `predicate` is true, with the columns named.

    `columns` are what it gives; the predicate may use others. `limit` is a promise that no more rows will be asked for.
    """

    source: TableSource
    columns: tuple[str, ...]
    predicate: Scalar | None = None
    limit: int | None = None

    def derive_schema(self) -> Schema:
        if self.predicate is not None:
            check_predicate(self.predicate, self.source.schema)
        schema = self.source.schema
        if len(self.columns) == len(schema) and self.columns == tuple(schema.names):
            return schema
        return Schema([schema.field(name) for name in self.columns])


def scan(source: TableSource) -> Scan:
    """All of a source."""
    return Scan(source, tuple(source.schema.names))
