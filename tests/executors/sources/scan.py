"""Read a source the way the executor does, and hold what it counted."""

from __future__ import annotations

import pyarrow as pa

from lazyframe.executors.sources.source import MORSEL_ROWS
from lazyframe.executors.sources.source import ScanMetrics as Metrics


def batches(source, columns=None, predicate=None, metrics=None):
    columns = source.schema.names if columns is None else columns
    metrics = metrics or Metrics()
    found = []
    for split in source.splits(columns, predicate, metrics):
        for batch in split.read(metrics):
            assert list(batch.columns) == list(columns)
            assert 0 < batch.length <= MORSEL_ROWS
            assert all(len(array) == batch.length for array in batch.columns.values())
            found.append(batch)
    return found


def read(source, columns=None, predicate=None, metrics=None):
    """All rows of a source as a table with exactly the schema that it promises."""
    schema = source.schema
    if columns is not None:
        schema = type(schema)([source.schema.field(name) for name in columns])
    parts = [batch.to_arrow(schema) for batch in batches(source, columns, predicate, metrics)]
    for part in parts:
        part.validate(full=True)
        for field, column in zip(schema, part.columns, strict=True):
            assert field.nullable or column.null_count == 0
    return pa.Table.from_batches(parts, schema.to_arrow())


def rows(source, *args, **kwargs):
    return read(source, *args, **kwargs).to_pylist()
