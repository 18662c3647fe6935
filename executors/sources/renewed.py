"""Tables in memory whose rows are others in each run of one plan: the values that are learned, the rows of a mini-batch."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lazyframe.executors.sources.memory import MemorySource
from lazyframe.executors.sources.sampling import TableSample
from lazyframe.executors.sources.summary import Summary
from lazyframe.planner.schema import Schema
from lazyframe.planner.sources import Question, Statistics


class RenewedSource(MemorySource):
    """A table that stays itself while its rows change, so that what was planned for some serves the others.

    Nothing is said of its rows that the next ones could make wrong.

    Args:
        schema: of all rows that it will ever have.
        rows: about how many it has.
        name: what messages and `explain()` call it.
    """

    def __init__(self, schema: Schema, rows: float, name: str) -> None:
        super().__init__(schema.to_arrow().empty_table(), name, schema)
        self._rows = rows

    def renew(self, table: pa.Table) -> None:
        """Have other rows from the next run on. Columns that no plan reads may be missing."""
        self._table = table
        self.__dict__.pop("_parts", None)

    def statistics(self) -> Statistics:
        return Statistics(rows=self._rows)

    def summary(self, questions: Sequence[Question], schema: Schema) -> Summary | None:
        return None

    def sample(self) -> TableSample | None:
        return None
