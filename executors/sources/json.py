"""JSON: one object a line, or one array of objects. Types inferred from a sample, then held to."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.sources.file_partitions import kept_files
from lazyframe.executors.sources.files import DataFile, foreign, head_of, not_empty, open_stream, reading, refreshed
from lazyframe.executors.sources.formats import looks_like
from lazyframe.executors.sources.hive import PartitionColumns
from lazyframe.executors.sources.json_values import (
    Misfit,
    converted,
    merged,
    parse,
    read_by_arrow,
    settled,
    type_of,
    unique_names,
)
from lazyframe.executors.sources.layout import batches_of
from lazyframe.executors.sources.paths import find_files
from lazyframe.executors.sources.reopening import Reopened
from lazyframe.executors.sources.source import MORSEL_ROWS, ScanMetrics
from lazyframe.planner import arrow
from lazyframe.planner.errors import InvalidArgumentError, LazyFrameError, SourceError
from lazyframe.planner.nouns import with_article
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.sources import ScanReport, Statistics
from lazyframe.planner.types import NULL, STRING, DataType, is_timestamp, parse_type

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar

_SUFFIXES = (".json", ".ndjson", ".jsonl")
_BLOCK_BYTES = 4 << 20
_BATCH_RECORDS = 32_768


class JsonSource(Reopened):
    """The objects of JSON files as rows, in the order of the files.

    A file holds an object on each line, which is read as a stream, or one array of objects, which is read as a whole.

    Args:
        paths: a path, glob pattern, folder, URL, bytes, an open binary file, or a list of these. Files whose names end in
            .gz, .zst, .bz2 or .lz4 are unpacked while they are read.
        schema: types of columns by name, for all or some of them. The others are inferred. A column given as string takes
            every value as its JSON text; dates and times are read from ISO 8601 texts.
        infer_rows: how many objects types are inferred from.
        unknown_fields: a name that was not in the sample or the schema is an `"error"`, or left out (`"ignore"`).
        hive: whether folders such as `year=2013` are columns.
        hive_types: types of partition columns by name.
        filesystem: a `pyarrow.fs.FileSystem` or fsspec filesystem that the paths belong to.

    Raises:
        SourceNotFoundError: where a path does not exist or a pattern matches nothing.
        SourceError: where a file is empty or not JSON, or a column holds values of different types; names the line.

    Names that an object lacks are null. Whole numbers beyond 64 bits are decimals.
    """

    def __init__(
        self,
        paths: Any,
        *,
        schema: Mapping[str, object] | None = None,
        infer_rows: int = 10_000,
        unknown_fields: str = "error",
        hive: bool | None = None,
        hive_types: Mapping[str, object] | None = None,
        filesystem: Any = None,
    ) -> None:
        if unknown_fields not in ("error", "ignore"):
            raise InvalidArgumentError(f"unknown_fields is 'error' or 'ignore', not {unknown_fields!r}")
        if infer_rows < 1:
            raise InvalidArgumentError("types are inferred from at least one object")
        self._files, self.name = find_files(paths, _SUFFIXES, hive=hive, filesystem=filesystem)
        self._partitions = PartitionColumns(self._files, hive_types)
        try:
            given = {name: parse_type(spec) for name, spec in (schema or {}).items()}
        except ValueError as error:
            raise InvalidArgumentError(str(error)) from error
        types = _inferred(self._files, given, infer_rows)
        self._reader = _Objects(types, frozenset(given), unknown_fields == "ignore")
        stored = [Field(name, dtype) for name, dtype in types.items() if name not in self._partitions]
        self.schema = Schema([*stored, *self._partitions.fields])
        options = (unknown_fields, tuple((name, str(dtype), name in given) for name, dtype in types.items()))
        self._identity = ("json", options, tuple(file.identity() for file in self._files))

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
    ) -> list[_JsonSplit]:
        fields = [self.schema.field(column) for column in columns]
        splits = []
        for file, is_kept in zip(self._files, kept_files(self._files, self._partitions, predicate), strict=True):
            if is_kept:
                splits.append(_JsonSplit(refreshed(file), self._reader, fields, self._partitions))
            elif metrics is not None:
                metrics.groups_skipped += 1
        return splits


class _JsonSplit:
    """One file."""

    __slots__ = ("_fields", "_file", "_objects", "_partitions")

    def __init__(self, file: DataFile, objects: _Objects, fields: list[Field], partitions: PartitionColumns) -> None:
        self._file = file
        self._objects = objects
        self._fields = fields
        self._partitions = partitions

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        metrics.groups_read += 1
        metrics.bytes += self._file.size
        for table in self._objects.tables(self._file):
            metrics.rows += table.num_rows
            for start in range(0, table.num_rows, MORSEL_ROWS):
                part = table.slice(start, MORSEL_ROWS)
                if not self._fields:
                    yield Batch({}, part.num_rows)
                    continue
                columns = [
                    self._partitions.column(self._file, f, part.num_rows)
                    if f.name in self._partitions
                    else part.column(f.name)
                    for f in self._fields
                ]
                yield from batches_of(pa.table(columns, [f.name for f in self._fields]), self._fields, MORSEL_ROWS)


@dataclass(frozen=True, slots=True)
class _Objects:
    """Reads the objects of a file as tables of all columns."""

    types: dict[str, DataType]
    given: frozenset[str]
    ignore_unknown: bool

    def tables(self, file: DataFile) -> Iterator[pa.Table]:
        done = 0
        if (
            self.types
            and all(read_by_arrow(_as_parsed(dtype)) for dtype in self.types.values())
            and not _is_array(file)
        ):
            try:
                for table in self._by_arrow(file):
                    done += table.num_rows
                    yield table
            except LazyFrameError:
                raise
            except (pa.ArrowException, ValueError, OSError):
                # Python reads on below: it is slower, takes what pyarrow is too strict for, and names the line.
                pass
            else:
                return
        yield from self._by_python(file, done)

    def _by_arrow(self, file: DataFile) -> Iterator[pa.Table]:
        from pyarrow import json as arrow_json

        parse_options = arrow_json.ParseOptions(
            explicit_schema=pa.schema([(name, _as_parsed(dtype)) for name, dtype in self.types.items()]),
            newlines_in_values=False,
            unexpected_field_behavior="ignore" if self.ignore_unknown else "error",
        )
        read_options = arrow_json.ReadOptions(use_threads=False, block_size=_BLOCK_BYTES)
        with arrow_json.open_json(open_stream(file), read_options, parse_options) as reader:
            for batch in reader:
                yield pa.Table.from_batches([batch]).select(list(self.types)).cast(pa.schema(list(self.types.items())))

    def _by_python(self, file: DataFile, skipped: int) -> Iterator[pa.Table]:
        records = islice(_records(file), skipped, None)
        while chunk := list(islice(records, _BATCH_RECORDS)):
            columns: dict[str, list[Any]] = {name: [] for name in self.types}
            for line, record in chunk:
                if not self.ignore_unknown:
                    for name in record:
                        if name not in columns:
                            raise SourceError(
                                f"{file.name}, line {line}: an unknown name {name!r}",
                                hint=f"schema={{{name!r}: ...}} adds it, unknown_fields='ignore' leaves it out; "
                                "or a greater infer_rows may find it",
                            )
                for name, dtype in self.types.items():
                    columns[name].append(self._value(file, line, name, record.get(name), dtype))
            arrays = [self._array(file, chunk[0][0], name, values) for name, values in columns.items()]
            if arrays:
                yield pa.table(arrays, names=list(columns))
            else:
                yield pa.table({"": pa.nulls(len(chunk))})

    def _value(self, file: DataFile, line: int, name: str, value: Any, dtype: DataType) -> Any:
        try:
            return converted(value, dtype, as_text=name in self.given, ignore_unknown=self.ignore_unknown)
        except Misfit as error:
            raise SourceError(
                f"{file.name}, line {line}, column {name!r}: {error}",
                hint=f"schema={{{name!r}: 'string'}} reads it as text; a greater infer_rows may find the type",
            ) from None

    def _array(self, file: DataFile, line: int, name: str, values: list[Any]) -> pa.Array:
        dtype = self.types[name]
        try:
            plain = [v.as_py() if isinstance(v, pa.Scalar) and v.type != pa.timestamp("ns") else v for v in values]
            return arrow.array(plain, dtype)
        except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
            raise SourceError(f"{file.name}, from line {line}, column {name!r}: {error}") from error


def _as_parsed(dtype: DataType) -> DataType:
    """What pyarrow's parser is asked for: text in place of timestamps, since a cast minds the offset that is written."""
    return STRING if is_timestamp(dtype) else dtype


def _is_array(file: DataFile) -> bool:
    with reading(file), open_stream(file) as opened:
        head = opened.read(4096)
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["


def _records(file: DataFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file, each with the line where it begins."""
    if _is_array(file):
        yield from _records_of_array(file)
        return
    with reading(file):
        opened = open_stream(file)
    with opened:
        text = io.TextIOWrapper(io.BufferedReader(opened), "utf-8-sig")
        number = 0
        while True:
            number += 1
            with reading(file, f"line {number}"):
                line = text.readline()
            if not line:
                return
            if not line.strip():
                continue
            try:
                value = parse(line)
            except ValueError as error:
                raise _not_json(file, number, error) from error
            yield number, _checked(file, number, value)


def _records_of_array(file: DataFile) -> Iterator[tuple[int, dict[str, Any]]]:
    with reading(file), open_stream(file) as opened:
        text = opened.read().decode("utf-8-sig")
    decoder = json.JSONDecoder(parse_float=Decimal, object_pairs_hook=unique_names)
    position, line, counted = text.index("[") + 1, 1, 0
    first = True
    while True:
        position = _after_space(text, position)
        line += text.count("\n", counted, position)
        counted = position
        if text[position : position + 1] == "]" and first:
            break
        if not first:
            separator = text[position : position + 1]
            if separator == "]":
                break
            if separator != ",":
                raise SourceError(f"{file.name}, line {line} is not JSON: a comma or ] is missing after an object")
            position = _after_space(text, position + 1)
            line += text.count("\n", counted, position)
            counted = position
        try:
            value, position = decoder.raw_decode(text, position)
        except ValueError as error:
            raise _not_json(file, line, error) from error
        yield line, _checked(file, line, value)
        first = False
    if text[position + 1 :].strip():
        raise SourceError(f"{file.name} is not JSON: there is more text after the array")


def _after_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _not_json(file: DataFile, line: int, error: ValueError) -> SourceError:
    seen = looks_like(head_of(file))
    if seen is not None and seen[0] != "JSON":
        return foreign(file, "JSON")
    problem = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    place = f", column {error.colno}" if isinstance(error, json.JSONDecodeError) and error.lineno == 1 else ""
    return SourceError(
        f"{file.name}, line {line}{place} is not JSON: {problem}",
        hint="write one object a line, or one array of objects",
    )


def _checked(file: DataFile, line: int, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SourceError(f"{file.name}, line {line}: a row is an object, not {with_article(type(value).__name__)}")
    return value


def _inferred(files: list[DataFile], given: Mapping[str, DataType], rows: int) -> dict[str, DataType]:
    """The types of all columns, in the order in which their names first appear."""
    share = max(rows // len(files), min(rows, 100))
    types: dict[str, DataType] = {}
    for file in files:
        not_empty(file, "JSON")
        for line, record in islice(_records(file), share):
            for name, value in record.items():
                if name in given:
                    types[name] = given[name]
                    continue
                try:
                    types[name] = merged(types.get(name, NULL), type_of(value))
                except Misfit as error:
                    raise SourceError(
                        f"{file.name}, line {line}, column {name!r}: {error}",
                        hint=f"schema={{{name!r}: 'string'}} reads every value as its JSON text",
                    ) from None
    types.update({name: dtype for name, dtype in given.items() if name not in types})
    return {name: dtype if name in given else settled(dtype) for name, dtype in types.items()}
