"""Write CSV (RFC 4180), so that null, empty text and everything else can be told apart when it is read back."""

from __future__ import annotations

import os
import re

import pyarrow as pa

from lazyframe.executors.sinks.file_sink import FileSink
from lazyframe.executors.sinks.text import content, holds_bytes, plain_text, sql_text
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.errors import InvalidArgumentError, SinkError, UnsupportedError
from lazyframe.planner.types import is_binary, is_duration, is_interval, is_nested, is_string, type_name


class CsvSink(FileSink):
    r"""Writes a CSV file.

    Args:
        path: the file.
        schema: its columns: no lists, structs or maps of bytes.
        separator: between values.
        header: whether the first line holds the names.
        null: what stands for null. A text that is the same is quoted, so an empty text is `""`.
        quoting: `"needed"` quotes texts that hold a separator, quote or newline, or look like null; `"all"` every value
            that is not null; `"none"` nothing, and a text that would need it is an error.

    Dates and times are ISO 8601, instants in UTC with a Z, floats as short as they read back the same. What CSV has no place
    for is written as SQL casts it to text: lists as `[1, 2]`, structs as `{'a': 1}`, maps as `{k=v}`, spans of time as
    `1 day 02:00:00`, bytes as `a\xFF`. A name that ends with .gz, .zst, .bz2 or .lz4 compresses the file so.
    """

    compression_by_name = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        schema: pa.Schema,
        *,
        separator: str = ",",
        header: bool = True,
        null: str = "",
        quoting: str = "needed",
    ) -> None:
        if len(separator) != 1 or separator in '"\r\n':
            raise InvalidArgumentError(f"the separator is one character, and no quote or newline, not {separator!r}")
        if quoting not in ("needed", "all", "none"):
            raise InvalidArgumentError(f"quoting is 'needed', 'all' or 'none', not {quoting!r}")
        if re.search(r'["\r\n]', null) or separator in null:
            raise InvalidArgumentError(f"a text for null has no separator, quote or newline: {null!r}")
        for field in schema:
            if is_nested(field.type) and holds_bytes(field.type):
                raise UnsupportedError(
                    f"CSV has no place for the bytes within {type_name(field.type)} in column {field.name!r}",
                    hint="drop it, or write Parquet",
                )
        self._separator, self._header, self._null, self._quoting = separator, header, null, quoting
        self._special = f'[{re.escape(separator)}"\r\n]'
        super().__init__(path, schema)

    def _begin(self) -> None:
        if self._header:
            names = arrow.array(self.schema.names, pa.string())
            texts = self._quoted(names, "a column's name") if self._quoting != "all" else self._in_quotes(names)
            self._file.stream.write((self._separator.join(texts.to_pylist()) + "\n").encode())

    def _append(self, batch: pa.RecordBatch) -> None:
        columns = [self._texts(field, column) for field, column in zip(self.schema, batch.columns, strict=True)]
        null = arrow.scalar(self._null)
        # Filled first: joining drops the separator of a null that is replaced only later.
        filled = [pc.fill_null(column, null) for column in columns]
        lines = pc.binary_join_element_wise(*filled, self._separator)
        self._file.stream.write(content(pc.binary_join_element_wise(lines, "\n", "")))

    def _finish(self) -> None:
        """The last line has been written."""

    def _texts(self, field: pa.Field, column: pa.Array) -> pa.StringArray:
        texts = _text_of(column)
        if self._quoting == "all":
            return self._in_quotes(texts)
        return self._quoted(texts, f"column {field.name!r}")

    def _quoted(self, texts: pa.StringArray, where: str) -> pa.StringArray:
        needed = pc.or_(pc.match_substring_regex(texts, self._special), pc.equal(texts, self._null))
        if not pc.any(needed).as_py():
            return texts
        if self._quoting == "none":
            example = texts.filter(needed)[0].as_py()
            raise SinkError(
                f"cannot write {self._file.path}: {example!r} in {where} needs quotes", hint="quoting='needed'"
            )
        return pc.if_else(needed, self._in_quotes(texts), texts)

    def _in_quotes(self, texts: pa.StringArray) -> pa.StringArray:
        doubled = pc.replace_substring(texts, '"', '""')
        return pc.binary_join_element_wise('"', doubled, '"', "")


def _text_of(column: pa.Array) -> pa.StringArray:
    kind = column.type
    if is_string(kind):
        return column
    if is_nested(kind) or is_binary(kind) or is_duration(kind) or is_interval(kind):
        return sql_text(column)
    return plain_text(column)
