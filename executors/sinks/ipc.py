"""Write Arrow IPC files."""

from __future__ import annotations

import os

import pyarrow as pa

from lazyframe.executors.sinks.file_sink import FileSink
from lazyframe.planner.errors import InvalidArgumentError


class IpcSink(FileSink):
    """Writes an Arrow IPC file, also called Feather version 2.

    Args:
        path: the file.
        schema: its columns.
        compression: `"lz4"`, `"zstd"`, or None for buffers that can be mapped as they are.
    """

    def __init__(self, path: str | os.PathLike[str], schema: pa.Schema, *, compression: str | None = "lz4") -> None:
        if compression not in ("lz4", "zstd", None):
            raise InvalidArgumentError(f"compression is 'lz4', 'zstd' or None, not {compression!r}")
        self._compression = compression
        super().__init__(path, schema)

    def _begin(self) -> None:
        options = pa.ipc.IpcWriteOptions(compression=self._compression)
        self._writer = pa.ipc.new_file(self._file.stream, self.schema, options=options)

    def _append(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def _finish(self) -> None:
        self._writer.close()
