"""Scans of a few rows that go the way of large ones."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq

import lazyframe as lf
from lazyframe.executors.context import Context
from lazyframe.executors.execute import collect
from lazyframe.executors.measurements import Measurements
from lazyframe.planner.optimizer import optimize


@contextmanager
def with_constants(values: dict[str, float]) -> Iterator[None]:
    """Other values for constants of modules of the package."""
    with ExitStack() as stack:
        for name, value in values.items():
            stack.enter_context(patch(f"lazyframe.{name}", value))
        yield


def stored(table: pa.Table, group: int) -> lf.LazyFrame:
    """The table as a Parquet file of row groups of so many rows."""
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=group)
    return lf.scan_parquet(sink.getvalue())


def run(frame: lf.LazyFrame, threads: int = 1, disable: tuple[str, ...] = ()) -> tuple[pa.Table, Context]:
    """The rows, and the context that has counted what was left out."""
    context = Context(threads)
    context.measured = Measurements()
    return collect(optimize(frame._plan, disable=disable, check=True), context), context
