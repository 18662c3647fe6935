"""Reading a table."""

from __future__ import annotations

from lazyframe.planner.graph import node
from lazyframe.planner.relations.plan import Plan, check_columns, check_predicate
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.schema import Schema
from lazyframe.planner.sources import TableSource


@node
class Scan(Plan):
    """The rows of a source for which `predicate` is true, with the columns named.

    `columns` are what it gives; the predicate may use others. `limit` is a promise that no more rows will be asked for.

    `filters` are values of its rows under names that joins and sorts above give away (`Join.gives`): of rows whose value does
    not stand among those that are given, any may be left out; of the names that are among `whole`, all or none. `thresholds`
    are columns under names that sorts above give away (`TopK.gives`): rows may be left out whose value comes behind that of
    the last row that the sort keeps so far.
    """

    source: TableSource
    columns: tuple[str, ...]
    predicate: Scalar | None = None
    limit: int | None = None
    filters: tuple[tuple[str, Scalar], ...] = ()
    thresholds: tuple[tuple[str, Scalar], ...] = ()
    whole: tuple[str, ...] = ()

    def derive_schema(self) -> Schema:
        if self.predicate is not None:
            check_predicate(self.predicate, self.source.schema)
        for _, value in (*self.filters, *self.thresholds):
            check_columns(value, self.source.schema)
        schema = self.source.schema
        if len(self.columns) == len(schema) and self.columns == tuple(schema.names):
            return schema
        return Schema([schema.field(name) for name in self.columns])


def scan(source: TableSource) -> Scan:
    """All of a source."""
    return Scan(source, tuple(source.schema.names))
