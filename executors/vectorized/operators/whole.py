"""Operators that need all rows at once: reverse, shift, interpolate, side by side, and Python functions of tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch, concat_arrays, decoded
from lazyframe.executors.pipeline import Batches, Pipeline, Source
from lazyframe.executors.vectorized.operators.collect import Collect, all_rows, evened
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.relations import Interpolate, Reverse, Shift
from lazyframe.planner.schema import Schema


def reverse_rows(plan: Reverse) -> Collect:
    def then(batches: list[Batch]) -> list[Batch]:
        return [batch.take(np.arange(batch.length - 1, -1, -1)) for batch in reversed(batches)]

    return Collect(plan.schema, then)


def shift_rows(plan: Shift) -> Collect:
    """All values moved down, with nulls where rows open."""

    def then(batches: list[Batch]) -> list[Batch]:
        rows = all_rows(batches, plan.schema)
        indices = np.arange(rows.length) - plan.count
        outside = (indices < 0) | (indices >= rows.length)
        return [rows.take(arrow.array(indices, mask=outside))]

    return Collect(plan.schema, then)


def interpolate_rows(plan: Interpolate) -> Collect:
    """Nulls between two values on the line between them; those before the first and after the last stay."""

    def then(batches: list[Batch]) -> list[Batch]:
        rows = all_rows(batches, plan.schema)
        columns = dict(rows.columns)
        for name in plan.columns:
            columns[name] = _on_lines(columns[name])
        return [Batch(columns, rows.length)]

    return Collect(plan.schema, then)


def _on_lines(column: pa.Array) -> pa.Array:
    valid = arrow.numpy_of(column.is_valid())
    known = np.flatnonzero(valid)
    if column.null_count == 0 or len(known) < 2:
        return column
    values = arrow.numpy_of(pc.fill_null(column, 0.0)).astype(np.float64)
    inside = np.zeros(len(column), dtype=bool)
    inside[known[0] : known[-1] + 1] = True
    open_rows = np.flatnonzero(inside & ~valid)
    values[open_rows] = np.interp(open_rows, known, values[known])
    return arrow.array(values, pa.float64(), mask=~inside).cast(column.type)


def beside(pipelines: Sequence[Pipeline], schema: Schema) -> Callable[[], Source]:
    """The rows of several tables side by side; shorter ones are filled up with nulls."""

    def compute() -> Source:
        tables = [all_rows(pipeline.batches(), pipeline.schema) for pipeline in pipelines]
        length = max(table.length for table in tables)
        columns = {}
        for table in tables:
            for name, column in table.columns.items():
                dtype = schema[name]
                filler = [pa.nulls(length - table.length, dtype)] if table.length < length else []
                columns[name] = concat_arrays([decoded(column, dtype), *filler], dtype)
        return Batches(evened([Batch({f.name: columns[f.name] for f in schema}, length)], schema))

    return compute
