"""The rows of a CSV file as Arrow tables, parsed by pyarrow."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.sources.csv_decimals import as_parsed, with_decimals
from lazyframe.executors.sources.csv_errors import check_no_open_quote, explained
from lazyframe.executors.sources.csv_ranges import ByteRange
from lazyframe.executors.sources.csv_text import CsvFile, QuoteCounter, convert_options, opened_text
from lazyframe.executors.sources.files import open_file, reading
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.errors import LazyFrameError
from lazyframe.planner.types import STRING, DataType


def sample_of(source: CsvFile, names: list[str], rows: int) -> pa.Table:
    found: list[pa.Table] = []
    count = 0
    for table in tables_of(source, dict.fromkeys(names, STRING), 1 << 20):
        found.append(table)
        count += table.num_rows
        if count >= rows:
            break
    return (
        pa.concat_tables(found).slice(0, rows) if found else pa.table({name: arrow.array([], STRING) for name in names})
    )


def tables_of(source: CsvFile, types: Mapping[str, DataType], block_bytes: int) -> Iterator[pa.Table]:
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
    convert = convert_options(as_parsed(types), dialect)
    read = arrow_csv.ReadOptions(
        use_threads=False,
        block_size=block_bytes,
        column_names=source.names,
        skip_rows=source.header_lines if source.part is None else 0,
        encoding=dialect.encoding,
    )
    counter = None
    try:
        with reading(source.file):
            if source.part is None:
                opened = opened_text(source.file, dialect)
            else:
                opened = pa.PythonFile(ByteRange(open_file(source.file), *source.part), mode="r")
        if dialect.quote_char is not None and dialect.escape_char is None:
            counter = QuoteCounter(opened, dialect.quote_char.encode())
            opened = pa.PythonFile(counter, mode="r")
        with arrow_csv.open_csv(opened, read, parse, convert) as reader:
            for batch in reader:
                table = short.spliced(pa.Table.from_batches([batch]))
                yield with_decimals(table, types, source)
        if counter is not None and counter.quotes % 2:
            check_no_open_quote(source)
        rest = short.rest()
        if rest is not None:
            yield with_decimals(rest, types, source)
    except LazyFrameError:
        raise
    except StopIteration:
        return
    except (pa.ArrowException, OSError, ValueError) as error:
        if "Empty CSV file" in str(error) or "either file is too short" in str(error):
            rest = short.rest()
            if rest is not None:
                yield with_decimals(rest, types, source)
            return
        raise explained(source, types, error) from error


class _ShortRows:
    """Meets rows with a wrong number of values: refuses, drops or fills them, as the dialect says."""

    def __init__(self, source: CsvFile, types: Mapping[str, DataType]) -> None:
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
        return pc.take(pa.concat_tables([table, filled]), arrow.array(order))

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
            convert_options(as_parsed(self._types), dialect),
        )
