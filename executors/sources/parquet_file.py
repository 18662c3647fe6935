"""A Parquet file as pyarrow reads it, without `pyarrow.parquet`: that loads the file systems of every cloud, and TLS with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa


class ParquetFile:
    """What we use of `pyarrow.parquet.ParquetFile`, under the same names.

    Args:
        source: a file that is open for reading.
        options: of pyarrow's reader.
    """

    def __init__(self, source: Any, **options: Any) -> None:
        from pyarrow._parquet import ParquetReader

        self._reader = ParquetReader()
        self._reader.open(source, arrow_extensions_enabled=True, **options)

    @property
    def metadata(self) -> Any:
        return self._reader.metadata

    @property
    def schema_arrow(self) -> pa.Schema:
        return self._reader.schema_arrow

    def read_row_group(self, group: int, *, columns: Sequence[str], use_threads: bool) -> pa.Table:
        return self.read_row_groups([group], columns=columns, use_threads=use_threads)

    def read_row_groups(self, groups: Sequence[int], *, columns: Sequence[str], use_threads: bool) -> pa.Table:
        return self._reader.read_row_groups(groups, column_indices=self._leaves_of(columns), use_threads=use_threads)

    def iter_batches(
        self, rows: int, *, row_groups: Sequence[int], columns: Sequence[str] | None = None, use_threads: bool
    ) -> Iterator[pa.RecordBatch]:
        leaves = None if columns is None else self._leaves_of(columns)
        return self._reader.iter_batches(rows, row_groups=row_groups, column_indices=leaves, use_threads=use_threads)

    def _leaves_of(self, columns: Iterable[str]) -> list[int]:
        return [leaf for column in columns for leaf in self._leaves.get(column, ())]

    @cached_property
    def _leaves(self) -> dict[str, list[int]]:
        """The places of the columns that hold values, below each path that leads to them."""
        found: dict[str, list[int]] = {}
        for leaf, parts in enumerate(self._reader.column_paths):
            for depth in range(1, len(parts) + 1):
                found.setdefault(".".join(parts[:depth]), []).append(leaf)
        return found
