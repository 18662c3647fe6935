"""Small random tables that hold what engines stumble over, in memory and as Parquet of many row groups."""

from __future__ import annotations

import datetime
import decimal
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from lazyframe.planner.types import is_decimal, is_float, is_integer, is_timestamp

TYPES: dict[str, pa.DataType] = {
    "i8": pa.int8(), "i16": pa.int16(), "i32": pa.int32(), "i64": pa.int64(),
    "u8": pa.uint8(), "u16": pa.uint16(), "u32": pa.uint32(), "u64": pa.uint64(),
    "f32": pa.float32(), "f64": pa.float64(), "dec": pa.decimal128(10, 2), "wide": pa.decimal128(30, 4),
    "str": pa.string(), "bool": pa.bool_(), "date": pa.date32(),
    "ts": pa.timestamp("us"), "tz": pa.timestamp("us", "Europe/Paris"),
}  # fmt: skip

_FLOATS = [0.0, -0.0, 1.0, -1.5, 2.25, 3.0, -3.0, 100.0, float("nan"), float("inf"), float("-inf")]
_STRINGS = ["", "a", "b", "ab", "B", "é", "Zürich", "a%b", "_", "x y", "\U0001f600z", "ab" * 9]
_DATES = [(1970, 1, 1), (1969, 12, 31), (2024, 1, 31), (2024, 2, 29), (2023, 3, 26), (2023, 10, 29), (2000, 2, 28)]
_TIMES = [(0, 0, 0, 0), (1, 30, 0, 0), (2, 30, 0, 0), (12, 0, 0, 1), (23, 59, 59, 999_999)]


def family(dtype: pa.DataType) -> str:
    """What expressions can be made of values of the type."""
    if is_integer(dtype):
        return "int"
    if is_float(dtype):
        return "float"
    if is_decimal(dtype):
        return "dec"
    if is_timestamp(dtype):
        return "ts" if dtype.tz is None else "tz"
    return {"string": "str", "bool": "bool", "date32[day]": "date"}.get(str(dtype), "other")


def pool(dtype: pa.DataType) -> st.SearchStrategy[Any]:
    """Values of the type that engines stumble over."""
    match family(dtype):
        case "int":
            bits = dtype.bit_width
            low, high = (0, 2**bits - 1) if str(dtype).startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            usual = st.sampled_from([n for n in (0, 1, 2, 3, 5, 7, -1, -2, 100) if low <= n <= high])
            return st.one_of(usual, usual, usual, usual, usual, st.sampled_from([low, high]))
        case "float":
            return st.sampled_from(_FLOATS)
        case "dec":
            texts = ["0.00", "1.50", "-2.25", "0.05", "3.00", "99999999.99", "-0.01"]
            return st.sampled_from([decimal.Decimal(text) for text in texts])
        case "str":
            return st.sampled_from(_STRINGS)
        case "bool":
            return st.booleans()
        case "date":
            return st.sampled_from([datetime.date(*d) for d in _DATES])
        case "ts":
            return st.sampled_from([datetime.datetime(*d, *t) for d in _DATES for t in _TIMES])  # noqa: DTZ001
        case _:
            moments = [datetime.datetime(*d, *t, tzinfo=datetime.UTC) for d in _DATES for t in _TIMES]
            return st.sampled_from(moments)


@dataclass(frozen=True)
class Input:
    """A table, and how the engine gets it: `rows` a split, from memory or from Parquet."""

    table: pa.Table
    parquet: bool
    rows: int


@st.composite
def tables(draw: st.DrawFn, names: str = "abcde", kinds: tuple[str, ...] = tuple(TYPES)) -> Input:
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=2, max_size=len(names)))
    size = draw(st.sampled_from([0, 1, 3, 6, 10, 10, 17]))
    columns, fields = [], []
    for name, kind in zip(names, chosen, strict=False):
        dtype = TYPES[kind]
        chosen_from = pool(dtype)
        if draw(st.integers(0, 3)):
            chosen_from = st.one_of(chosen_from, chosen_from, chosen_from, st.none())
        values = draw(st.lists(chosen_from, min_size=size, max_size=size))
        columns.append(pa.array(values, dtype))
        fields.append(pa.field(name, dtype, nullable=None in values or draw(st.booleans())))
    table = pa.table(columns, schema=pa.schema(fields))
    cut = draw(st.integers(0, size))
    table = pa.concat_tables([table.slice(0, cut), table.slice(cut)])
    return Input(table, draw(st.booleans()), draw(st.sampled_from([1, 2, 4, 1000])))
