"""Parquet: one file, lists, patterns, hive folders and URLs, read row group by row group."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.sources.bloom_pruning import AskedValues
from lazyframe.executors.sources.file_partitions import files_where_true
from lazyframe.executors.sources.files import DataFile, first_line, open_file, reading, refreshed, unchanged
from lazyframe.executors.sources.hive import PartitionColumns
from lazyframe.executors.sources.layout import batches_of
from lazyframe.executors.sources.parquet_metadata import Footer, footer_of
from lazyframe.executors.sources.paths import find_files
from lazyframe.executors.sources.pruning import may_match
from lazyframe.executors.sources.reopening import Reopened
from lazyframe.executors.sources.sampling import TableSample, kept_sample
from lazyframe.executors.sources.source import MORSEL_ROWS, ScanMetrics
from lazyframe.executors.sources.summary import Summary, summary_of
from lazyframe.executors.sources.unify import unified_fields
from lazyframe.planner.errors import SourceError
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.sources import ColumnStatistics, Question, ScanReport, Statistics
from lazyframe.planner.types import is_struct, type_at

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar

_SUFFIXES = (".parquet", ".parq", ".pq")
_WHOLE_GROUP_ROWS = 4 * MORSEL_ROWS  # up to here a row group is decoded at once, beyond batch by batch


class ParquetSource(Reopened):
    """The rows of Parquet files, in the order of the files.

    Args:
        paths: a path, glob pattern, folder, URL, bytes, an open binary file, or a list of these.
        hive: whether folders such as `year=2013` are columns (None: those below the folder or pattern given).
        hive_types: types of partition columns by name; by default int64, date or string, whichever fits all.
        missing_columns: `"error"`, or `"null"` to fill columns that some files lack.
        filesystem: a `pyarrow.fs.FileSystem` or fsspec filesystem that the paths belong to.

    Raises:
        SourceNotFoundError: where a path does not exist or a pattern matches nothing.
        SourceError: where a file is empty, truncated, of another format, or differs in schema from the first one.

    Only footers are read when it is made. Files may differ in the order of their columns, and integers widen.
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
        self._options = (hive, missing_columns, tuple((k, str(v)) for k, v in (hive_types or {}).items()))
        self._partitions = PartitionColumns(files, hive_types)
        self._footers = _footers(files)
        stored = unified_fields([(f.file.name, f.fields) for f in self._footers], missing_columns)
        self._stored = {name: field for name, field in stored.items() if name not in self._partitions}
        self.schema = Schema([*self._stored.values(), *self._partitions.fields])
        self._identity: tuple[object, ...] = ("parquet", self._options, tuple(file.identity() for file in files))
        self._paths: dict[str, tuple[str, ...]] = {}
        self.struct_names = tuple(name for name, field in self._stored.items() if is_struct(field.dtype))

    def identity(self) -> tuple[object, ...]:
        return self._identity

    def statistics(self) -> Statistics:
        return self._statistics

    def sample(self) -> TableSample | None:
        return None if any([f.file.filesystem is not None for f in self._footers]) else kept_sample(self)

    @cached_property
    def _statistics(self) -> Statistics:
        columns = _WhenAsked(self.schema.names, self._merged)
        rows = sum(footer.rows for footer in self._footers)
        size = sum(f.stored_bytes(g, f.leaves) for f in self._footers for g in range(len(f.groups)))
        return Statistics(rows=rows, exact=True, bytes=size, columns=columns)

    def summary(self, questions: Sequence[Question], schema: Schema) -> Summary | None:
        return summary_of(self, questions, schema)

    def with_fields(self, paths: Sequence[tuple[str, ...]]) -> ParquetSource | None:
        """The same rows, with fields of structs as further columns; None where a file has other structs than the first."""
        for path in paths:
            wanted = self._stored[path[0]].dtype
            if any("." in name for name in path) or not all(
                footer.fields.get(path[0]) is not None and footer.fields[path[0]].dtype == wanted
                for footer in self._footers
            ):
                return None
        names = {".".join(path): path for path in paths}
        if len(names) < len(paths) or not names.keys().isdisjoint(self.schema.names):
            return None
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.__dict__.pop("_statistics", None)
        made._paths = names
        made._footers = [footer.with_paths(names) for footer in self._footers]
        made._identity = (*self._identity, tuple(paths))
        made.struct_names = ()
        added = [Field(name, type_at(self._stored[path[0]].dtype, path[1:]), True) for name, path in names.items()]
        made.schema = Schema([*self.schema, *added])
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        again, (kind, *arguments, schema) = super().__reduce__()
        if not self._paths:
            return again, (kind, *arguments, schema)
        plain = Schema([field for field in schema if field.name not in self._paths])
        return _with_fields, ((again, (kind, *arguments, plain)), tuple(self._paths.values()))

    def _merged(self, name: str) -> ColumnStatistics:
        parts = [
            self._group_statistics(footer, group, [name])[name]
            for footer in self._footers
            for group, rows in enumerate(footer.groups)
            if rows
        ]
        rows = [count for footer in self._footers for count in footer.groups if count]
        nulls = [part.nulls for part in parts]
        # A part that holds only nulls has no bounds and needs none.
        bounded = [part for part, count in zip(parts, rows, strict=True) if part.nulls != count]
        known = bool(bounded) and all(part.minimum is not None and part.maximum is not None for part in bounded)
        return ColumnStatistics(
            minimum=min(part.minimum for part in bounded) if known else None,  # type: ignore[type-var]
            maximum=max(part.maximum for part in bounded) if known else None,  # type: ignore[type-var]
            nulls=None if None in nulls else sum(nulls),  # type: ignore[arg-type]
        )

    def _group_statistics(self, footer: Footer, group: int, names: Sequence[str]) -> dict[str, ColumnStatistics]:
        found = {}
        for name in names:
            if name in self._partitions:
                value = self._partitions.scalar(footer.file, self.schema.field(name)).as_py()
                rows = footer.groups[group]
                found[name] = ColumnStatistics(value, value, nulls=rows if value is None else 0)
            elif name not in footer.fields:
                found[name] = ColumnStatistics(nulls=footer.groups[group])
            else:
                found[name] = footer.statistics(group, name)
        return found

    def _statistics_of(self, footer: Footer) -> Callable[[int, str], ColumnStatistics]:
        return lambda group, name: self._group_statistics(footer, group, [name])[name]

    def report(self, columns: tuple[str, ...], predicate: Scalar | None) -> ScanReport:
        kept = [(footer, groups) for footer, groups in self._kept_groups(predicate)]
        total = sum(len(footer.groups) for footer in self._footers)
        return ScanReport(
            files=len(self._footers),
            files_skipped=sum(1 for footer, groups in kept if footer.groups and not groups),
            groups=total,
            groups_skipped=total - sum(len(groups) for _, groups in kept),
            columns_read=len(columns),
            columns_total=len(self.schema),
        )

    def _kept_groups(self, predicate: Scalar | None) -> Iterator[tuple[Footer, list[int]]]:
        if predicate is None:
            yield from [(footer, list(range(len(footer.groups)))) for footer in self._footers]
            return
        names = sorted(predicate.columns)
        asked = AskedValues(predicate)
        wanted = files_where_true([footer.file for footer in self._footers], self._partitions, predicate)
        for position, footer in enumerate(self._footers):
            if wanted is not None and not wanted[position]:
                yield footer, []
                continue
            kept = [
                group
                for group, rows in enumerate(footer.groups)
                if may_match(predicate, self._group_statistics(footer, group, names), rows)
            ]
            yield footer, asked.groups_that_may_match(footer, kept) if kept else kept

    def splits(
        self, columns: Sequence[str], predicate: Scalar | None, metrics: ScanMetrics | None = None
    ) -> list[_ParquetSplit]:
        self.refresh()
        fields = [self.schema.field(column) for column in columns]
        splits: list[_ParquetSplit] = []
        handles = threading.local()
        for footer, kept in self._kept_groups(predicate):
            if metrics is not None:
                metrics.groups_skipped += len(footer.groups) - len(kept)
            reader = _FileReader(footer, fields, self._partitions, handles, self._statistics_of(footer))
            splits += [_ParquetSplit(reader, run) for run in _runs(kept, footer.groups)]
        return splits

    def refresh(self) -> None:
        """Read the footers of files that were replaced since, which must have the same schema."""
        for position, footer in enumerate(self._footers):
            file = refreshed(footer.file)
            if file is footer.file:
                continue
            now = footer_of(file).with_paths(self._paths)
            if now.fields != footer.fields:
                raise SourceError(f"{file.name} was replaced by a file with other columns", hint="scan it again")
            self._footers[position] = now
            self.__dict__.pop("_statistics", None)


def _with_fields(source: tuple[Any, tuple[Any, ...]], paths: Sequence[tuple[str, ...]]) -> ParquetSource:
    """A source opened again, with fields of structs.

    Raises:
        SourceError: where its files are others now.
    """
    again, arguments = source
    made: ParquetSource = again(*arguments)
    found = made.with_fields(paths)
    if found is None:
        raise SourceError(f"{made.name} has other structs now than when the query was planned", hint="run it again")
    return found


class _WhenAsked(Mapping[str, ColumnStatistics]):
    """Statistics of columns, each put together from all row groups when it is first asked for: planning asks for few."""

    def __init__(self, names: Sequence[str], function: Callable[[str], ColumnStatistics]) -> None:
        self._names = dict.fromkeys(names)
        self._function = function
        self._known: dict[str, ColumnStatistics] = {}

    def __getitem__(self, name: str) -> ColumnStatistics:
        if name not in self._known:
            if name not in self._names:
                raise KeyError(name)
            self._known[name] = self._function(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _footers(files: list[DataFile]) -> list[Footer]:
    if len(files) < 4:
        return [footer_of(file) for file in files]
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(footer_of, files))


def _runs(groups: list[int], rows: list[int]) -> Iterator[list[int]]:
    """Neighbouring row groups that together make at most a morsel; a larger one alone."""
    run: list[int] = []
    size = 0
    for group in groups:
        if rows[group] == 0:
            continue
        if run and (size + rows[group] > MORSEL_ROWS or run[-1] != group - 1):
            yield run
            run, size = [], 0
        run.append(group)
        size += rows[group]
    if run:
        yield run


class _FileReader:
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
        purpose: tuple[str, ...] = (),
    ) -> None:
        self._purpose = purpose
        self.footer = footer
        self.statistics = statistics
        self.fields = list(fields)
        self.partitions = partitions
        self.stored = [f.name for f in fields if f.name in footer.fields and f.name not in partitions]
        self._handles = handles
        self._narrower: dict[tuple[str, ...], _FileReader] = {}

    def only(self, columns: Sequence[str]) -> _FileReader:
        """A reader of some of the columns."""
        key = tuple(columns)
        found = self._narrower.get(key)
        if found is None:
            fields = [next(f for f in self.fields if f.name == name) for name in columns]
            found = _FileReader(self.footer, fields, self.partitions, self._handles, self.statistics, key)
            self._narrower[key] = found
        return found

    def opened(self) -> Any:
        held = self._handles.__dict__.setdefault("open", {})
        owner, handle = held.get(self._purpose, (None, None))
        if owner is not self:
            import pyarrow.parquet as pq

            file = self.footer.file
            source = open_file(file)
            wanted = set(self.stored)
            with reading(file):
                handle = pq.ParquetFile(
                    source,
                    metadata=self.footer.metadata,
                    read_dictionary=[name for name in self.footer.dictionary_columns if name in wanted],
                    pre_buffer=file.filesystem is not None,
                    page_checksum_verification=True,
                )
            held[self._purpose] = (self, handle)
        return handle

    def complete(self, table: pa.Table) -> pa.Table:
        """The stored columns with those that stand in folder names or are missing, in the order asked for."""
        columns: list[Any] = []
        for field in self.fields:
            if field.name in self.partitions:
                columns.append(self.partitions.column(self.footer.file, field, table.num_rows))
            elif field.name not in self.footer.fields:
                columns.append(pa.nulls(table.num_rows, field.dtype))
            else:
                columns.append(self.footer.column_at(table, field.name))
        return pa.table(columns, names=[field.name for field in self.fields])


class _ParquetSplit:
    """Some row groups of one file."""

    __slots__ = ("_groups", "_reader")

    def __init__(self, reader: _FileReader, groups: list[int]) -> None:
        self._reader = reader
        self._groups = groups

    def narrowed(
        self, column: str, may_match: Callable[[ColumnStatistics, int], bool]
    ) -> tuple[_ParquetSplit | None, int]:
        """The split without the row groups that cannot match, by what is known of a column, and how many these are."""
        reader = self._reader
        kept = [
            group for group in self._groups if may_match(reader.statistics(group, column), reader.footer.groups[group])
        ]
        if len(kept) == len(self._groups):
            return self, 0
        return _ParquetSplit(reader, kept) if kept else None, len(self._groups) - len(kept)

    def bounds(self, column: str) -> list[ColumnStatistics]:
        """What is known of a column in each of the row groups."""
        return [self._reader.statistics(group, column) for group in self._groups]

    def only(self, columns: Sequence[str]) -> _ParquetSplit:
        """Some columns of the same rows, in batches of the same lengths."""
        return _ParquetSplit(self._reader.only(columns), self._groups)

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
        seen = 0
        for table in self._tables(rows):
            seen += table.num_rows
            metrics.rows += table.num_rows
            with reading(footer.file, self._where()):
                self._check_nulls(table)
                yield from batches_of(reader.complete(table), reader.fields, MORSEL_ROWS)
        if seen != rows:
            raise SourceError(
                f"{footer.file.name}, {self._where()} is corrupt: {rows} rows were expected, {seen} found"
            )

    def _where(self) -> str:
        groups = self._groups
        return f"row group {groups[0]}" if len(groups) == 1 else f"row groups {groups[0]} to {groups[-1]}"

    def _tables(self, rows: int) -> Iterator[pa.Table]:
        reader = self._reader
        if not reader.stored:
            for start in range(0, rows, MORSEL_ROWS):
                yield _row_counter(min(MORSEL_ROWS, rows - start))
            return
        handle = reader.opened()
        unchanged(reader.footer.file)
        try:
            if rows <= _WHOLE_GROUP_ROWS:
                yield handle.read_row_groups(self._groups, columns=reader.stored, use_threads=False)
                return
            for batch in handle.iter_batches(
                MORSEL_ROWS, row_groups=self._groups, columns=reader.stored, use_threads=False
            ):
                yield pa.Table.from_batches([batch])
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            raise self._corrupt(error) from error

    def _check_nulls(self, table: pa.Table) -> None:
        for field in self._reader.fields:
            if not field.nullable and field.name in self._reader.stored and table.column(field.name).null_count:
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
