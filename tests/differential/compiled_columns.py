"""Random columns of every type that kernels know, of values that engines stumble over."""

from __future__ import annotations

import datetime
import decimal
import math
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.planner.types import is_decimal, is_float, is_integer, is_timestamp

TYPES: dict[str, pa.DataType] = {
    "i8": pa.int8(), "i16": pa.int16(), "i32": pa.int32(), "i64": pa.int64(),
    "u8": pa.uint8(), "u16": pa.uint16(), "u32": pa.uint32(), "u64": pa.uint64(),
    "f32": pa.float32(), "f64": pa.float64(), "bool": pa.bool_(), "str": pa.string(), "bin": pa.binary(),
    "dec5": pa.decimal128(5, 2), "dec10": pa.decimal128(10, 2), "dec18": pa.decimal128(18, 4),
    "dec19": pa.decimal128(19, 0), "dec30": pa.decimal128(30, 4), "dec38": pa.decimal128(38, 10),
    "whole38": pa.decimal128(38, 0), "date": pa.date32(),
    "ts_s": pa.timestamp("s"), "ts_ms": pa.timestamp("ms"), "ts": pa.timestamp("us"), "ts_ns": pa.timestamp("ns"),
    "tz": pa.timestamp("us", "Europe/Paris"), "dur_ms": pa.duration("ms"), "dur": pa.duration("us"),
    "t_s": pa.time32("s"), "t_ms": pa.time32("ms"), "t_us": pa.time64("us"), "t_ns": pa.time64("ns"),
}  # fmt: skip

USUAL = (
    "i8",
    "i16",
    "i32",
    "i64",
    "i64",
    "u32",
    "u64",
    "f32",
    "f64",
    "f64",
    "bool",
    "str",
    "str",
    "dec10",
    "date",
    "ts",
)
"""Types that columns have more often than others."""

_FLOATS = [0.0, -0.0, 1.0, -1.5, 2.25, 3.0, 0.1, 100.0, 1 / 3, math.nan, math.inf, -math.inf]
_LARGE_FLOATS = [1e300, -1e300, 5e-324, 2.0**53 + 2, -1e-300, 1e15]
_STRINGS = ["", "a", "b", "ab", "B", "é", "Zürich", "a%b", "_", "x y", "\U0001f600z", "ab" * 9, "ab" * 9 + "c",
            "ab" * 8, "a\0b", "a\0", "abcdefgh", "abcdefg", "abcdefgi", "prefix of many " * 20, "prefix of many " * 20 + "!"]  # fmt: skip
_DAYS = [0, -1, 19753, 19782, 19442, 19659, 11015, 11016, -719162, 2932896]
_CLOCKS = [0, 5_400, 9_000, 43_200, 86_399]
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def some_values(random: Random, dtype: pa.DataType, rows: int, *, nulls: float, spread: str) -> pa.Array:
    """A column.

    Args:
        random: of all choices.
        dtype: its type.
        rows: how many.
        nulls: the share of nulls.
        spread: `few` different values, also `extreme` ones, or `many`.
    """
    pool = _many(random, dtype, rows) if spread == "many" else None
    if pool is None:
        pool = _few(dtype, extreme=spread == "extreme")
    rng = np.random.default_rng(random.getrandbits(64))
    wanted = rng.integers(0, len(pool), rows)
    mask = None if nulls == 0 else rng.random(rows) < nulls
    return pool.take(pa.array(wanted, mask=mask))


def _few(dtype: pa.DataType, *, extreme: bool) -> pa.Array:
    if is_integer(dtype):
        bits = dtype.bit_width
        low, high = (0, 2**bits - 1) if str(dtype).startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        numbers = [n for n in (0, 1, 2, 3, 5, 7, -1, -2, 100) if low <= n <= high]
        return pa.array(numbers + ([low, high, low + 1, high - 1] if extreme else []), dtype)
    if is_float(dtype):
        floats = np.array(_FLOATS + (_LARGE_FLOATS if extreme else []))
        with np.errstate(over="ignore", under="ignore"):
            return pa.array(floats.astype(np.float32) if dtype == pa.float32() else floats, dtype)
    if is_decimal(dtype):
        most = 10**dtype.precision - 1
        unscaled = [0, 1, -1, 150, -225, 300, 9999]
        if extreme:
            unscaled += [most, -most, most // 10, -(most // 3), 10 ** (dtype.precision // 2)]
        return decimals(unscaled, dtype)
    match str(dtype):
        case "bool":
            return pa.array([True, False], dtype)
        case "string":
            return pa.array(_STRINGS, dtype)
        case "binary":
            return pa.array([*[s.encode() for s in _STRINGS], b"\xff\0", b"\xff", b"\x80"], dtype)
        case "date32[day]":
            return pa.array(_DAYS, pa.int32()).view(dtype)
    return _instants(dtype, _DAYS if extreme and dtype.unit != "ns" else _DAYS[:-2])


def _instants(dtype: pa.DataType, days: list[int]) -> pa.Array:
    unit = _PER_SECOND[dtype.unit]
    clocks = [seconds * unit + more for seconds in _CLOCKS for more in (0, unit // 1000)]
    if is_timestamp(dtype) or pa.types.is_duration(dtype):
        counts = [day * 86_400 * unit + clock for day in days for clock in clocks]
    else:
        counts = clocks
    return pa.array(counts, pa.int32() if dtype.bit_width == 32 else pa.int64()).view(dtype)


def _many(random: Random, dtype: pa.DataType, rows: int) -> pa.Array | None:
    """About as many different values as rows; None where a type has not so many."""
    rng = np.random.default_rng(random.getrandbits(64))
    count = max(rows, 1)
    if is_integer(dtype):
        high = min(2 * count, 2 ** (dtype.bit_width - 1) - 1)
        low = 0 if str(dtype).startswith("u") else max(-count, -(2 ** (dtype.bit_width - 1)))
        return pa.array(rng.integers(low, high, count, endpoint=True)).cast(dtype)
    if is_float(dtype):
        return pa.array(rng.normal(0, 1e4, count).round(3)).cast(dtype, safe=False)
    if is_decimal(dtype):
        most = min(10**dtype.precision - 1, 2**62)
        return decimals([int(n) for n in rng.integers(-most, most, min(count, 5_000))], dtype)
    name = str(dtype)
    if name in ("string", "binary"):
        base = random.choice(["", "n", "a name that is long "])
        return pa.array([f"{base}{n}" for n in range(count)]).cast(dtype)
    if name == "bool":
        return None
    width = pa.int32() if dtype.bit_width == 32 else pa.int64()
    if name.startswith("time"):
        return pa.array(rng.integers(0, 86_400, count) * _PER_SECOND[dtype.unit]).cast(width).view(dtype)
    return (
        pa.array(rng.integers(-count, count, count) * (86_400_000 if width == pa.int64() else 1))
        .cast(width)
        .view(dtype)
    )


def decimals(unscaled: list[int], dtype: pa.DataType) -> pa.Array:
    """Decimals by their digits alone."""
    with decimal.localcontext(prec=50):
        return pa.array([decimal.Decimal(n).scaleb(-dtype.scale) for n in unscaled], dtype)


def literals(dtype: pa.DataType) -> list[Any]:
    """Values to compare a column with."""
    match str(dtype):
        case "binary":
            return [b"", b"a", b"ab", b"\xff"]
        case name if name.startswith("duration"):
            return [datetime.timedelta(0), datetime.timedelta(days=19753), datetime.timedelta(days=-1, hours=5)]
        case name if name.startswith(("time32", "time64")):
            return [datetime.time(0), datetime.time(1, 30), datetime.time(12)]
    return []
