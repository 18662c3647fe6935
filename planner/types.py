"""Types: what a column means, whatever its physical layout.

Types are pyarrow's. One meaning has one type here: large strings, string views and dictionaries of strings are all
`string`; see `canonical`. How values are laid out in a batch is the executor's business.
"""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

import pyarrow as pa

DataType: TypeAlias = pa.DataType

MAX_DECIMAL_DIGITS = 38

NULL, BOOL = pa.null(), pa.bool_()
INT8, INT16, INT32, INT64 = pa.int8(), pa.int16(), pa.int32(), pa.int64()
UINT8, UINT16, UINT32, UINT64 = pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()
FLOAT32, FLOAT64 = pa.float32(), pa.float64()
STRING, BINARY, DATE = pa.string(), pa.binary(), pa.date32()
INTERVAL = pa.month_day_nano_interval()

_SIGNED = {INT8: 8, INT16: 16, INT32: 32, INT64: 64}
_UNSIGNED = {UINT8: 8, UINT16: 16, UINT32: 32, UINT64: 64}
_BY_BITS_SIGNED = {bits: t for t, bits in _SIGNED.items()}
_DIGITS = {8: 3, 16: 5, 32: 10, 64: 19}


# Asked of almost every type that is bound: looking a type up by its hash writes it as a string first.
_SIGNED_IDS = frozenset([t.id for t in _SIGNED])
_UNSIGNED_IDS = frozenset([t.id for t in _UNSIGNED])


def is_integer(t: DataType) -> bool:
    return t.id in _SIGNED_IDS or t.id in _UNSIGNED_IDS


def is_unsigned(t: DataType) -> bool:
    return t.id in _UNSIGNED_IDS


def is_float(t: DataType) -> bool:
    return t in (FLOAT32, FLOAT64)


def is_decimal(t: DataType) -> bool:
    return pa.types.is_decimal(t)


def is_numeric(t: DataType) -> bool:
    return is_integer(t) or is_float(t) or is_decimal(t)


def is_string(t: DataType) -> bool:
    return t == STRING


def is_binary(t: DataType) -> bool:
    return t == BINARY


def is_bool(t: DataType) -> bool:
    return t == BOOL


def is_null(t: DataType) -> bool:
    return t == NULL


def is_date(t: DataType) -> bool:
    return t == DATE


def is_timestamp(t: DataType) -> bool:
    return pa.types.is_timestamp(t)


TICKS_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""By the unit of a timestamp, a time or a duration."""


def is_time(t: DataType) -> bool:
    return pa.types.is_time(t)


def is_duration(t: DataType) -> bool:
    return pa.types.is_duration(t)


def is_interval(t: DataType) -> bool:
    return t == INTERVAL


def is_temporal(t: DataType) -> bool:
    return is_date(t) or is_timestamp(t) or is_time(t) or is_duration(t)


def is_list(t: DataType) -> bool:
    return pa.types.is_list(t)


def is_struct(t: DataType) -> bool:
    return pa.types.is_struct(t)


def is_map(t: DataType) -> bool:
    return pa.types.is_map(t)


def is_nested(t: DataType) -> bool:
    return is_list(t) or is_struct(t) or is_map(t)


def is_orderable(t: DataType) -> bool:
    """Whether values of the type can be compared with `<` and sorted."""
    return not is_map(t) and not is_interval(t)


def integer_bounds(t: DataType) -> tuple[int, int]:
    """The least and the greatest value of an integer type."""
    if t in _SIGNED:
        return -(1 << (_SIGNED[t] - 1)), (1 << (_SIGNED[t] - 1)) - 1
    return 0, (1 << _UNSIGNED[t]) - 1


def integer_digits(t: DataType) -> int:
    """How many decimal digits every value of an integer type fits in."""
    return 20 if t == UINT64 else _DIGITS[_SIGNED.get(t) or _UNSIGNED[t]]


def decimal_type(precision: int, scale: int) -> DataType:
    return pa.decimal128(min(precision, MAX_DECIMAL_DIGITS), min(scale, MAX_DECIMAL_DIGITS))


@lru_cache(maxsize=4096)
def canonical(t: DataType) -> DataType:
    """The type by which we know a physical Arrow type.

    Raises:
        ValueError: where we have no type of that meaning.

    >>> canonical(pa.dictionary(pa.int8(), pa.large_string()))
    DataType(string)
    """
    types = pa.types
    if t in _SIGNED or t in _UNSIGNED or t in (NULL, BOOL, FLOAT32, FLOAT64, STRING, BINARY, DATE, INTERVAL):
        return t
    if types.is_dictionary(t):
        return canonical(t.value_type)
    if types.is_run_end_encoded(t):
        return canonical(t.value_type)
    if types.is_large_string(t) or types.is_string_view(t):
        return STRING
    if types.is_large_binary(t) or types.is_binary_view(t) or types.is_fixed_size_binary(t):
        return BINARY
    if types.is_float16(t):
        return FLOAT32
    if types.is_date64(t):
        return DATE
    if types.is_decimal(t):
        if t.precision > MAX_DECIMAL_DIGITS:
            raise ValueError(f"decimals of more than {MAX_DECIMAL_DIGITS} digits are not supported: {t}")
        return pa.decimal128(t.precision, t.scale)
    if types.is_timestamp(t) or types.is_time(t) or types.is_duration(t):
        return t
    if (
        types.is_list(t)
        or types.is_large_list(t)
        or types.is_fixed_size_list(t)
        or types.is_list_view(t)
        or types.is_large_list_view(t)
    ):
        return pa.list_(pa.field("item", canonical(t.value_type)))
    if types.is_struct(t):
        return pa.struct([pa.field(f.name, canonical(f.type)) for f in t])
    if types.is_map(t):
        return pa.map_(canonical(t.key_type), canonical(t.item_type))
    if isinstance(t, pa.BaseExtensionType):
        return canonical(t.storage_type)
    raise ValueError(f"values of type {t} are not supported")


@lru_cache(maxsize=4096)
def type_name(t: DataType) -> str:
    """The short name of a type, as messages and tables show it.

    >>> type_name(pa.list_(pa.timestamp("us", "Europe/Paris")))
    'list<timestamp[us, Europe/Paris]>'
    """
    if pa.types.is_dictionary(t):
        return type_name(t.value_type)
    if t == pa.float32():
        return "float32"
    if t == pa.float64():
        return "float64"
    if t == pa.float16():
        return "float16"
    if t == DATE:
        return "date"
    if pa.types.is_decimal(t):
        return f"decimal({t.precision},{t.scale})"
    if pa.types.is_timestamp(t):
        return f"timestamp[{t.unit}, {t.tz}]" if t.tz else f"timestamp[{t.unit}]"
    if pa.types.is_time(t):
        return f"time[{t.unit}]"
    if pa.types.is_list(t) or pa.types.is_large_list(t) or pa.types.is_fixed_size_list(t):
        return f"list<{type_name(t.value_type)}>"
    if pa.types.is_struct(t):
        return "struct<" + ", ".join(f"{f.name}: {type_name(f.type)}" for f in t) + ">"
    if pa.types.is_map(t):
        return f"map<{type_name(t.key_type)}, {type_name(t.item_type)}>"
    if t == INTERVAL:
        return "interval"
    return str(t)


_NAMES: dict[str, DataType] = {
    "null": NULL, "bool": BOOL, "boolean": BOOL,
    "int8": INT8, "int16": INT16, "int32": INT32, "int64": INT64,
    "uint8": UINT8, "uint16": UINT16, "uint32": UINT32, "uint64": UINT64,
    "tinyint": INT8, "smallint": INT16, "int": INT64, "integer": INT32, "bigint": INT64,
    "float": FLOAT64, "float32": FLOAT32, "float64": FLOAT64, "double": FLOAT64, "real": FLOAT32,
    "string": STRING, "str": STRING, "text": STRING, "varchar": STRING, "utf8": STRING,
    "binary": BINARY, "bytes": BINARY, "blob": BINARY,
    "date": DATE, "time": pa.time64("us"), "datetime": pa.timestamp("us"), "timestamp": pa.timestamp("us"),
    "duration": pa.duration("us"), "interval": INTERVAL,
}  # fmt: skip

_PYTHON: dict[object, DataType] = {
    bool: BOOL,
    int: INT64,
    float: FLOAT64,
    str: STRING,
    bytes: BINARY,
    datetime.date: DATE,
    datetime.datetime: pa.timestamp("us"),
    datetime.time: pa.time64("us"),
    datetime.timedelta: pa.duration("us"),
    decimal.Decimal: pa.decimal128(38, 9),
    type(None): NULL,
}

_UNITS = {"s", "ms", "us", "ns"}


def parse_type(spec: object) -> DataType:
    """A type from a pyarrow type, a Python type or a name such as `'decimal(15,2)'`.

    Raises:
        ValueError: where `spec` names no type.

    >>> parse_type("timestamp[us, Europe/Paris]")
    TimestampType(timestamp[us, tz=Europe/Paris])
    """
    if isinstance(spec, pa.DataType):
        return canonical(spec)
    if isinstance(spec, type) and spec in _PYTHON:
        return _PYTHON[spec]
    if isinstance(spec, str):
        return _parse_name(spec.strip())
    raise ValueError(f"not a type: {spec!r}; give a pyarrow type, a Python type or a name such as 'int64'")


def _parse_name(text: str) -> DataType:
    lowered = text.lower()
    if lowered in _NAMES:
        return _NAMES[lowered]
    if m := re.fullmatch(r"(?:decimal|numeric)(?:\d*)\s*\(\s*(\d+)\s*(?:,\s*(-?\d+)\s*)?\)", lowered):
        precision, scale = int(m[1]), int(m[2] or 0)
        if not 1 <= precision <= MAX_DECIMAL_DIGITS or not 0 <= scale <= precision:
            raise ValueError(f"a decimal has 1 to 38 digits and a scale from 0 to that: {text!r}")
        return pa.decimal128(precision, scale)
    stamp = r"(timestamp|datetime)\[\s*(\w+)\s*(?:,\s*(?:tz=)?([^\]]+?)\s*)?\]"
    if (m := re.fullmatch(stamp, text, re.IGNORECASE)) and m[2] in _UNITS:
        return pa.timestamp(m[2], m[3])
    if (m := re.fullmatch(r"(time|time32|time64|duration)\[\s*(\w+)\s*\]", lowered)) and m[2] in _UNITS:
        if m[1] == "duration":
            return pa.duration(m[2])
        return pa.time32(m[2]) if m[2] in ("s", "ms") else pa.time64(m[2])
    if m := re.fullmatch(r"list\s*[<\[](.*)[>\]]", text, re.IGNORECASE):
        return pa.list_(pa.field("item", _parse_name(m[1].strip())))
    if m := re.fullmatch(r"map\s*[<\[](.*)[>\]]", text, re.IGNORECASE):
        parts = _split_top(m[1])
        if len(parts) == 2:
            return pa.map_(_parse_name(parts[0].strip()), _parse_name(parts[1].strip()))
    if m := re.fullmatch(r"struct\s*[<\[](.*)[>\]]", text, re.IGNORECASE):
        pairs = [part.split(":", 1) for part in _split_top(m[1])]
        if all(len(pair) == 2 for pair in pairs):
            return pa.struct([pa.field(name.strip(), _parse_name(kind.strip())) for name, kind in pairs])
    from lazyframe.planner.errors import did_you_mean

    raise ValueError(f"no type named {text!r}; {did_you_mean(lowered, _NAMES)}")


def _split_top(text: str) -> list[str]:
    """Split at the commas that stand outside all brackets."""
    parts, depth, start = [], 0, 0
    for index, char in enumerate(text):
        depth += (char in "<[(") - (char in ">])")
        if char == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


@lru_cache(maxsize=4096)
def token(t: DataType) -> str:
    """A text that two types share only if they are the same type."""
    if pa.types.is_struct(t):
        return "struct(" + ",".join(f"{len(f.name)}:{f.name}={token(f.type)}" for f in t) + ")"
    if pa.types.is_list(t):
        return f"list({token(t.value_type)})"
    if pa.types.is_map(t):
        return f"map({token(t.key_type)},{token(t.item_type)})"
    return str(t)


_UNIT_ORDER = {"s": 0, "ms": 1, "us": 2, "ns": 3}


def finer_unit(a: str, b: str) -> str:
    return a if _UNIT_ORDER[a] >= _UNIT_ORDER[b] else b


@lru_cache(maxsize=8192)
def common_type(a: DataType, b: DataType) -> DataType | None:
    """The least type that holds the values of both, or None where there is none.

    Integers widen to the next signed type, int64 with uint64 to decimal(20,0); integers with floats to float64 unless
    float32 holds them exactly; decimals keep all digits of both.

    >>> common_type(pa.int8(), pa.uint8())
    DataType(int16)
    """
    if a == b:
        return a
    if is_null(a):
        return b
    if is_null(b):
        return a
    if is_numeric(a) and is_numeric(b):
        return _common_numeric(a, b)
    if is_date(a) and is_timestamp(b):
        return b
    if is_timestamp(a) and is_date(b):
        return a
    if is_timestamp(a) and is_timestamp(b):
        if (a.tz is None) != (b.tz is None):
            return None
        return pa.timestamp(finer_unit(a.unit, b.unit), a.tz if a.tz == b.tz else "UTC" if a.tz else None)
    if is_duration(a) and is_duration(b):
        return pa.duration(finer_unit(a.unit, b.unit))
    if is_time(a) and is_time(b):
        unit = finer_unit(a.unit, b.unit)
        return pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)
    if is_list(a) and is_list(b):
        item = common_type(a.value_type, b.value_type)
        return None if item is None else pa.list_(pa.field("item", item))
    if is_struct(a) and is_struct(b) and (places := field_places(a, b)) is not None:
        fields = [(f.name, common_type(f.type, b.field(place).type)) for f, place in zip(a, places, strict=True)]
        if all(t is not None for _, t in fields):
            return pa.struct([pa.field(n, t) for n, t in fields])
    if is_map(a) and is_map(b):
        key, item = common_type(a.key_type, b.key_type), common_type(a.item_type, b.item_type)
        return None if key is None or item is None else pa.map_(key, item)
    return None


def rounds(a: DataType, b: DataType) -> bool:
    """Whether values of the two types that differ may be one value of their common type: 2^53 and 2^53 + 1 are one float64."""
    return (is_float(a) and b in (INT64, UINT64)) or (is_float(b) and a in (INT64, UINT64))


def type_at(dtype: DataType, path: Iterable[str]) -> DataType:
    """The type of a field in a struct, or in a struct in it, and so on."""
    for name in path:
        dtype = dtype.field(dtype.get_field_index(name)).type
    return dtype


def field_places(a: pa.StructType, b: pa.StructType) -> list[int] | None:
    """Where in `b` the fields of `a` stand, by name; None where their names are not the same."""
    mine, theirs = [f.name for f in a], [f.name for f in b]
    if mine == theirs:
        return list(range(len(mine)))
    if len(set(mine)) < len(mine) or sorted(mine) != sorted(theirs):
        return None
    return [theirs.index(name) for name in mine]


def _common_numeric(a: DataType, b: DataType) -> DataType:
    if is_float(a) or is_float(b):
        other = b if is_float(a) else a
        if is_float(a) and is_float(b):
            return FLOAT64
        floating = a if is_float(a) else b
        small = other in (INT8, INT16, UINT8, UINT16)
        return FLOAT32 if floating == FLOAT32 and small else FLOAT64
    if is_decimal(a) or is_decimal(b):
        pa_, sa = (a.precision, a.scale) if is_decimal(a) else (integer_digits(a), 0)
        pb, sb = (b.precision, b.scale) if is_decimal(b) else (integer_digits(b), 0)
        scale = max(sa, sb)
        return decimal_type(max(pa_ - sa, pb - sb) + scale, scale)
    if (a in _SIGNED) == (b in _SIGNED):
        table = _SIGNED if a in _SIGNED else _UNSIGNED
        return a if table[a] >= table[b] else b
    signed, unsigned = (_SIGNED[a], _UNSIGNED[b]) if a in _SIGNED else (_SIGNED[b], _UNSIGNED[a])
    bits = max(signed, unsigned * 2)
    return _BY_BITS_SIGNED[bits] if bits <= 64 else decimal_type(20, 0)
