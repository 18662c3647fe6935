"""Parquet: one file, lists, patterns, hive folders and URLs, read row group by row group."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lazyframe.executors.sources.bloom_pruning import AskedValues
from lazyframe.executors.sources.file_partitions import files_where_true
from lazyframe.executors.sources.files import DataFile, refreshed
from lazyframe.executors.sources.hive import PartitionColumns
from lazyframe.executors.sources.parquet_decoding import ChunkDecoder
from lazyframe.executors.sources.parquet_metadata import Footer, footer_of
from lazyframe.executors.sources.parquet_reading import FileReader, ParquetSplit
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
    ) -> list[ParquetSplit]:
        self.refresh()
        fields = [self.schema.field(column) for column in columns]
        splits: list[ParquetSplit] = []
        handles = threading.local()
        read = list(self._kept_groups(predicate))
        nbytes = sum(footer.stored_bytes(group, columns) for footer, kept in read for group in kept)
        for footer, kept in read:
            if metrics is not None:
                metrics.groups_skipped += len(footer.groups) - len(kept)
            stored = [f for f in fields if f.name in footer.fields and f.name not in self._partitions]
            decoder = ChunkDecoder(footer, stored if metrics is None or metrics.may_compile else [], nbytes)
            reader = FileReader(footer, fields, self._partitions, handles, self._statistics_of(footer), decoder)
            splits += [ParquetSplit(reader, run) for run in _runs(kept, footer.groups)]
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
