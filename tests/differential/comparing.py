"""Whether two results are the same: to the bit, or as values where another engine rounds otherwise."""

from __future__ import annotations

import datetime
import decimal
import math
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

Row = tuple[Any, ...]


def identical(a: pa.Table, b: pa.Table) -> bool:
    """Whether both have the same schema, and the same rows in the same order, to the bit."""
    if not a.schema.equals(b.schema) or a.num_rows != b.num_rows:
        return False
    return all(_bits(x) == _bits(y) for x, y in zip(a.columns, b.columns, strict=True))


def _bits(column: pa.ChunkedArray) -> list[Any]:
    return [_exact(value) for value in column.to_pylist()] if not pa.types.is_nested(column.type) else [
        repr(value) for value in column.to_pylist()
    ]  # fmt: skip


def _exact(value: Any) -> Any:
    return value.hex() if isinstance(value, float) else value


def same_bits(a: pa.Table, b: pa.Table) -> bool:
    """The same as `identical`, fast over long tables; all NaN are one."""
    if not a.schema.equals(b.schema) or a.num_rows != b.num_rows:
        return False
    return all(_words(x).equals(_words(y)) for x, y in zip(a.columns, b.columns, strict=True))


def _words(column: pa.ChunkedArray) -> pa.Array:
    """Values that are equal where those of the column have the same bits."""
    if pa.types.is_nested(column.type):
        return pa.array([repr(value) for value in column.to_pylist()], pa.string())
    array = column.combine_chunks()
    if not pa.types.is_floating(column.type):
        return array
    words = array.view(pa.int32() if column.type == pa.float32() else pa.int64())
    return pc.if_else(pc.is_nan(array), pa.scalar(-1, words.type), words)


def rows(table: pa.Table) -> list[Row]:
    """The rows with values as peers know them too: -0.0 is 0.0, any NaN is one, decimals are fractions of their value."""
    columns = [[_plain(v) for v in column.to_pylist()] for column in table.columns]
    return list(zip(*columns, strict=True)) if columns else [()] * table.num_rows


def _plain(value: Any) -> Any:
    match value:
        case bool():
            return value
        case float():
            return "nan" if math.isnan(value) else value + 0.0
        case decimal.Decimal():
            return int(value) if value == value.to_integral_value() else value.normalize()
        case datetime.datetime() if value.tzinfo is not None:
            return value.astimezone(datetime.UTC)
        case list():
            return tuple(_plain(v) for v in value)
        case dict():
            return tuple((k, _plain(v)) for k, v in value.items())
    return value


def same_rows(ours: list[Row], theirs: list[Row], *, ordered: bool) -> bool:
    """Whether both have equal rows; floats may differ in the last places, in which engines add up differently."""
    if len(ours) != len(theirs):
        return False
    if not ordered:
        ours, theirs = sorted(ours, key=_order), sorted(theirs, key=_order)
    return all(len(a) == len(b) and all(map(_close, a, b)) for a, b in zip(ours, theirs, strict=True))


def _order(row: Row) -> tuple[list[str], list[str]]:
    """To sort rows by: exact values first, then numbers, which engines may round otherwise, to nine digits."""
    numbers = [isinstance(v, (float, int, decimal.Decimal)) and not isinstance(v, bool) for v in row]
    exact = ["" if number else repr(v) for v, number in zip(row, numbers, strict=True)]
    return exact, [f"{float(v):.9e}" if number else "" for v, number in zip(row, numbers, strict=True)]


def _close(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_close, a, b))
    if isinstance(a, float) or isinstance(b, float):
        if a is None or b is None or isinstance(a, str) or isinstance(b, str):
            return a == b
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return (type(a) is type(b) and a == b) or (a == b and not isinstance(a, bool) and not isinstance(b, bool))
