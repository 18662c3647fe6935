"""Reading row groups of a Parquet file: by kernels of our own where they can, else by pyarrow."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from lazyframe.executors.batch import Batch, concat_arrays
from lazyframe.executors.sources.files import first_line, open_file, reading, unchanged
from lazyframe.executors.sources.hive import PartitionColumns
from lazyframe.executors.sources.layout import batches_of, normalized
from lazyframe.executors.sources.parquet_decoding import ChunkDecoder
from lazyframe.executors.sources.parquet_file import ParquetFile
from lazyframe.executors.sources.parquet_metadata import Footer
from lazyframe.executors.sources.source import MORSEL_ROWS, ScanMetrics
from lazyframe.planner.errors import SourceError
from lazyframe.planner.schema import Field
from lazyframe.planner.sources import ColumnStatistics

_WHOLE_GROUP_ROWS = 4 * MORSEL_ROWS  # up to here a row group is decoded at once, beyond batch by batch


class FileReader:
    """Reads some columns of one file.

    `handles` is shared by the readers of a scan: it keeps one open file a thread for each set of columns that is read by
    itself, so that a scan of many files stays within what the system allows.
    """

    def __init__(
        self,
        footer: Footer,
        fields: Sequence[Field],
        partitions: PartitionColumns,
        handles: threading.local,
        statistics: Callable[[int, str], ColumnStatistics],
        decoder: ChunkDecoder,
        purpose: tuple[str, ...] = (),
    ) -> None:
        self._purpose = purpose
        # By which it knows its files among the handles, which it holds.
        self._mark = object()
        self._decoder = decoder
        self.footer = footer
        self.statistics = statistics
        self.fields = list(fields)
        self.partitions = partitions
        self.stored = [f.name for f in fields if f.name in footer.fields and f.name not in partitions]
        self._handles = handles
        self._narrower: dict[tuple[str, ...], FileReader] = {}

    def only(self, columns: Sequence[str]) -> FileReader:
        """A reader of some of the columns."""
        key = tuple(columns)
        found = self._narrower.get(key)
        if found is None:
            fields = [next(f for f in self.fields if f.name == name) for name in columns]
            found = FileReader(self.footer, fields, self.partitions, self._handles, self.statistics, self._decoder, key)
            self._narrower[key] = found
        return found

    def opened(self) -> Any:
        held = self._handles.__dict__.setdefault("open", {})
        owner, handle = held.get(self._purpose, (None, None))
        if owner is not self._mark:
            file = self.footer.file
            source = open_file(file)
            wanted = set(self.stored)
            with reading(file):
                handle = ParquetFile(
                    source,
                    metadata=self.footer.metadata,
                    read_dictionary=[name for name in self.footer.dictionary_columns if name in wanted],
                    pre_buffer=file.filesystem is not None,
                    page_checksum_verification=True,
                )
            held[self._purpose] = (self._mark, handle)
        return handle

    def _file(self) -> Any:
        """The file by itself, opened once a thread."""
        held = self._handles.__dict__.setdefault("files", {})
        owner, file = held.get("", (None, None))
        if owner is not self.footer:
            file = open_file(self.footer.file)
            held[""] = (self.footer, file)
        return file

    def decoded(self, groups: Sequence[int]) -> dict[str, pa.Array]:
        """Those columns that our own kernels could read, as they stand in batches."""
        found: dict[str, pa.Array] = {}
        for field in self.fields:
            if self._decoder.reads(field.name):
                arrays = self._decoder.column(self._file(), groups, field.name)
                if arrays is not None:
                    found[field.name] = concat_arrays(arrays, field.dtype)
        return found

    def complete(self, table: pa.Table, fields: Sequence[Field]) -> pa.Table:
        """Stored columns with those that stand in folder names or are missing, in the order asked for."""
        columns = [self._column(table, field) for field in fields]
        return pa.table(columns, names=[field.name for field in fields])

    def _column(self, table: pa.Table, field: Field) -> Any:
        """A column, which stands in the name of the file's folder, or is missing, or is one of those that were read."""
        if field.name in self.partitions:
            return self.partitions.column(self.footer.file, field, table.num_rows)
        if field.name not in self.footer.fields:
            return pa.nulls(table.num_rows, field.dtype)
        return self.footer.column_at(table, field.name)


class ParquetSplit:
    """Some row groups of one file."""

    __slots__ = ("_groups", "_reader")

    def __init__(self, reader: FileReader, groups: list[int]) -> None:
        self._reader = reader
        self._groups = groups

    @property
    def is_near(self) -> bool:
        """Whether it is read from this machine."""
        return self._reader.footer.file.filesystem is None

    def narrowed(
        self, column: str, may_match: Callable[[ColumnStatistics, int], bool]
    ) -> tuple[ParquetSplit | None, int]:
        """The split without the row groups that cannot match, by what is known of a column, and how many these are."""
        reader = self._reader
        kept = [
            group for group in self._groups if may_match(reader.statistics(group, column), reader.footer.groups[group])
        ]
        if len(kept) == len(self._groups):
            return self, 0
        return ParquetSplit(reader, kept) if kept else None, len(self._groups) - len(kept)

    def bounds(self, column: str) -> list[ColumnStatistics]:
        """What is known of a column in each of the row groups."""
        return [self._reader.statistics(group, column) for group in self._groups]

    def only(self, columns: Sequence[str]) -> ParquetSplit:
        """Some columns of the same rows, in batches of the same lengths."""
        return ParquetSplit(self._reader.only(columns), self._groups)

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        reader, groups = self._reader, self._groups
        footer = reader.footer
        rows = sum(footer.groups[group] for group in groups)
        metrics.groups_read += len(groups)
        metrics.bytes += sum(footer.stored_bytes(group, reader.stored) for group in groups)
        if not reader.fields:
            for start in range(0, rows, MORSEL_ROWS):
                size = min(MORSEL_ROWS, rows - start)
                metrics.rows += size
                yield Batch({}, size)
            return
        unchanged(footer.file)
        with reading(footer.file, self._where()):
            decoded = reader.decoded(groups)
        self._check_nulls(decoded)
        rest = [field for field in reader.fields if field.name not in decoded]
        if not rest:
            metrics.rows += rows
            for start in range(0, rows, MORSEL_ROWS):
                yield self._together(Batch({}, min(MORSEL_ROWS, rows - start)), decoded, start)
            return
        seen = 0
        for table in self._tables([name for name in reader.stored if name not in decoded], rows):
            metrics.rows += table.num_rows
            with reading(footer.file, self._where()):
                self._check_nulls({name: table.column(name) for name in table.column_names if name})
                for batch in batches_of(reader.complete(table, rest), rest, MORSEL_ROWS):
                    yield self._together(batch, decoded, seen)
                    seen += batch.length
        if seen != rows:
            raise SourceError(
                f"{footer.file.name}, {self._where()} is corrupt: {rows} rows were expected, {seen} found"
            )

    def _together(self, batch: Batch, decoded: Mapping[str, pa.Array], start: int) -> Batch:
        """A batch with the same rows of the columns that our own kernels read."""
        if not decoded:
            return batch
        columns = {}
        for field in self._reader.fields:
            column = decoded.get(field.name)
            if column is None:
                columns[field.name] = batch.columns[field.name]
                continue
            if start or batch.length < len(column):
                column = column.slice(start, batch.length)
            # Dictionaries that are longer than what is left of their rows are given up.
            columns[field.name] = normalized(column, field.dtype) if isinstance(column, pa.DictionaryArray) else column
        return Batch(columns, batch.length)

    def _where(self) -> str:
        groups = self._groups
        return f"row group {groups[0]}" if len(groups) == 1 else f"row groups {groups[0]} to {groups[-1]}"

    def _tables(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """The rows with those columns that pyarrow reads."""
        reader = self._reader
        if not columns:
            yield _row_counter(rows)
            return
        handle = reader.opened()
        try:
            if rows <= _WHOLE_GROUP_ROWS:
                yield handle.read_row_groups(self._groups, columns=columns, use_threads=False)
                return
            for batch in handle.iter_batches(MORSEL_ROWS, row_groups=self._groups, columns=columns, use_threads=False):
                yield pa.Table.from_batches([batch])
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            raise self._corrupt(error) from error

    def _check_nulls(self, columns: Mapping[str, Any]) -> None:
        for field in self._reader.fields:
            if not field.nullable and field.name in columns and columns[field.name].null_count:
                raise SourceError(f"{self._reader.footer.file.name}: required column {field.name!r} holds nulls")

    def _corrupt(self, error: BaseException) -> SourceError:
        """The error that names the first row group and column that cannot be read."""
        reader = self._reader
        name = reader.footer.file.name
        for group in self._groups:
            for column in reader.stored:
                try:
                    reader.opened().read_row_group(group, columns=[column], use_threads=False)
                except (pa.ArrowException, OSError, ValueError, OverflowError) as found:
                    problem = first_line(found)
                    if "CRC" in problem or "checksum" in problem:
                        problem = "a page does not match its checksum"
                    return SourceError(
                        f"{name} is corrupt: cannot read row group {group}, column {column!r}: {problem}",
                        hint="restore or rewrite the file",
                    )
        return SourceError(f"{name}, {self._where()}: {first_line(error)}")


def _row_counter(rows: int) -> pa.Table:
    return pa.table({"": pa.nulls(rows)})
