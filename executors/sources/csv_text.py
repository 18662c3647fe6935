"""The text of a CSV file: its dialect, its lines, and its records as Python reads them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lazyframe.executors.sources.csv_inference import FALSE_TEXTS, TRUE_TEXTS
from lazyframe.executors.sources.files import (
    DataFile,
    compression_of,
    foreign,
    head_of,
    not_empty,
    open_stream,
    reading,
)
from lazyframe.executors.sources.formats import looks_like
from lazyframe.planner.errors import SourceError
from lazyframe.planner.types import DataType

BLOCK_BYTES = 4 << 20
"""How much of a file is parsed at a time; no record may be longer."""


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


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A file, or a range of its bytes, and how to take it apart."""

    file: DataFile
    header_lines: int
    names: list[str]
    dialect: CsvDialect
    part: tuple[int, int] | None = None

    @property
    def size(self) -> int:
        return self.file.size if self.part is None else self.part[1] - self.part[0]


def opened_text(source: DataFile, dialect: CsvDialect) -> pa.NativeFile:
    opened = open_stream(source)
    if dialect.comment is None:
        return opened
    return pa.PythonFile(_WithoutComments(opened, dialect.comment.encode(dialect.encoding)), mode="r")


class QuoteCounter(io.RawIOBase):
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


def records(source: DataFile, dialect: CsvDialect, *, strict: bool = False) -> Iterator[tuple[int, int, list[str]]]:
    """First line, last line and values of each record that is not blank, as Python reads them: to name lines in errors."""
    with opened_text(source, dialect) as opened:
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


def read_header(file: DataFile, dialect: CsvDialect) -> tuple[list[str], int]:
    """The names of the columns, and how many lines stand before the first row of values."""
    not_empty(file, "a CSV file")
    seen = looks_like(head_of(file, 64))
    binary = seen is not None and seen[1] not in ("scan_csv", "scan_json", "another tool")
    if binary and compression_of(file.path) is None:
        raise foreign(file, "CSV")
    try:
        with reading(file, "header"):
            first = next(records(file, dialect), None)
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
