"""CSV files: types inferred from a sample, then held to; read as a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.sources.csv_inference import inferred_type
from lazyframe.executors.sources.csv_ranges import line_ranges
from lazyframe.executors.sources.csv_reading import sample_of, tables_of
from lazyframe.executors.sources.csv_text import BLOCK_BYTES, CsvDialect, CsvFile, read_header
from lazyframe.executors.sources.file_partitions import kept_files
from lazyframe.executors.sources.files import (
    DataFile,
    refreshed,
    stem_suffix,
)
from lazyframe.executors.sources.hive import PartitionColumns
from lazyframe.executors.sources.layout import batches_of
from lazyframe.executors.sources.paths import find_files
from lazyframe.executors.sources.reopening import Reopened
from lazyframe.executors.sources.source import MORSEL_ROWS, ScanMetrics
from lazyframe.planner.errors import InvalidArgumentError, SourceError, did_you_mean
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.sources import ScanReport, Statistics
from lazyframe.planner.types import STRING, DataType, is_nested, parse_type, type_name

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar

_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".psv")


class CsvSource(Reopened):
    """The rows of CSV files, in the order of the files.

    Args:
        paths: a path, glob pattern, folder, URL, bytes, an open binary file, or a list of these. Files whose names end in
            .gz, .zst, .bz2 or .lz4 are unpacked while they are read.
        schema: types of columns by name, for all or some of them. The others are inferred.
        separator: between values; a tab for .tsv and .tab files, else a comma.
        quote_char: around values that hold separators or newlines; doubled inside. None: quotes are ordinary text.
        escape_char: before a character that is to be taken literally.
        has_header: whether the first row names the columns; else they are `column0`, `column1`, ...
        null_values: texts that are null where they are not quoted. A quoted empty text is an empty string.
        encoding: of the text.
        comment: lines that begin with it are left out, also within quotes.
        skip_rows: lines before the header.
        infer_rows: how many rows types are inferred from.
        ragged: a row with too few or too many values is an `"error"`, or is left out (`"skip"`), or is filled with nulls
            where it is too short (`"null"`).
        hive: whether folders such as `year=2013` are columns.
        hive_types: types of partition columns by name.
        filesystem: a `pyarrow.fs.FileSystem` or fsspec filesystem that the paths belong to.

    Raises:
        SourceNotFoundError: where a path does not exist or a pattern matches nothing.
        SourceError: where a file is empty, of another format, or its header names other columns than the first one's. Their
            order may differ.

    Only a sample is read when it is made. A value that is not of its column's type is an error that names the line.
    """

    def __init__(
        self,
        paths: Any,
        *,
        schema: Mapping[str, object] | None = None,
        separator: str | None = None,
        quote_char: str | None = '"',
        escape_char: str | None = None,
        has_header: bool = True,
        null_values: str | Sequence[str] = ("",),
        encoding: str = "utf-8",
        comment: str | None = None,
        skip_rows: int = 0,
        infer_rows: int = 10_000,
        ragged: str = "error",
        hive: bool | None = None,
        hive_types: Mapping[str, object] | None = None,
        filesystem: Any = None,
    ) -> None:
        _check_options(
            separator=separator,
            quote_char=quote_char,
            escape_char=escape_char,
            comment=comment,
            encoding=encoding,
            ragged=ragged,
            skip_rows=skip_rows,
            infer_rows=infer_rows,
        )
        self._files, self.name = find_files(paths, _SUFFIXES, hive=hive, filesystem=filesystem)
        if separator is None:
            separator = "\t" if stem_suffix(self._files[0].path) in (".tsv", ".tab") else ","
        texts = (null_values,) if isinstance(null_values, str) else tuple(null_values)
        self._dialect = CsvDialect(
            separator, quote_char, escape_char, has_header, texts, encoding, comment, skip_rows, ragged
        )
        self._partitions = PartitionColumns(self._files, hive_types)
        self._ranges: dict[tuple[str, int, int, int], list[tuple[int, int]]] = {}
        self._headers = self._read_headers()
        self._names = self._headers[0][0]
        types = self._types(schema or {}, infer_rows)
        stored = [Field(name, types[name]) for name in self._names if name not in self._partitions]
        self.schema = Schema([*stored, *self._partitions.fields])
        self._identity = (
            "csv",
            tuple(file.identity() for file in self._files),
            tuple(getattr(self._dialect, name) for name in CsvDialect.__slots__),
            tuple((name, str(dtype)) for name, dtype in types.items()),
        )

    def _read_headers(self) -> list[tuple[list[str], int]]:
        """The names and the lines of each file's header. Their order may differ from file to file: columns go by name."""
        headers = [read_header(file, self._dialect) for file in self._files]
        names = headers[0][0]
        for file, (own, _) in zip(self._files[1:], headers[1:], strict=True):
            if sorted(own) == sorted(names):
                continue
            here, there = ([n for n in one if n not in other] for one, other in ((names, own), (own, names)))
            sides = [
                f"only {which} has {left[0]!r}" for which, left in (("the first", here), ("the second", there)) if left
            ]
            raise SourceError(f"the headers of {self._files[0].name} and {file.name} differ: {' and '.join(sides)}")
        return headers

    def _types(self, schema: Mapping[str, object], infer_rows: int) -> dict[str, DataType]:
        given = {}
        for name, spec in schema.items():
            if name not in self._names:
                raise InvalidArgumentError(
                    f"the schema names a column {name!r} that {self.name} does not have",
                    hint=did_you_mean(name, self._names),
                )
            try:
                given[name] = parse_type(spec)
            except ValueError as error:
                raise InvalidArgumentError(str(error)) from error
            if is_nested(given[name]):
                raise InvalidArgumentError(f"column {name!r}: CSV cannot hold values of type {type_name(given[name])}")
        unknown = [name for name in self._names if name not in given]
        if not unknown:
            return {name: given[name] for name in self._names}
        share = max(infer_rows // len(self._files), min(infer_rows, 100))
        samples = [
            sample_of(CsvFile(file, lines, names, self._dialect), unknown, share)
            for file, (names, lines) in zip(self._files, self._headers, strict=True)
        ]
        sample = pa.concat_tables(samples)
        return {name: given.get(name) or inferred_type(sample.column(name)) for name in self._names}

    def identity(self) -> tuple[object, ...]:
        return self._identity

    def statistics(self) -> Statistics:
        return Statistics(bytes=sum(file.size for file in self._files))

    def report(self, columns: tuple[str, ...], predicate: Scalar | None) -> ScanReport:
        skipped = kept_files(self._files, self._partitions, predicate).count(False)
        return ScanReport(
            files=len(self._files),
            files_skipped=skipped,
            groups=len(self._files),
            groups_skipped=skipped,
            columns_read=len(columns),
            columns_total=len(self.schema),
        )

    def splits(
        self, columns: Sequence[str], predicate: Scalar | None, metrics: ScanMetrics | None = None
    ) -> list[_CsvSplit]:
        fields = [self.schema.field(column) for column in columns]
        splits: list[_CsvSplit] = []
        kept = kept_files(self._files, self._partitions, predicate)
        for position, listed in enumerate(self._files):
            if not kept[position]:
                if metrics is not None:
                    metrics.groups_skipped += 1
                continue
            names, lines = self._headers[position]
            file = refreshed(listed)
            if file is not listed:
                names, lines = read_header(file, self._dialect)
                if sorted(names) != sorted(self._names):
                    raise SourceError(f"{file.name} was replaced by a file with other columns", hint="scan it again")
            parts: list[tuple[int, int] | None] = [*self._ranges_of(file, lines)] or [None]
            splits += [
                _CsvSplit(CsvFile(file, lines, names, self._dialect, part), fields, self._partitions) for part in parts
            ]
        return splits

    def _ranges_of(self, file: DataFile, header_lines: int) -> list[tuple[int, int]]:
        """The ranges that a file is cut into, found once for each state of the file."""
        key = (file.path, file.size, file.modified, file.inode)
        if key not in self._ranges:
            self._ranges[key] = line_ranges(file, header_lines, self._dialect)
        return self._ranges[key]


class _CsvSplit:
    """One file, or a range of its lines."""

    __slots__ = ("_fields", "_partitions", "_source")

    def __init__(self, source: CsvFile, fields: Sequence[Field], partitions: PartitionColumns) -> None:
        self._source = source
        self._fields = list(fields)
        self._partitions = partitions

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        source, partitions = self._source, self._partitions
        types = {f.name: f.dtype for f in self._fields if f.name not in partitions}
        if not types:
            types = {source.names[0]: STRING}  # rows are still to be counted
        metrics.groups_read += 1
        metrics.bytes += source.size
        for table in tables_of(source, types, BLOCK_BYTES):
            metrics.rows += table.num_rows
            if not self._fields:
                yield from (
                    Batch({}, min(MORSEL_ROWS, table.num_rows - start))
                    for start in range(0, table.num_rows, MORSEL_ROWS)
                )
                continue
            columns = [
                partitions.column(source.file, f, table.num_rows) if f.name in partitions else table.column(f.name)
                for f in self._fields
            ]
            yield from batches_of(pa.table(columns, [f.name for f in self._fields]), self._fields, MORSEL_ROWS)


def _check_options(
    *,
    separator: str | None,
    quote_char: str | None,
    escape_char: str | None,
    comment: str | None,
    encoding: str,
    ragged: str,
    skip_rows: int,
    infer_rows: int,
) -> None:
    named = {"separator": separator, "quote_char": quote_char, "escape_char": escape_char}
    for name, value in named.items():
        if value is not None and (len(value) != 1 or not value.isascii()):
            raise InvalidArgumentError(f"{name} is one ASCII character, not {value!r}")
    if comment is not None and not comment:
        raise InvalidArgumentError("comment is the text that such lines begin with, not an empty one")
    if not _is_text_encoding(encoding):
        from encodings.aliases import aliases

        known = {name.replace("_", "-") for name in (*aliases, *aliases.values())}
        raise InvalidArgumentError(f"no encoding {encoding!r}", hint=did_you_mean(encoding, sorted(known)))
    if ragged not in ("error", "skip", "null"):
        raise InvalidArgumentError(f"ragged is 'error', 'skip' or 'null', not {ragged!r}")
    if skip_rows < 0 or infer_rows < 1:
        raise InvalidArgumentError("skip_rows is not negative, and types are inferred from at least one row")


def _is_text_encoding(name: str) -> bool:
    try:
        return bool("a".encode(name))
    except (LookupError, ValueError, TypeError):
        return False
