"""Names of types in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from sqlglot import exp

from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
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
    MAX_DECIMAL_DIGITS,
    NULL,
    STRING,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    DataType,
    is_decimal,
    is_list,
    is_map,
    is_struct,
    is_time,
    is_timestamp,
    parse_type,
)

if TYPE_CHECKING:
    from lazyframe.planner.sql.expressions.binder import Expressions

TIME, TIMESTAMP, INSTANT = pa.time64("us"), pa.timestamp("us"), pa.timestamp("us", "UTC")
HUGEINT = pa.decimal128(38, 0)

_T = exp.DType
_TYPES: dict[exp.DType, DataType] = {
    _T.NULL: NULL, _T.BOOLEAN: BOOL,
    _T.TINYINT: INT8, _T.SMALLINT: INT16, _T.MEDIUMINT: INT32, _T.INT: INT32, _T.BIGINT: INT64, _T.INT128: HUGEINT,
    _T.UTINYINT: UINT8, _T.USMALLINT: UINT16, _T.UMEDIUMINT: UINT32, _T.UINT: UINT32, _T.UBIGINT: UINT64,
    _T.FLOAT: FLOAT32, _T.DOUBLE: FLOAT64,
    _T.TEXT: STRING, _T.VARCHAR: STRING, _T.NVARCHAR: STRING, _T.CHAR: STRING, _T.NCHAR: STRING, _T.BPCHAR: STRING,
    _T.TINYTEXT: STRING, _T.MEDIUMTEXT: STRING, _T.LONGTEXT: STRING, _T.NAME: STRING,
    _T.BLOB: BINARY, _T.BINARY: BINARY, _T.VARBINARY: BINARY, _T.TINYBLOB: BINARY, _T.MEDIUMBLOB: BINARY, _T.LONGBLOB: BINARY,
    _T.DATE: DATE, _T.DATE32: DATE, _T.TIME: TIME, _T.TIME_NS: pa.time64("ns"),
    _T.TIMESTAMP: TIMESTAMP, _T.TIMESTAMPNTZ: TIMESTAMP, _T.DATETIME: TIMESTAMP, _T.DATETIME2: TIMESTAMP,
    _T.TIMESTAMPTZ: INSTANT, _T.TIMESTAMPLTZ: INSTANT,
    _T.TIMESTAMP_S: pa.timestamp("s"), _T.TIMESTAMP_MS: pa.timestamp("ms"), _T.TIMESTAMP_NS: pa.timestamp("ns"),
    _T.INTERVAL: INTERVAL,
}  # fmt: skip
_BY_PLACES = {0: "s", 3: "ms", 6: "us", 9: "ns"}
# Names of Arrow's that DuckDB and PostgreSQL do not have; where they have them, as int8, theirs is meant.
_ARROW = {
    "date32", "date64", "utf8", "large_utf8", "utf8view", "largeutf8", "largebinary", "boolean", "uint8", "uint16", "uint32",
    "uint64", "float16", "float32", "float64", "duration", "timestamp_s", "timestamp_ms", "timestamp_us", "timestamp_ns",
}  # fmt: skip
_ARROW_SPELLINGS = {
    "date64": "date", "date32": "date", "large_utf8": "string", "utf8view": "string", "largeutf8": "string",
    "largebinary": "binary", "float16": "float32", "timestamp_s": "timestamp[s]", "timestamp_ms": "timestamp[ms]",
    "timestamp_us": "timestamp[us]", "timestamp_ns": "timestamp[ns]",
}  # fmt: skip
_TEXTS = frozenset({_T.TEXT, _T.VARCHAR, _T.NVARCHAR})


def read_type(tree: exp.DataType, e: Expressions) -> DataType:
    """The type that a name in SQL means.

    Raises:
        UnsupportedError: where we have no type of that meaning.
        InvalidArgumentError: where its parameters make no sense.
    """
    kind = tree.this
    if isinstance(kind, exp.Interval):
        return INTERVAL
    if tree.args.get("collate") is not None:
        raise e.error(tree, UnsupportedError, "COLLATE is not supported: text is compared by code point")
    if kind in (_T.ARRAY, _T.LIST):
        return _list(tree, e)
    if kind == _T.STRUCT:
        return pa.struct([_field(part, e) for part in tree.expressions])
    if kind == _T.MAP and len(tree.expressions) == 2:
        key, value = (read_type(part, e) for part in tree.expressions)
        return pa.map_(key, value)
    if kind == _T.USERDEFINED:
        return _named(tree, e)
    if kind == _T.DECIMAL:
        return _decimal(tree, e)
    found = _TYPES.get(kind)
    if found is None:
        raise e.error(tree, UnsupportedError, f"the type {tree.sql('duckdb')} is not supported", _hint(kind))
    parameters = _parameters(tree, e)
    if not parameters or (kind in _TEXTS and len(parameters) == 1):
        return found
    (places, *more) = parameters
    if not more and is_timestamp(found) and places in _BY_PLACES:
        return pa.timestamp(_BY_PLACES[places], found.tz)
    if not more and kind in (_T.FLOAT, _T.DOUBLE) and 1 <= places <= 53:
        # SQL's float(n) is of at least n binary digits.
        return FLOAT32 if places <= 24 else FLOAT64
    raise e.error(tree, UnsupportedError, f"the type {tree.sql('duckdb')} is not supported")


def text_limit(tree: exp.DataType, e: Expressions) -> int | None:
    """To how many characters a cast to this type cuts a text; None where to none."""
    parameters = _parameters(tree, e) if tree.this in _TEXTS else []
    return parameters[0] if parameters else None


def is_bare_decimal(tree: exp.DataType) -> bool:
    """Whether it is a decimal without precision, which some dialects take for one of as many digits as there are."""
    return tree.this == _T.DECIMAL and not tree.expressions


def _parameters(tree: exp.DataType, e: Expressions) -> list[int]:
    return [e.constant(part.this, "a parameter of a type", int) for part in tree.expressions]


def _list(tree: exp.DataType, e: Expressions) -> DataType:
    if tree.args.get("values"):
        raise e.error(tree, UnsupportedError, "lists of a fixed length are not supported", "write a list: INT[]")
    if len(tree.expressions) != 1:
        raise e.error(tree, UnsupportedError, "a list is of values of one type, as in INT[]")
    return pa.list_(pa.field("item", read_type(tree.expressions[0], e)))


def _field(part: exp.Expr, e: Expressions) -> pa.Field:
    kind = part.args.get("kind")
    if not isinstance(kind, exp.DataType):
        raise e.error(part, UnsupportedError, "a struct has names and types, as in STRUCT(a INT, b VARCHAR)")
    return pa.field(part.name, read_type(kind, e))


def _decimal(tree: exp.DataType, e: Expressions) -> DataType:
    if not tree.expressions:
        raise e.error(
            tree,
            UnsupportedError,
            "a decimal without precision is not supported here",
            "write DECIMAL(precision, scale)",
        )
    precision, *rest = _parameters(tree, e)
    scale = rest[0] if rest else 0
    if not 1 <= precision <= MAX_DECIMAL_DIGITS or not 0 <= scale <= precision:
        raise e.error(tree, InvalidArgumentError, "a decimal has 1 to 38 digits and a scale from 0 to that")
    return pa.decimal128(precision, scale)


def _named(tree: exp.DataType, e: Expressions) -> DataType:
    kind = tree.args.get("kind")
    name = (kind.name if isinstance(kind, exp.Expr) else str(kind)).lower()
    if name in _ARROW:
        return parse_type(_ARROW_SPELLINGS.get(name, name))
    from lazyframe.planner.errors import did_you_mean

    known = [known.value.lower() for known in _TYPES] + sorted(_ARROW)
    raise e.error(tree, InvalidArgumentError, f"no type named {name!r}", did_you_mean(name, known))


def _hint(kind: exp.DType) -> str | None:
    if kind in (_T.UUID, _T.JSON, _T.JSONB, _T.ENUM, _T.XML):
        return "such values are text here: VARCHAR"
    if kind == _T.TIMETZ:
        return "a time of day has no zone here: TIME"
    if kind in (_T.UINT128, _T.INT256, _T.UINT256, _T.BIGDECIMAL):
        return "the greatest numbers are DECIMAL(38, 0)"
    return None


_SQL_NAMES: dict[DataType, str] = {
    NULL: '"NULL"', BOOL: "BOOLEAN", INT8: "TINYINT", INT16: "SMALLINT", INT32: "INTEGER", INT64: "BIGINT", UINT8: "UTINYINT",
    UINT16: "USMALLINT", UINT32: "UINTEGER", UINT64: "UBIGINT", FLOAT32: "FLOAT", FLOAT64: "DOUBLE", STRING: "VARCHAR",
    BINARY: "BLOB", DATE: "DATE", INTERVAL: "INTERVAL",
}  # fmt: skip
_STAMPS = {"s": "TIMESTAMP_S", "ms": "TIMESTAMP_MS", "us": "TIMESTAMP", "ns": "TIMESTAMP_NS"}


def sql_name(t: DataType) -> str:
    """A type as SQL writes it.

    >>> import pyarrow as pa
    >>> sql_name(pa.list_(pa.decimal128(10, 2)))
    'DECIMAL(10,2)[]'
    """
    if t in _SQL_NAMES:
        return _SQL_NAMES[t]
    if is_decimal(t):
        return f"DECIMAL({t.precision},{t.scale})"
    if is_timestamp(t):
        return "TIMESTAMP WITH TIME ZONE" if t.tz else _STAMPS[t.unit]
    if is_time(t):
        return "TIME"
    if is_list(t):
        return f"{sql_name(t.value_type)}[]"
    if is_struct(t):
        return "STRUCT(" + ", ".join(f"{_quoted(f.name)} {sql_name(f.type)}" for f in t) + ")"
    if is_map(t):
        return f"MAP({sql_name(t.key_type)}, {sql_name(t.item_type)})"
    return "INTERVAL" if pa.types.is_duration(t) else str(t)


def _quoted(name: str) -> str:
    plain = name.replace("_", "a").isalnum() and name.isascii() and not name[0].isdigit()
    return name if plain else '"' + name.replace('"', '""') + '"'


__all__ = ["INSTANT", "TIME", "TIMESTAMP", "is_bare_decimal", "read_type", "sql_name", "text_limit"]
