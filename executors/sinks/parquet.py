"""Write Parquet: compressed, with statistics to prune by and checksums to trust."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa

from lazyframe.executors.sinks.file_sink import FileSink
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.types import is_interval

_BUFFERED_BYTES = 64 << 20
_CODECS = ("zstd", "snappy", "gzip", "lz4", "brotli", "none")


class ParquetSink(FileSink):
    """Writes a Parquet file.

    Args:
        path: the file.
        schema: its columns; those that are not nullable are written as required.
        row_group_rows: rows in a row group, which is what one worker reads at a time and what statistics may skip.
        compression: `"zstd"`, `"snappy"`, `"gzip"`, `"lz4"`, `"brotli"` or `"none"`.
        compression_level: how hard to try, where the codec knows levels.
        statistics: whether row groups tell the least and greatest value of their columns.
        dictionary: whether repeated values are stored once.

    Every page has a checksum: without, a flipped bit on the disk may be read as another value.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        schema: pa.Schema,
        *,
        row_group_rows: int = 262_144,
        compression: str = "zstd",
        compression_level: int | None = None,
        statistics: bool = True,
        dictionary: bool = True,
    ) -> None:
        if row_group_rows < 1:
            raise InvalidArgumentError(f"a row group has at least one row, not {row_group_rows}")
        if compression not in _CODECS:
            raise InvalidArgumentError(f"compression is one of {', '.join(_CODECS)}, not {compression!r}")
        for field in schema:
            if is_interval(field.type):
                raise UnsupportedError(
                    f"Parquet has no place for the intervals of column {field.name!r}",
                    hint="cast them to durations or drop them",
                )
        self._rows_each = row_group_rows
        self._options: dict[str, Any] = {
            "compression": compression,
            "compression_level": compression_level,
            "write_statistics": statistics,
            "use_dictionary": dictionary,
            "write_page_checksum": True,
        }
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = 0
        self._waiting_bytes = 0
        super().__init__(path, schema)

    def _begin(self) -> None:
        import pyarrow.parquet as pq

        self._writer = pq.ParquetWriter(self._file.stream, self.schema, **self._options)

    def _append(self, batch: pa.RecordBatch) -> None:
        self._waiting.append(batch)
        self._waiting_rows += batch.num_rows
        self._waiting_bytes += batch.nbytes
        if self._waiting_rows >= self._rows_each or self._waiting_bytes >= _BUFFERED_BYTES:
            self._flush(everything=self._waiting_bytes >= _BUFFERED_BYTES)

    def _flush(self, *, everything: bool) -> None:
        """Write whole row groups, and what is left over where `everything` is to go."""
        table = pa.Table.from_batches(self._waiting, self.schema)
        count = table.num_rows if everything else table.num_rows - table.num_rows % self._rows_each
        if count:
            self._writer.write_table(table.slice(0, count), row_group_size=self._rows_each)
        rest = table.slice(count)
        self._waiting = rest.to_batches() if rest.num_rows else []
        self._waiting_rows = rest.num_rows
        self._waiting_bytes = rest.nbytes

    def _finish(self) -> None:
        if self._waiting and self._open:
            self._flush(everything=True)
        self._waiting = []
        self._writer.close()
