"""Tables in memory whose rows are others in each run of one plan: the values that are learned, the rows of a mini-batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.sources.memory import MemorySource
from lazyframe.executors.sources.sampling import TableSample
from lazyframe.executors.sources.source import ScanMetrics
from lazyframe.executors.sources.summary import Summary
from lazyframe.planner.schema import Schema
from lazyframe.planner.sources import Learned, Question, Statistics

if TYPE_CHECKING:
    from lazyframe.planner.cells import Cell
    from lazyframe.planner.scalars import Scalar


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


class LearnedSource(RenewedSource):
    """A table of which some columns are the elements of a parameter, and have the values that it has when the query runs.

    Args:
        table: the rows: a column of row numbers, and the others.
        learned: which of the columns are the parameter.
        schema: that of the rows.
    """

    def __init__(self, table: pa.Table, learned: Learned, schema: Schema) -> None:
        super().__init__(schema, float(table.num_rows), f"parameter table {learned.cell.name!r}")
        self.learned = learned
        self._table = table
        self._seen: np.ndarray | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return LearnedSource, (self._table, self.learned, self.schema)

    def statistics(self) -> Statistics:
        return Statistics(rows=self._rows, exact=True)

    def splits(self, columns: Sequence[str], predicate: Scalar | None, metrics: ScanMetrics | None = None) -> Any:
        cell: Cell = self.learned.cell
        if cell.value is not self._seen:
            table = self._table
            for number, name in enumerate(self.learned.columns):
                place = table.schema.get_field_index(name)
                table = table.set_column(place, table.schema.field(place), pa.array(cell.value[:, number]))
            self.renew(table)
            self._seen = cell.value
        return super().splits(columns, predicate, metrics)
