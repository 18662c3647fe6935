"""Say where in a CSV file an error is: the line, the column, the text, and what to do."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping

import pyarrow as pa

from lazyframe.executors.sources.csv_decimals import as_parsed, read_decimals
from lazyframe.executors.sources.csv_text import BLOCK_BYTES, CsvDialect, CsvFile, convert_options, records
from lazyframe.executors.sources.files import first_line
from lazyframe.planner.errors import SourceError
from lazyframe.planner.nouns import with_article
from lazyframe.planner.types import STRING, DataType, is_decimal, is_timestamp, type_name


def check_no_open_quote(source: CsvFile) -> None:
    """Check that the file does not end within quotes.

    Raises:
        SourceError: where it does; names the line of the quote.
    """
    line = source.header_lines + 1
    try:
        for _, last, _ in records(source.file, source.dialect, strict=True):
            line = last + 1
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise SourceError(
                f"{source.file.name}, line {line}: a quote is opened and never closed",
                hint="quote_char=None takes quotes as ordinary text",
            ) from error


_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")
_OFFSET = re.compile(r"\d(?:Z|[+-]\d{2}(?::?\d{2})?)\s*$")
_UNFIT = re.compile(r"In CSV column #(\d+): (?:Row #(\d+): )?(.*)", re.DOTALL)


def explained(source: CsvFile, types: Mapping[str, DataType], error: BaseException) -> SourceError:
    """The error with the line, the column and the text that it is about."""
    name, text = source.file.name, str(error)
    if m := _RAGGED.search(text):
        expected, found = int(m[2]), int(m[3])
        line = _line_of_ragged(source, expected)
        place = f"{name}, line {line}" if line else f"{name}, row {m[1]}"
        wanted = "1 value was expected" if expected == 1 else f"{expected} values were expected"
        return SourceError(f"{place}: {wanted}, {found} found", hint=_advice(source, expected, found))
    if "straddling" in text or "not enough" in text.lower():
        return SourceError(
            f"{name} holds a record of more than {BLOCK_BYTES >> 20} MB: perhaps a quote is never closed",
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
            return SourceError(
                f"{name}, column {column!r}: {first_line(error)}, not {with_article(type_name(dtype))}", hint=hint
            )
        line, value = found_at
        if is_timestamp(dtype) and dtype.tz is None and _OFFSET.search(value):
            zoned = type_name(pa.timestamp(dtype.unit, "UTC"))
            hint = f"it has an offset from UTC: schema={{{column!r}: {zoned!r}}} keeps the instant"
        return SourceError(
            f"{name}, line {line}, column {column!r}: {value!r} is not {with_article(type_name(dtype))}", hint=hint
        )
    return SourceError(f"cannot read {name}: {first_line(error)}")


def _advice(source: CsvFile, expected: int, found: int) -> str:
    """What to do about a row with a wrong number of values. Those before it had as many as the header."""
    hint = "ragged='skip' leaves such rows out"
    if found < expected:
        return f"{hint}, ragged='null' fills those that are too short; or check the separator and quotes"
    return f"{hint}; or check the separator and quotes; skip_rows=1 leaves out a line before the header"


def _body(source: CsvFile) -> Iterator[tuple[int, list[str]]]:
    try:
        for first, last, row in records(source.file, source.dialect):
            if last > source.header_lines:
                yield first, row
    except csv.Error:
        return


def _line_of_ragged(source: CsvFile, expected: int) -> int | None:
    if source.dialect.comment is not None:
        return None
    short_is_fine = source.dialect.ragged == "null"
    rows = ((line, len(row)) for line, row in _body(source))
    return next((line for line, found in rows if found > expected or (found < expected and not short_is_fine)), None)


def _line_of_unfit(source: CsvFile, column: str, dtype: DataType) -> tuple[int, str] | None:
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
    options = convert_options(as_parsed({"a": dtype}), dialect)
    try:
        table = arrow_csv.read_csv(
            io.BytesIO(buffer.getvalue().encode()),
            arrow_csv.ReadOptions(column_names=["a", "b"], use_threads=False, block_size=1 << 28),
            arrow_csv.ParseOptions(newlines_in_values=True),
            options,
        )
        if is_decimal(dtype):
            read_decimals(table.column("a"), dtype)
    except (pa.ArrowException, ValueError):
        return False
    return True
