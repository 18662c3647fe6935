"""Rows written in the query."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from lazyframe.planner.graph import node
from lazyframe.planner.relations.plan import Plan
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.types import canonical


@node
class Values(Plan):
    """`count` constant rows. Without columns and with one row it is what SELECT without FROM reads."""

    columns: tuple[tuple[str, pa.Array], ...]
    count: int

    def derive_schema(self) -> Schema:
        assert self.count >= 0
        for name, array in self.columns:
            assert len(array) == self.count, f"column {name!r} has {len(array)} of {self.count} rows"
            assert array.type == canonical(array.type), f"column {name!r} is laid out as {array.type}"
        return Schema([Field(name, array.type, array.null_count > 0) for name, array in self.columns])


ONE_ROW = Values((), 1)
"""One row of no columns."""


def values(columns: Iterable[tuple[str, pa.Array]], count: int) -> Values:
    """Constant rows of arrays in whatever layout.

    Args:
        columns: names and arrays, each of length `count`.
        count: how many rows there are.

    Raises:
        ValueError: where an array has a type that this engine does not know.
    """
    plain = []
    for name, array in columns:
        dtype = canonical(array.type)
        plain.append((name, array if array.type == dtype else array.cast(dtype)))
    return Values(tuple(plain), count)
