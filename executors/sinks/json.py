"""Write JSON, one object a line."""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import json
import math
from typing import Any

import pyarrow as pa

from lazyframe.executors.sinks.file_sink import FileSink
from lazyframe.executors.sinks.text import content, plain_text, sql_text
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import (
    DataType,
    is_bool,
    is_decimal,
    is_duration,
    is_float,
    is_integer,
    is_interval,
    is_list,
    is_map,
    is_null,
    is_string,
    is_struct,
    is_timestamp,
)

_SPECIAL = r'[\x00-\x1f"\\]'


class JsonSink(FileSink):
    """Writes a file with one JSON object a line.

    Args:
        path: the file.
        schema: its columns.

    Every object has all names; null is null. JSON has no NaN and no infinities: they are written as null. Decimals and
    64-bit integers are numbers with all their digits, dates and times are ISO 8601 texts (instants in UTC with a Z), spans of
    time texts as SQL casts them (`1 day 02:00:00`), bytes base64 texts, maps objects. A float keeps its point (`1.0`), so that
    it is read back as one. A name that ends with .gz, .zst, .bz2 or .lz4 compresses the file so.
    """

    compression_by_name = True

    def _begin(self) -> None:
        names = [json.dumps(name, ensure_ascii=False) for name in self.schema.names]
        self._before = [("{" if i == 0 else ",") + name + ":" for i, name in enumerate(names)]

    def _append(self, batch: pa.RecordBatch) -> None:
        pieces: list[Any] = []
        for before, column in zip(self._before, batch.columns, strict=True):
            pieces += [before, pc.fill_null(_texts(column), "null")]
        self._file.stream.write(content(pc.binary_join_element_wise(*pieces, "}\n", "")))

    def _finish(self) -> None:
        """The last line has been written."""


def _texts(column: pa.Array) -> pa.StringArray:
    """Each value as JSON text; null where it is null."""
    kind = column.type
    if is_null(kind):
        return pa.nulls(len(column), pa.string())
    if is_float(kind):
        return pc.if_else(pc.is_finite(column), plain_text(column), arrow.scalar(None, pa.string()))
    if is_bool(kind) or is_integer(kind) or is_decimal(kind):
        return plain_text(column)
    if is_string(kind):
        return _string_texts(column)
    if is_timestamp(kind):
        stamps = pc.replace_substring(plain_text(column), " ", "T", max_replacements=1)
        return pc.binary_join_element_wise('"', stamps, '"', "")
    if is_duration(kind) or is_interval(kind):
        return pc.binary_join_element_wise('"', sql_text(column), '"', "")
    if pa.types.is_date(kind) or pa.types.is_time(kind):
        return pc.binary_join_element_wise('"', plain_text(column), '"', "")
    return arrow.array([None if value is None else _text(value, kind) for value in column.to_pylist()], pa.string())


def _string_texts(column: pa.StringArray) -> pa.StringArray:
    special = pc.match_substring_regex(column, _SPECIAL)
    quoted = pc.binary_join_element_wise('"', column, '"', "")
    if not pc.any(special).as_py():
        return quoted
    escaped = [json.dumps(text, ensure_ascii=False) for text in column.filter(special).to_pylist()]
    return pc.replace_with_mask(quoted, pc.fill_null(special, False), arrow.array(escaped, pa.string()))


def _text(value: Any, dtype: DataType) -> str:
    """A value of a nested type, or within one."""
    if value is None:
        return "null"
    if is_struct(dtype):
        return "{" + ",".join([_member(field.name, value[field.name], field.type) for field in dtype]) + "}"
    if is_map(dtype):
        return "{" + ",".join([_member(str(key), item, dtype.item_type) for key, item in value]) + "}"
    if is_list(dtype):
        return "[" + ",".join([_text(item, dtype.value_type) for item in value]) + "]"
    if is_duration(dtype) or is_interval(dtype):
        return json.dumps(sql_text(arrow.array([value], dtype))[0].as_py())
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "null"
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, (dt.date, dt.time)):
        return json.dumps(_iso(value))
    if isinstance(value, bytes):
        return json.dumps(base64.b64encode(value).decode())
    return json.dumps(value, ensure_ascii=False)


def _member(name: str, value: Any, dtype: DataType) -> str:
    return f"{json.dumps(name, ensure_ascii=False)}:{_text(value, dtype)}"


def _iso(value: dt.date | dt.time) -> str:
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.UTC).replace(tzinfo=None).isoformat() + "Z"
    return value.isoformat()
