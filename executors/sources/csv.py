"""CSV files: types inferred from a sample, then held to; read as a stream."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.sources.csv_inference import FALSE_TEXTS, TRUE_TEXTS, inferred_type
from lazyframe.executors.sources.file_partitions import file_may_match
from lazyframe.executors.sources.files import (
    DataFile,
    compression_of,
    first_line,
    foreign,
    head_of,
    not_empty,
    open_stream,
    reading,
    refreshed,
    stem_suffix,
)
from lazyframe.executors.sources.formats import looks_like
from lazyframe.executors.sources.hive import PartitionColumns
from lazyframe.executors.sources.layout import batches_of
from lazyframe.executors.sources.paths import find_files
from lazyframe.executors.sources.source import MORSEL_ROWS, ScanMetrics
from lazyframe.planner.errors import InvalidArgumentError, LazyFrameError, SourceError, did_you_mean
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.sources import ScanReport, Statistics
from lazyframe.planner.types import STRING, DataType, is_nested, parse_type, type_name

if TYPE_CHECKING:
    from lazyframe.planner.scalars import Scalar

_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".psv")
_BLOCK_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """How the text of a CSV file is to be taken apart. See `CsvSource`."""

    separator: str
    quote_char: str | None
    escape_char: str | None
    has_header: bool
    null_values: tuple[str, ...]
    encoding: str
    comment: str | None
    skip_rows: int
    ragged: str


class CsvSource:
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
        SourceError: where a file is empty, of another format, or its header differs from the first one's.

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
        self._names, self._header_lines = self._read_headers()
        types = self._types(schema or {}, infer_rows)
        stored = [Field(name, types[name]) for name in self._names if name not in self._partitions]
        self.schema = Schema([*stored, *self._partitions.fields])
        self._identity = (
            "csv",
            tuple(file.identity() for file in self._files),
            tuple(getattr(self._dialect, name) for name in CsvDialect.__slots__),
            tuple((name, str(dtype)) for name, dtype in types.items()),
        )

    def _read_headers(self) -> tuple[list[str], list[int]]:
        headers = [_header(file, self._dialect) for file in self._files]
        names = headers[0][0]
        for file, (own, _) in zip(self._files[1:], headers[1:], strict=True):
            if own != names:
                differing = next((pair for pair in zip(names, own, strict=False) if pair[0] != pair[1]), None)
                detail = (
                    f"{differing[0]!r} against {differing[1]!r}"
                    if differing
                    else f"{len(names)} against {len(own)} columns"
                )
                raise SourceError(f"the headers of {self._files[0].name} and {file.name} differ: {detail}")
        return names, [lines for _, lines in headers]

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
            _sample(_CsvFile(file, lines, self._names, self._dialect), unknown, share)
            for file, lines in zip(self._files, self._header_lines, strict=True)
        ]
        sample = pa.concat_tables(samples)
        return {name: given.get(name) or inferred_type(sample.column(name)) for name in self._names}

    def identity(self) -> tuple[object, ...]:
        return self._identity

    def statistics(self) -> Statistics:
        return Statistics(bytes=sum(file.size for file in self._files))

    def report(self, columns: tuple[str, ...], predicate: Scalar | None) -> ScanReport:
        skipped = sum(1 for file in self._files if not file_may_match(file, self._partitions, predicate))
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
        splits = []
        for position, listed in enumerate(self._files):
            if not file_may_match(listed, self._partitions, predicate):
                if metrics is not None:
                    metrics.groups_skipped += 1
                continue
            lines = self._header_lines[position]
            file = refreshed(listed)
            if file is not listed:
                names, lines = _header(file, self._dialect)
                if names != self._names:
                    raise SourceError(f"{file.name} was replaced by a file with other columns", hint="scan it again")
            splits.append(_CsvSplit(_CsvFile(file, lines, self._names, self._dialect), fields, self._partitions))
        return splits


@dataclass(frozen=True, slots=True)
class _CsvFile:
    """A file and how to take it apart."""

    file: DataFile
    header_lines: int
    names: list[str]
    dialect: CsvDialect


class _CsvSplit:
    """One file: where a record begins is known only from what stands before it."""

    __slots__ = ("_fields", "_partitions", "_source")

    def __init__(self, source: _CsvFile, fields: Sequence[Field], partitions: PartitionColumns) -> None:
        self._source = source
        self._fields = list(fields)
        self._partitions = partitions

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        source, partitions = self._source, self._partitions
        types = {f.name: f.dtype for f in self._fields if f.name not in partitions}
        if not types:
            types = {source.names[0]: STRING}  # rows are still to be counted
        metrics.groups_read += 1
        metrics.bytes += source.file.size
        for table in _tables(source, types, _BLOCK_BYTES):
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
    if ragged not in ("error", "skip", "null"):
        raise InvalidArgumentError(f"ragged is 'error', 'skip' or 'null', not {ragged!r}")
    if skip_rows < 0 or infer_rows < 1:
        raise InvalidArgumentError("skip_rows is not negative, and types are inferred from at least one row")


def _opened(source: DataFile, dialect: CsvDialect) -> pa.NativeFile:
    opened = open_stream(source)
    if dialect.comment is None:
        return opened
    return pa.PythonFile(_WithoutComments(opened, dialect.comment.encode(dialect.encoding)), mode="r")


class _QuoteCounter(io.RawIOBase):
    """A stream that counts its quotes: an odd number says that one may never be closed, which pyarrow lets pass."""

    def __init__(self, source: pa.NativeFile, quote: bytes) -> None:
        self._source = source
        self._quote = quote
        self.quotes = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content: bytes = self._source.read(None if size < 0 else size)
        self.quotes += content.count(self._quote)
        return content


class _WithoutComments(io.RawIOBase):
    """The lines of a stream that do not begin with a prefix."""

    def __init__(self, source: pa.NativeFile, prefix: bytes) -> None:
        self._lines = io.BufferedReader(source)
        self._prefix = prefix
        self._pending = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        kept = [self._pending]
        held = len(self._pending)
        while size < 0 or held < size:
            lines = self._lines.readlines(max(size, 1 << 16))
            if not lines:
                break
            kept += [line for line in lines if not line.startswith(self._prefix)]
            held = sum(map(len, kept))
        content = b"".join(kept)
        if size < 0:
            size = len(content)
        self._pending = content[size:]
        return content[:size]


def _records(source: DataFile, dialect: CsvDialect, *, strict: bool = False) -> Iterator[tuple[int, int, list[str]]]:
    """First line, last line and values of each record that is not blank, as Python reads them: to name lines in errors."""
    with _opened(source, dialect) as opened:
        encoding = "utf-8-sig" if dialect.encoding.lower().replace("-", "") == "utf8" else dialect.encoding
        text = io.TextIOWrapper(io.BufferedReader(opened), encoding, errors="replace", newline="")
        for _ in range(dialect.skip_rows):
            text.readline()
        rows = csv.reader(
            text,
            delimiter=dialect.separator,
            quotechar=dialect.quote_char,
            escapechar=dialect.escape_char,
            quoting=csv.QUOTE_MINIMAL if dialect.quote_char else csv.QUOTE_NONE,
            strict=strict,
        )
        before = 0
        for row in rows:
            if row:
                yield before + 1 + dialect.skip_rows, rows.line_num + dialect.skip_rows, row
            before = rows.line_num


def _header(file: DataFile, dialect: CsvDialect) -> tuple[list[str], int]:
    """The names of the columns, and how many lines stand before the first row of values."""
    not_empty(file, "a CSV file")
    seen = looks_like(head_of(file, 64))
    binary = seen is not None and seen[1] not in ("scan_csv", "scan_json", "another tool")
    if binary and compression_of(file.path) is None:
        raise foreign(file, "CSV")
    try:
        with reading(file, "header"):
            first = next(_records(file, dialect), None)
    except csv.Error as error:
        raise SourceError(f"cannot read the header of {file.name}: {error}") from error
    if first is None:
        raise SourceError(f"{file.name} holds no header, only blank lines")
    _, last_line, values = first
    if not dialect.has_header:
        return [f"column{index}" for index in range(len(values))], dialect.skip_rows
    names = [value or f"column{index}" for index, value in enumerate(values)]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise SourceError(
            f"the header of {file.name} names more than one column {', '.join(map(repr, repeated))}",
            hint="rename one, or read with has_header=False, skip_rows=1",
        )
    return names, last_line


def _sample(source: _CsvFile, names: list[str], rows: int) -> pa.Table:
    found: list[pa.Table] = []
    count = 0
    for table in _tables(source, dict.fromkeys(names, STRING), 1 << 20):
        found.append(table)
        count += table.num_rows
        if count >= rows:
            break
    return pa.concat_tables(found).slice(0, rows) if found else pa.table({name: pa.array([], STRING) for name in names})


def _tables(source: _CsvFile, types: Mapping[str, DataType], block_bytes: int) -> Iterator[pa.Table]:
    """The rows of a file as tables of the wanted columns."""
    from pyarrow import csv as arrow_csv

    dialect = source.dialect
    short = _ShortRows(source, types)
    parse = arrow_csv.ParseOptions(
        delimiter=dialect.separator,
        quote_char=dialect.quote_char or False,
        double_quote=dialect.quote_char is not None,
        escape_char=dialect.escape_char or False,
        newlines_in_values=dialect.quote_char is not None,
        ignore_empty_lines=len(source.names) > 1,
        invalid_row_handler=short.meet,
    )
    convert = convert_options(types, dialect)
    read = arrow_csv.ReadOptions(
        use_threads=False,
        block_size=block_bytes,
        column_names=source.names,
        skip_rows=source.header_lines,
        encoding=dialect.encoding,
    )
    counter = None
    try:
        with reading(source.file):
            opened = _opened(source.file, dialect)
        if dialect.quote_char is not None and dialect.escape_char is None:
            counter = _QuoteCounter(opened, dialect.quote_char.encode())
            opened = pa.PythonFile(counter, mode="r")
        with arrow_csv.open_csv(opened, read, parse, convert) as reader:
            for batch in reader:
                yield short.spliced(pa.Table.from_batches([batch]))
        if counter is not None and counter.quotes % 2:
            _no_open_quote(source)
        rest = short.rest()
        if rest is not None:
            yield rest
    except LazyFrameError:
        raise
    except StopIteration:
        return
    except (pa.ArrowException, OSError, ValueError) as error:
        if "Empty CSV file" in str(error) or "either file is too short" in str(error):
            rest = short.rest()
            if rest is not None:
                yield rest
            return
        raise _explained(source, types, error) from error


def convert_options(types: Mapping[str, DataType], dialect: CsvDialect) -> Any:
    from pyarrow import csv as arrow_csv

    return arrow_csv.ConvertOptions(
        column_types=dict(types),
        include_columns=list(types),
        null_values=list(dialect.null_values),
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        true_values=TRUE_TEXTS,
        false_values=FALSE_TEXTS,
    )


class _ShortRows:
    """Meets rows with a wrong number of values: refuses, drops or fills them, as the dialect says."""

    def __init__(self, source: _CsvFile, types: Mapping[str, DataType]) -> None:
        self._source = source
        self._types = types
        self._waiting: list[tuple[int, str]] = []  # rows to be filled: their number from 0, and text
        self._rows = 0  # rows already given, filled ones included

    def meet(self, row: Any) -> str:
        ragged = self._source.dialect.ragged
        if ragged == "error":
            return "error"
        if ragged == "skip":
            return "skip"
        if row.actual_columns > row.expected_columns:
            return "error"
        missing = row.expected_columns - row.actual_columns
        self._waiting.append(
            (row.number - 1 - self._source.header_lines, row.text + self._source.dialect.separator * missing)
        )
        return "skip"

    def spliced(self, table: pa.Table) -> pa.Table:
        """The rows of `table` with those that were filled put back at their places."""
        befores: list[int] = []
        for number, _ in self._waiting:
            before = number - self._rows - len(befores)
            if before > table.num_rows:
                break
            befores.append(before)
        self._rows += table.num_rows + len(befores)
        if not befores:
            return table
        filled = self._filled([text for _, text in self._waiting[: len(befores)]])
        del self._waiting[: len(befores)]
        order = np.insert(np.arange(table.num_rows), befores, table.num_rows + np.arange(len(befores)))
        return pa.concat_tables([table, filled]).take(pa.array(order))

    def rest(self) -> pa.Table | None:
        """The filled rows after the last whole one."""
        texts = [text for _, text in self._waiting]
        self._waiting = []
        return self._filled(texts) if texts else None

    def _filled(self, texts: list[str]) -> pa.Table:
        from pyarrow import csv as arrow_csv

        dialect = self._source.dialect
        return arrow_csv.read_csv(
            io.BytesIO("\n".join(texts).encode()),
            arrow_csv.ReadOptions(column_names=self._source.names, use_threads=False),
            arrow_csv.ParseOptions(
                delimiter=dialect.separator,
                quote_char=dialect.quote_char or False,
                escape_char=dialect.escape_char or False,
                newlines_in_values=True,
            ),
            convert_options(self._types, dialect),
        )


def _no_open_quote(source: _CsvFile) -> None:
    """Check that the file does not end within quotes.

    Raises:
        SourceError: where it does; names the line of the quote.
    """
    line = source.header_lines + 1
    try:
        for _, last, _ in _records(source.file, source.dialect, strict=True):
            line = last + 1
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise SourceError(
                f"{source.file.name}, line {line}: a quote is opened and never closed",
                hint="quote_char=None takes quotes as ordinary text",
            ) from error


_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")
_UNFIT = re.compile(r"In CSV column #(\d+): (?:Row #(\d+): )?(.*)", re.DOTALL)


def _explained(source: _CsvFile, types: Mapping[str, DataType], error: BaseException) -> SourceError:
    """The error with the line, the column and the text that it is about."""
    name, text = source.file.name, str(error)
    if m := _RAGGED.search(text):
        expected, found = int(m[2]), int(m[3])
        line = _line_of_ragged(source, expected)
        place = f"{name}, line {line}" if line else f"{name}, row {m[1]}"
        return SourceError(
            f"{place}: {expected} values were expected, {found} found",
            hint="ragged='skip' leaves such rows out, ragged='null' fills those that are too short; or check the separator "
            "and quotes",
        )
    if "straddling" in text or "not enough" in text.lower():
        return SourceError(
            f"{name} holds a record of more than {_BLOCK_BYTES >> 20} MB: perhaps a quote is never closed",
            hint="quote_char=None takes quotes as ordinary text",
        )
    if m := _UNFIT.search(text):
        column = source.names[int(m[1])]
        dtype = types.get(column, STRING)
        if "invalid UTF8" in text:
            return SourceError(
                f"{name}, column {column!r}: the text is not {source.dialect.encoding}",
                hint="give its encoding, such as encoding='latin-1'",
            )
        hint = f"schema={{{column!r}: 'string'}} reads it as text; a greater infer_rows may find the type; null_values=[...] names texts that mean null"
        found_at = _line_of_unfit(source, column, dtype)
        if found_at is None:
            return SourceError(f"{name}, column {column!r}: {first_line(error)}, not a {type_name(dtype)}", hint=hint)
        line, value = found_at
        return SourceError(f"{name}, line {line}, column {column!r}: {value!r} is not a {type_name(dtype)}", hint=hint)
    return SourceError(f"cannot read {name}: {first_line(error)}")


def _body(source: _CsvFile) -> Iterator[tuple[int, list[str]]]:
    try:
        for first, last, row in _records(source.file, source.dialect):
            if last > source.header_lines:
                yield first, row
    except csv.Error:
        return


def _line_of_ragged(source: _CsvFile, expected: int) -> int | None:
    if source.dialect.comment is not None:
        return None
    return next((line for line, row in _body(source) if len(row) != expected), None)


def _line_of_unfit(source: _CsvFile, column: str, dtype: DataType) -> tuple[int, str] | None:
    """The first value of a column that cannot be read as its type: found by reading the texts again, many at a time."""
    position = source.names.index(column)
    pending: list[tuple[int, str]] = []

    def first_unfit() -> tuple[int, str] | None:
        low, high = 0, len(pending)
        if _fits([text for _, text in pending], dtype, source.dialect):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            if _fits([text for _, text in pending[low:middle]], dtype, source.dialect):
                low = middle
            else:
                high = middle
        return pending[low]

    for line, row in _body(source):
        if position < len(row):
            pending.append((line, row[position]))
        if len(pending) == 65_536:
            found = first_unfit()
            if found:
                return found
            pending.clear()
    found = first_unfit() if pending else None
    return None if found is None or source.dialect.comment is not None else found


def _fits(texts: list[str], dtype: DataType, dialect: CsvDialect) -> bool:
    from pyarrow import csv as arrow_csv

    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([text, "x"] for text in texts)
    options = convert_options({"a": dtype}, dialect)
    try:
        arrow_csv.read_csv(
            io.BytesIO(buffer.getvalue().encode()),
            arrow_csv.ReadOptions(column_names=["a", "b"], use_threads=False, block_size=1 << 28),
            arrow_csv.ParseOptions(newlines_in_values=True),
            options,
        )
    except (pa.ArrowException, ValueError):
        return False
    return True
