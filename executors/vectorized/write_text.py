"""Casts to text, in the forms that casts from text read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.calendar_text import calendar_text
from lazyframe.executors.vectorized.cast_numbers import Conversion
from lazyframe.executors.vectorized.functions.layout import interval_values, numpy_values
from lazyframe.executors.vectorized.functions.unscaled import unscaled
from lazyframe.executors.vectorized.local_time import TICKS, to_local
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import (
    STRING,
    DataType,
    is_binary,
    is_date,
    is_decimal,
    is_duration,
    is_float,
    is_interval,
    is_list,
    is_map,
    is_nested,
    is_struct,
    is_time,
    is_timestamp,
)


def write_text(array: pa.Array, source: DataType) -> Conversion:
    """Cast any type to string; only bytes that are no UTF-8 have none."""
    if is_binary(source):
        return _decode(array)
    if is_float(source):
        return _rows(array, numpy_values(array), _float_text), None
    if is_decimal(source):
        values = unscaled(array).values
        return _rows(array, values, lambda number: decimal_text(int(number), source.scale)), None
    if is_timestamp(source):
        return _timestamps(array, source), None
    if is_time(source) or is_date(source):
        return calendar_text(array), None
    if is_duration(source):
        per_second = TICKS[source.unit]
        return _rows(array, numpy_values(array), lambda ticks: _span(0, 0, int(ticks), per_second)), None
    if is_interval(source):
        return _rows(
            array, interval_values(array), lambda part: _span(int(part[0]), int(part[1]), int(part[2]), 10**9)
        ), None
    if is_nested(source):
        texts = _texts(array, source)
        return arrow.array(texts, STRING), None
    return array.cast(STRING), None


def _rows(array: pa.Array, values: np.ndarray, write: Callable[[Any], str]) -> pa.Array:
    valid = None if array.null_count == 0 else array.is_valid().to_pylist()
    if valid is None:
        return arrow.array([write(v) for v in values], STRING)
    return arrow.array([write(v) if known else None for v, known in zip(values, valid, strict=True)], STRING)


def _float_text(value: np.floating) -> str:
    """The shortest text that reads back as the same float of its width, in the form of Python's `repr`."""
    return repr(float(value if isinstance(value, np.float64) else str(value)))


def decimal_text(number: int, scale: int) -> str:
    """A decimal with all places of its scale.

    >>> decimal_text(-5, 2)
    '-0.05'
    """
    digits = str(abs(number)).rjust(scale + 1, "0")
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[:-scale]}.{digits[-scale:]}" if scale else sign + digits


def _timestamps(array: pa.Array, source: DataType) -> pa.Array:
    local = to_local(array)
    texts = calendar_text(local)
    if source.tz is None:
        return texts
    seconds = (numpy_values(local) - numpy_values(array)) // TICKS[source.unit]
    offsets = _rows(array, seconds, lambda offset: _offset_text(int(offset)))
    return pc.binary_join_element_wise(texts, offsets, "")


def _offset_text(seconds: int) -> str:
    minutes, rest = divmod(abs(seconds), 60)
    text = f"{'-' if seconds < 0 else '+'}{minutes // 60:02}"
    return text + (f":{minutes % 60:02}" if minutes % 60 or rest else "") + (f":{rest:02}" if rest else "")


def _span(months: int, days: int, ticks: int, per_second: int) -> str:
    parts = []
    if months:
        years, months = (abs(months) // 12 * (-1 if months < 0 else 1), abs(months) % 12 * (-1 if months < 0 else 1))
        parts += [_counted(years, "year")] * bool(years) + [_counted(months, "month")] * bool(months)
    if not days and not months:
        whole, size = divmod(abs(ticks), 86_400 * per_second)
        days, ticks = (-whole, -size) if ticks < 0 else (whole, size)
    if days:
        parts.append(_counted(days, "day"))
    if ticks or not parts:
        seconds, fraction = divmod(abs(ticks), per_second)
        clock = f"{'-' if ticks < 0 else ''}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        places = len(str(per_second)) - 1
        parts.append(clock + (f".{fraction:0{places}}".rstrip("0") if fraction else ""))
    return " ".join(parts)


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if abs(count) == 1 else f"{count} {word}s"


def _decode(array: pa.Array) -> Conversion:
    try:
        return array.cast(STRING), None
    except pa.ArrowInvalid:
        texts = [None if value is None else _decoded(value) for value in array.to_pylist()]
        return arrow.array(texts, STRING), np.array([t is None for t in texts], dtype=np.bool_)


def _decoded(value: bytes) -> str | None:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None


def _texts(array: pa.Array, source: DataType) -> list[str | None]:
    """Nested values as DuckDB writes them: `[1, 2]`, `{'a': 1}`, `{k=v}`."""
    if not is_nested(source):
        return write_text(array, source)[0].to_pylist()
    valid = array.is_valid().to_pylist()
    if is_struct(source):
        columns = [_inner(child, f.type) for child, f in zip(array.flatten(), source, strict=True)]
        names = [f.name for f in source]
        rows = [
            "{" + ", ".join(f"'{n}': {v}" for n, v in zip(names, row, strict=True)) + "}"
            for row in zip(*columns, strict=True)
        ]
        return [row if known else None for row, known in zip(rows, valid, strict=True)]
    if is_map(source):
        entries = array.cast(pa.list_(pa.struct([("key", source.key_type), ("value", source.item_type)])))
        elements = entries.flatten()
        keys, items = (
            _inner(child, t) for child, t in zip(elements.flatten(), (source.key_type, source.item_type), strict=True)
        )
        inner = [f"{k}={v}" for k, v in zip(keys, items, strict=True)]
        return _grouped(entries, inner, valid, "{", "}")
    assert is_list(source)
    return _grouped(array, _inner(array.flatten(), source.value_type), valid, "[", "]")


def _inner(array: pa.Array, source: DataType) -> list[str]:
    return ["NULL" if text is None else text for text in _texts(array, source)]


def _grouped(array: pa.Array, elements: list[str], valid: list[bool], opening: str, closing: str) -> list[str | None]:
    rows: list[str | None] = []
    start = 0
    for length, known in zip(pc.fill_null(pc.list_value_length(array), 0).to_pylist(), valid, strict=True):
        rows.append(opening + ", ".join(elements[start : start + length]) + closing if known else None)
        start += length
    return rows
