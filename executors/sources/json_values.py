"""JSON values as Arrow values: which type holds them, and how they are read as one."""

from __future__ import annotations

import datetime as dt
import decimal
import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from lazyframe.executors.vectorized.cast import cast_value
from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.planner import arrow
from lazyframe.planner.nouns import with_article
from lazyframe.planner.types import (
    BINARY,
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    NULL,
    STRING,
    UINT64,
    DataType,
    integer_bounds,
    is_decimal,
    is_float,
    is_integer,
    is_list,
    is_map,
    is_null,
    is_struct,
    is_time,
    is_timestamp,
    type_name,
)

_WHOLE = pa.decimal128(38, 0)


class Misfit(ValueError):
    """A JSON value that is not of the type wanted: says which, and where in a nested value."""


def parse(text: str) -> Any:
    """A JSON text as Python values: numbers with a fraction as decimals, and no name twice in an object.

    Raises:
        ValueError: where it is not JSON.
    """
    return json.loads(text, parse_float=decimal.Decimal, object_pairs_hook=unique_names)


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise Misfit(f"the name {repeated!r} stands twice in one object")
    return found


def type_of(value: Any) -> DataType:
    """The type of a parsed JSON value."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        for dtype in (INT64, UINT64):
            low, high = integer_bounds(dtype)
            if low <= value <= high:
                return dtype
        return _WHOLE if abs(value) < 10**38 else FLOAT64
    if isinstance(value, (float, decimal.Decimal)):
        return FLOAT64
    if isinstance(value, str):
        return STRING
    if isinstance(value, list):
        item: DataType = NULL
        for each in value:
            item = merged(item, type_of(each))
        return pa.list_(pa.field("item", item))
    return pa.struct([pa.field(name, type_of(each)) for name, each in value.items()])


def merged(a: DataType, b: DataType) -> DataType:
    """The type that holds the values of both.

    Raises:
        Misfit: where there is none.
    """
    if a == b or is_null(b):
        return a
    if is_null(a):
        return b
    numbers = (INT64, UINT64, _WHOLE, FLOAT64)
    if a in numbers and b in numbers:
        return FLOAT64 if FLOAT64 in (a, b) else _WHOLE
    if is_list(a) and is_list(b):
        return pa.list_(pa.field("item", merged(a.value_type, b.value_type)))
    if is_struct(a) and is_struct(b):
        fields = {f.name: f.type for f in a}
        for field in b:
            fields[field.name] = merged(fields[field.name], field.type) if field.name in fields else field.type
        return pa.struct([pa.field(name, dtype) for name, dtype in fields.items()])
    raise Misfit(f"{type_name(b)} where {type_name(a)} stood before")


def settled(dtype: DataType) -> DataType:
    """The type with text in place of what held only nulls."""
    if is_null(dtype):
        return STRING
    if is_list(dtype):
        return pa.list_(pa.field("item", settled(dtype.value_type)))
    if is_struct(dtype):
        return pa.struct([pa.field(f.name, settled(f.type)) for f in dtype])
    return dtype


def converted(value: Any, dtype: DataType, *, as_text: bool = False, ignore_unknown: bool = False) -> Any:
    """A parsed JSON value as a Python value of which pyarrow makes one of `dtype`.

    Args:
        value: the parsed value.
        dtype: the type wanted.
        as_text: whether a string is wanted of any value: its JSON text.
        ignore_unknown: whether names that a struct lacks are dropped.

    Raises:
        Misfit: where the value is not of that type.
    """
    if value is None:
        return None
    if dtype == STRING:
        if isinstance(value, str):
            return value
        if as_text:
            return json_text(value)
    elif dtype == BOOL:
        if isinstance(value, bool):
            return value
    elif isinstance(value, bool):
        pass
    elif is_integer(dtype):
        whole = int(value) if isinstance(value, decimal.Decimal) and value == value.to_integral_value() else value
        low, high = integer_bounds(dtype)
        if isinstance(whole, int) and low <= whole <= high:
            return whole
    elif is_float(dtype):
        if isinstance(value, (int, float, decimal.Decimal)):
            return float(value)
    elif is_decimal(dtype):
        if isinstance(value, (int, decimal.Decimal)) or (isinstance(value, str) and _is_number(value)):
            number = decimal.Decimal(value)
            # pyarrow wraps around where the scaled digits are more than it holds.
            if number.adjusted() + 1 <= dtype.precision - dtype.scale or not number:
                return number
    elif is_list(dtype):
        if isinstance(value, list):
            return [converted(v, dtype.value_type, as_text=as_text, ignore_unknown=ignore_unknown) for v in value]
    elif is_struct(dtype):
        if isinstance(value, Mapping):
            types = {f.name: f.type for f in dtype}
            unknown = [name for name in value if name not in types]
            if unknown and not ignore_unknown:
                raise Misfit(f"an unknown name {unknown[0]!r} in {with_article(type_name(dtype))}")
            return {
                n: converted(value.get(n), t, as_text=as_text, ignore_unknown=ignore_unknown) for n, t in types.items()
            }
    elif is_map(dtype):
        if isinstance(value, Mapping):
            return [(n, converted(v, dtype.item_type, as_text=as_text)) for n, v in value.items()]
    elif isinstance(value, str):
        return _from_text(value, dtype)
    shown = json_text(value)
    raise Misfit(f"{shown if len(shown) <= 60 else shown[:57] + '...'} is not {with_article(type_name(dtype))}")


def json_text(value: Any) -> str:
    """A parsed value as JSON text, with all digits of its numbers."""
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(n, ensure_ascii=False)}: {json_text(v)}" for n, v in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def _from_text(text: str, dtype: DataType) -> Any:
    try:
        if dtype == BINARY:
            return text.encode()
        if dtype == DATE:
            return dt.date.fromisoformat(text)
        if is_time(dtype):
            return dt.time.fromisoformat(text)
        if is_timestamp(dtype):
            return cast_value(arrow.scalar(text, STRING), STRING, dtype)
    except (ValueError, pa.ArrowException, KernelError):
        pass
    raise Misfit(f"{text!r} is not {with_article(type_name(dtype))}")


def _is_number(text: str) -> bool:
    try:
        return decimal.Decimal(text).is_finite()
    except decimal.InvalidOperation:
        return False


def read_by_arrow(dtype: DataType) -> bool:
    """Whether pyarrow's JSON reader makes values of a type as we mean them."""
    if is_list(dtype):
        return read_by_arrow(dtype.value_type)
    if is_struct(dtype):
        return all(read_by_arrow(f.type) for f in dtype)
    # Its decimals wrap around, and its timestamps without a zone lose the offset that is written.
    return is_integer(dtype) or dtype in (BOOL, STRING, FLOAT32, FLOAT64)
