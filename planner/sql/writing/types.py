"""Our types as SQL's."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp

from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.types import (
    BINARY,
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    INTERVAL,
    NULL,
    STRING,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    DataType,
    is_decimal,
    is_duration,
    is_list,
    is_map,
    is_struct,
    is_time,
    is_timestamp,
    type_name,
)

_NAMES: dict[DataType, str] = {
    BOOL: "BOOLEAN", INT8: "TINYINT", INT16: "SMALLINT", INT32: "INTEGER", INT64: "BIGINT", UINT8: "UTINYINT",
    UINT16: "USMALLINT", UINT32: "UINTEGER", UINT64: "UBIGINT", FLOAT32: "REAL", FLOAT64: "DOUBLE", STRING: "VARCHAR",
    BINARY: "BLOB", DATE: "DATE", INTERVAL: "INTERVAL", NULL: "INTEGER",
}  # fmt: skip

_TIMESTAMPS = {"s": "TIMESTAMP_S", "ms": "TIMESTAMP_MS", "us": "TIMESTAMP", "ns": "TIMESTAMP_NS"}


@lru_cache(maxsize=1024)
def type_text(dtype: DataType) -> str:
    """The type as DuckDB writes it.

    Durations are intervals there, and a timestamp with a zone has no zone of its own but is an instant.

    Raises:
        UnsupportedError: where SQL has no such type.
    """
    if dtype in _NAMES:
        return _NAMES[dtype]
    if is_decimal(dtype):
        return f"DECIMAL({dtype.precision}, {dtype.scale})"
    if is_timestamp(dtype):
        return "TIMESTAMPTZ" if dtype.tz else _TIMESTAMPS[dtype.unit]
    if is_time(dtype):
        return "TIME"
    if is_duration(dtype):
        return "INTERVAL"
    if is_list(dtype):
        return f"{type_text(dtype.value_type)}[]"
    if is_struct(dtype):
        fields = [f"{exp.to_identifier(f.name, quoted=True).sql('duckdb')} {type_text(f.type)}" for f in dtype]
        return f"STRUCT({', '.join(fields)})"
    if is_map(dtype):
        return f"MAP({type_text(dtype.key_type)}, {type_text(dtype.item_type)})"
    raise UnsupportedError(f"SQL has no type for {type_name(dtype)}")


def sql_type(dtype: DataType) -> exp.DataType:
    """The type as a node of sqlglot's, which writes it in any dialect."""
    return _parsed(type_text(dtype)).copy()


@lru_cache(maxsize=1024)
def _parsed(text: str) -> exp.DataType:
    return exp.DataType.build(text, dialect="duckdb")


def cast(value: exp.Expression, dtype: DataType) -> exp.Cast:
    return exp.Cast(this=value, to=sql_type(dtype))
