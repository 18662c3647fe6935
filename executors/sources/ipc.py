"""Arrow IPC: the file format, read record batch by record batch, and the stream format."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.sources.file_partitions import kept_files
from lazyframe.executors.sources.files import (
    DataFile,
    first_line,
    foreign,
    head_of,
    map_file,
    not_empty,
    open_file,
    reading,
    refreshed,
)
from lazyframe.executors.sources.hive import PartitionColumns
from lazyframe.executors.sources.layout import batches_of
from lazyframe.executors.sources.paths import find_files
from lazyframe.executors.sources.reopening import Reopened
from lazyframe.executors.sources.source import MORSEL_ROWS, ScanMetrics
from lazyframe.executors.sources.summary import Summary, summary_of
from lazyframe.executors.sources.unify import unified_fields
from lazyframe.planner.errors import LazyFrameError, SourceError, UnsupportedError
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.sources import Question, ScanReport, Statistics
from lazyframe.planner.types import canonical

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar

_SUFFIXES = (".arrow", ".ipc", ".feather", ".arrows")
_WANTED = "an Arrow IPC file"


class IpcSource(Reopened):
    """The rows of Arrow IPC files (also called Feather version 2) or streams, in the order of the files.

    Args:
        paths: a path, glob pattern, folder, URL, bytes, an open binary file, or a list of these.
        hive: whether folders such as `year=2013` are columns.
        hive_types: types of partition columns by name.
        missing_columns: `"error"`, or `"null"` to fill columns that some files lack.
        filesystem: a `pyarrow.fs.FileSystem` or fsspec filesystem that the paths belong to.

    Raises:
        SourceNotFoundError: where a path does not exist or a pattern matches nothing.
        SourceError: where a file is empty, truncated, of another format, or differs in schema from the first one.

    Only schemas are read when it is made. Local files are mapped; every batch is validated in full before it is used.
    """

    def __init__(
        self,
        paths: Any,
        *,
        hive: bool | None = None,
        hive_types: Mapping[str, object] | None = None,
        missing_columns: str = "error",
        filesystem: Any = None,
    ) -> None:
        files, self.name = find_files(paths, _SUFFIXES, hive=hive, filesystem=filesystem)
        self._partitions = PartitionColumns(files, hive_types)
        self._files = [_IpcFile(file) for file in files]
        stored = unified_fields([(f.file.name, f.fields) for f in self._files], missing_columns)
        kept = [field for name, field in stored.items() if name not in self._partitions]
        self.schema = Schema([*kept, *self._partitions.fields])
        options = (missing_columns, tuple((k, str(v)) for k, v in (hive_types or {}).items()))
        self._identity = ("ipc", options, tuple(file.identity() for file in files))

    def identity(self) -> tuple[object, ...]:
        return self._identity

    def statistics(self) -> Statistics:
        return self._statistics

    @cached_property
    def _statistics(self) -> Statistics:
        size = sum(f.file.size for f in self._files)
        if any(f.is_stream for f in self._files):
            return Statistics(bytes=size)
        return Statistics(rows=sum(sum(f.batch_rows) for f in self._files), exact=True, bytes=size)

    def report(self, columns: tuple[str, ...], predicate: Scalar | None) -> ScanReport:
        kept = [f for f, is_kept in zip(self._files, self._kept(predicate), strict=True) if is_kept]
        groups = [1 if f.is_stream else len(f.batch_rows) for f in self._files]
        return ScanReport(
            files=len(self._files),
            files_skipped=len(self._files) - len(kept),
            groups=sum(groups),
            groups_skipped=sum(groups) - sum(1 if f.is_stream else len(f.batch_rows) for f in kept),
            columns_read=len(columns),
            columns_total=len(self.schema),
        )

    def _kept(self, predicate: Scalar | None) -> list[bool]:
        return kept_files([f.file for f in self._files], self._partitions, predicate)

    def splits(
        self, columns: Sequence[str], predicate: Scalar | None, metrics: ScanMetrics | None = None
    ) -> list[_IpcSplit]:
        self.refresh()
        fields = [self.schema.field(column) for column in columns]
        splits: list[_IpcSplit] = []
        for held, is_kept in zip(self._files, self._kept(predicate), strict=True):
            if not is_kept:
                if metrics is not None:
                    metrics.groups_skipped += 1 if held.is_stream else len(held.batch_rows)
                continue
            reader = _IpcReader(held, fields, self._partitions)
            if held.is_stream:
                splits.append(_IpcSplit(reader, range(0)))
            else:
                splits += [_IpcSplit(reader, run) for run in _runs(held.batch_rows)]
        return splits

    def summary(self, questions: Sequence[Question], schema: Schema) -> Summary | None:
        return summary_of(self, questions, schema)

    def refresh(self) -> None:
        """Read the schemas of files that were replaced since, which must be the same."""
        for position, held in enumerate(self._files):
            file = refreshed(held.file)
            if file is held.file:
                continue
            now = _IpcFile(file)
            if now.fields != held.fields:
                raise SourceError(f"{file.name} was replaced by a file with other columns", hint="scan it again")
            self._files[position] = now
            self.__dict__.pop("_statistics", None)


def _runs(rows: list[int]) -> Iterator[range]:
    """Neighbouring batches that together make at most a morsel; a larger one alone."""
    start, size = 0, 0
    for index, count in enumerate(rows):
        if size and size + count > MORSEL_ROWS:
            yield range(start, index)
            start, size = index, 0
        size += count
    if size:
        yield range(start, len(rows))


class _IpcFile:
    """A file, its schema, and whether it is of the stream format."""

    def __init__(self, file: DataFile) -> None:
        self.file = file
        not_empty(file, _WANTED)
        self.is_stream = not head_of(file, 8).startswith(b"ARROW1")
        with reading(file):
            opened = open_file(file)
        try:
            self.arrow_schema = pa.ipc.open_stream(opened).schema if self.is_stream else pa.ipc.open_file(opened).schema
        except (pa.ArrowException, OSError, ValueError) as error:
            if self.is_stream:
                raise foreign(file, _WANTED, error) from error
            raise SourceError(
                f"{file.name} is truncated or half-written: an Arrow IPC file ends with its footer ({first_line(error)})",
                hint="write or copy the file again",
            ) from error
        names = self.arrow_schema.names
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise SourceError(f"{file.name} has more than one column named {', '.join(map(repr, repeated))}")

    @cached_property
    def fields(self) -> dict[str, Field]:
        found = {}
        for field in self.arrow_schema:
            try:
                found[field.name] = Field(field.name, canonical(field.type), field.nullable)
            except ValueError as error:
                raise UnsupportedError(f"column {field.name!r} of {self.file.name}: {error}") from error
        return found

    @cached_property
    def batch_rows(self) -> list[int]:
        """How many rows each record batch has; only a first column's place is looked up for that."""
        options = pa.ipc.IpcReadOptions(included_fields=[0], use_threads=False)
        with reading(self.file), map_file(self.file) as opened:
            reader = pa.ipc.open_file(opened, options=options)
            return [reader.get_batch(index).num_rows for index in range(reader.num_record_batches)]


class _IpcReader:
    """Reads some columns of one file; each thread has its own handle."""

    def __init__(self, source: _IpcFile, fields: Sequence[Field], partitions: PartitionColumns) -> None:
        self.source = source
        self.fields = list(fields)
        self.partitions = partitions
        names = source.arrow_schema.names
        self.included = sorted(
            names.index(f.name) for f in fields if f.name in source.fields and f.name not in partitions
        )
        self._handles = threading.local()

    @property
    def _options(self) -> Any:
        return pa.ipc.IpcReadOptions(included_fields=self.included or [0], use_threads=False)

    def batches(self, run: range) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Numbers and validated record batches of the file."""
        file = self.source.file
        if self.source.is_stream:
            with reading(file), map_file(file) as opened:
                stream = pa.ipc.open_stream(opened, options=self._options)
                for number, batch in enumerate(stream):
                    yield number, self._validated(number, batch)
            return
        reader = getattr(self._handles, "value", None)
        if reader is None:
            with reading(file):
                reader = self._handles.value = pa.ipc.open_file(map_file(file), options=self._options)
        for number in run:
            with reading(file, f"record batch {number}"):
                batch = reader.get_batch(number)
            yield number, self._validated(number, batch)

    def _validated(self, number: int, batch: pa.RecordBatch) -> pa.RecordBatch:
        try:
            batch.validate(full=True)
        except (pa.ArrowException, ValueError) as error:
            raise SourceError(
                f"{self.source.file.name}, record batch {number} is corrupt: {first_line(error)}"
            ) from error
        for field in self.fields:
            if not field.nullable and field.name in batch.schema.names and batch.column(field.name).null_count:
                raise SourceError(
                    f"{self.source.file.name}, record batch {number}: column {field.name!r} is declared not null but holds nulls"
                )
        return batch

    def complete(self, batch: pa.RecordBatch) -> pa.Table:
        columns: list[Any] = []
        for field in self.fields:
            if field.name in self.partitions:
                columns.append(self.partitions.column(self.source.file, field, batch.num_rows))
            elif field.name not in self.source.fields:
                columns.append(pa.nulls(batch.num_rows, field.dtype))
            else:
                columns.append(batch.column(field.name))
        return pa.table(columns, names=[field.name for field in self.fields])


class _IpcSplit:
    """Some record batches of a file, or a whole stream."""

    __slots__ = ("_reader", "_run")

    def __init__(self, reader: _IpcReader, run: range) -> None:
        self._reader = reader
        self._run = run

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        reader = self._reader
        waiting: list[pa.Table] = []
        size = 0
        for number, batch in reader.batches(self._run):
            metrics.groups_read += 1
            metrics.rows += batch.num_rows
            if not reader.fields:
                yield from (
                    Batch({}, min(MORSEL_ROWS, batch.num_rows - start))
                    for start in range(0, batch.num_rows, MORSEL_ROWS)
                )
                continue
            metrics.bytes += batch.nbytes
            table = reader.complete(batch)
            if waiting and size + table.num_rows > MORSEL_ROWS:
                yield from self._joined(waiting, number - 1)
                waiting, size = [], 0
            waiting.append(table)
            size += table.num_rows
        if waiting:
            yield from self._joined(waiting, 0)

    def _joined(self, tables: list[pa.Table], number: int) -> Iterator[Batch]:
        reader = self._reader
        try:
            # Dictionaries of different batches are brought together by `batches_of`.
            table = tables[0] if len(tables) == 1 else pa.concat_tables(tables)
            yield from batches_of(table, reader.fields, MORSEL_ROWS)
        except LazyFrameError:
            raise
        except (pa.ArrowException, ValueError) as error:
            raise SourceError(
                f"cannot read {reader.source.file.name}, record batch {number}: {first_line(error)}"
            ) from error
