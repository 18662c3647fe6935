"""The user's own code in a plan, and results that are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazyframe.planner.graph import node
from lazyframe.planner.relations.plan import Plan
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.types import DataType


@node
class MapBatches(Plan):
    """A Python function from an Arrow table to one of the declared columns.

    It is called for each batch where `streaming`, else once for all rows.
    """

    input: Plan
    function: Callable[..., Any]
    columns: tuple[tuple[str, DataType, bool], ...]
    streaming: bool = False

    def derive_schema(self) -> Schema:
        return Schema([Field(*column) for column in self.columns])


@node
class Cache(Plan):
    """The rows of the input, computed by the first query that needs them and kept as long as the frame lives."""

    input: Plan
    slot: Any

    def derive_schema(self) -> Schema:
        return self.input.schema
