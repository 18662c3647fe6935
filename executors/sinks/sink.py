"""What a sink is, and which one a format has."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

import pyarrow as pa

from lazyframe.planner.errors import InvalidArgumentError, did_you_mean
from lazyframe.planner.nouns import with_article
from lazyframe.planner.schema import Schema


class Sink(Protocol):
    """Takes batches in order and makes them visible at once, when it is closed."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Append rows, whose types are those of the sink's schema.

        Raises:
            SinkError: where they cannot be written. Nothing is left of what was written before.
        """
        ...

    def close(self) -> None:
        """Finish, and put the result in its place.

        Raises:
            SinkError: where it cannot be. Nothing is left, and what stood there before is unharmed.
        """
        ...

    def abort(self) -> None:
        """Leave nothing of what was written. Does nothing after `close` or a failure."""
        ...


_CLASSES = {
    "parquet": ("lazyframe.executors.sinks.parquet", "ParquetSink", ".parquet"),
    "csv": ("lazyframe.executors.sinks.csv", "CsvSink", ".csv"),
    "ipc": ("lazyframe.executors.sinks.ipc", "IpcSink", ".arrow"),
    "json": ("lazyframe.executors.sinks.json", "JsonSink", ".json"),
}


def open_sink(
    kind: str,
    path: str | os.PathLike[str],
    schema: Schema | pa.Schema,
    *,
    partition_by: Sequence[str] | None = None,
    overwrite: bool = False,
    **options: Any,
) -> Sink:
    """A sink that writes a file, or with `partition_by` a folder of files.

    Args:
        kind: `"parquet"`, `"csv"`, `"ipc"` or `"json"`.
        path: where the result appears when the sink is closed. A file that stands there is replaced then. CSV and JSON are
            compressed where its name ends with .gz, .zst, .bz2 or .lz4.
        schema: the columns that will be written.
        partition_by: columns whose values become folders such as `year=2013`, and are left out of the files.
        overwrite: whether a folder that holds anything may be replaced. Files always are.
        **options: of the format, see the classes.

    Raises:
        SinkError: where the folder of `path` does not exist or may not be written to.
        InvalidArgumentError: where an option or a column makes no sense.
        UnsupportedError: where the format has no place for a type.
    """
    if kind not in _CLASSES:
        raise InvalidArgumentError(f"no format {kind!r} to write", hint=did_you_mean(kind, _CLASSES))
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidArgumentError(
            f"a path to write to is a string or pathlib.Path, not {with_article(type(path).__name__)}",
            hint="to_arrow() gives the rows to a writer of your own" if hasattr(path, "write") else None,
        )
    module, name, suffix = _CLASSES[kind]
    made = getattr(import_module(module), name)
    arrow = schema.to_arrow() if isinstance(schema, Schema) else schema
    try:
        if partition_by:
            from lazyframe.executors.sinks.partitioned import PartitionedSink

            return PartitionedSink(made, suffix, path, arrow, tuple(partition_by), overwrite=overwrite, options=options)
        sink: Sink = made(path, arrow, **options)
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        raise InvalidArgumentError(f"{kind} has no such option: {str(error).partition('argument ')[2]}") from error
    return sink
