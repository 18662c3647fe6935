"""Objects of the user's program that a query can read by their name."""

from __future__ import annotations

import sys
from typing import Any
from weakref import WeakKeyDictionary

import pyarrow as pa

from lazyframe import session
from lazyframe.frame import LazyFrame
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.relations import Plan

# A reader gives its rows once. They are kept as long as the reader is, so that a second query finds them too.
_rows_of_readers: WeakKeyDictionary[pa.RecordBatchReader, pa.Table] = WeakKeyDictionary()


def is_tabular(value: object) -> bool:
    """Whether it holds rows with named columns: a frame, an Arrow table, a reader, a dataset, a frame of another library."""
    # All is asked of the class: an object may answer to any attribute, or be a proxy that fails when it is asked what it is.
    kind = type(value)
    if issubclass(kind, (LazyFrame, pa.Table, pa.RecordBatch, pa.RecordBatchReader)):
        return True
    if kind.__name__.endswith("Series") or issubclass(kind, (pa.ChunkedArray, pa.Array)):
        return False  # these export one column, which has no name
    if hasattr(kind, "__arrow_c_stream__") or _is_lazy_polars(value) or _is_dataset(value):
        return True
    return _is_of("pandas", "DataFrame", value) or _is_of("duckdb", "DuckDBPyRelation", value)


def is_immutable(value: object) -> bool:
    """Whether it holds the same rows as long as it lives. Frames of pandas and polars can be changed in place."""
    return isinstance(value, (LazyFrame, pa.Table, pa.RecordBatch))


def plan_of(value: Any, name: str) -> Plan:
    """The plan that reads an object.

    Args:
        value: for which `is_tabular` holds.
        name: by which the query calls it.

    Raises:
        InvalidArgumentError: for a lazy frame of polars, which would have to run.
    """
    if isinstance(value, LazyFrame):
        return value._plan
    if _is_lazy_polars(value):
        raise InvalidArgumentError(
            f"{name!r} is a lazy polars frame, whose rows are not computed", hint=f"write {name} = {name}.collect()"
        )
    return session.memory_scan(_table_of(value), name)


def _table_of(value: Any) -> pa.Table:
    if isinstance(value, pa.Table):
        # Another object over the same buffers: nothing of ours keeps the user's own alive, and so it can be seen to be gone.
        return value.slice(0)
    if isinstance(value, pa.RecordBatchReader):
        found = _rows_of_readers.get(value)
        if found is None:
            found = _rows_of_readers[value] = value.read_all()
        return found
    return value.to_table() if _is_dataset(value) else session.table_from(value)


def _is_lazy_polars(value: object) -> bool:
    return _is_of("polars", "LazyFrame", value)


def _is_dataset(value: object) -> bool:
    return _is_of("pyarrow.dataset", "Dataset", value)


def _is_of(module: str, kind: str, value: object) -> bool:
    """Whether it is of a class of a library, which is not imported to find out."""
    found = getattr(sys.modules.get(module), kind, None)
    return isinstance(found, type) and issubclass(type(value), found)
