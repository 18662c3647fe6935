"""Comparisons freed from conversions say the same at all edges: every value beside every constant, by every comparison."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from lazyframe.executors.sources.memory import MemorySource
from lazyframe.planner.algebra.calendar import without_calendar
from lazyframe.planner.algebra.casts import without_cast
from lazyframe.planner.algebra.law import simplified
from lazyframe.planner.relations import Project
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.scalars import Call, Cast, Column, Literal, Scalar
from lazyframe.session import execute

COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
NAN, INF = float("nan"), float("inf")

INTEGERS = [0, 1, -1, 4, 5, 127, -128]
FLOATS = [
    0.0,
    -0.0,
    0.5,
    4.5,
    5.0,
    127.0,
    127.5,
    -128.0,
    -128.5,
    1e300,
    -1e300,
    INF,
    -INF,
    NAN,
    2.0**53,
    2.0**63,
    -(2.0**63),
]
WIDE = [2**53, 2**53 + 1, 2**53 - 1, 2**63 - 1, -(2**63), 2**62 + 1, 3]
CENTS = [Decimal(text) for text in ("0.00", "0.05", "-0.05", "1.10", "9999999999999.99", "-9999999999999.99")]
MILLS = [
    Decimal(text)
    for text in ("0.0000", "0.0500", "0.0501", "0.0499", "1.1000", "9999999999999.9900", "99999999999999.0000")
]
DAYS = [dt.date(1993, 12, 31), dt.date(1994, 1, 1), dt.date(1994, 2, 1), dt.date(1994, 2, 2), dt.date(1996, 2, 29),
        dt.date(1970, 1, 5), dt.date(1969, 12, 31), dt.date(1, 1, 1), dt.date(9999, 12, 31)]  # fmt: skip
MOMENTS = [
    dt.datetime.combine(day, time)
    for day in DAYS
    for time in (dt.time(0), dt.time(0, 0, 0, 1), dt.time(23, 59, 59, 999999))
]
YEARS = [1993, 1994, 1995, 1, 9998, 1969, 1970]


def of(values: Iterable[Any], dtype: pa.DataType) -> pa.Array:
    return pa.array([*values, None], dtype)


def cast(to: pa.DataType) -> Any:
    return lambda x: Cast(x, to)


def call(name: str, **options: Any) -> Any:
    return lambda x: Call(name, (x,), tuple(options.items()))


US, S = pa.timestamp("us"), pa.timestamp("s")
FORMS = {
    "int8 as int64": (of(INTEGERS, pa.int8()), cast(pa.int64()), of([*INTEGERS, 128, -129, 2**40], pa.int64())),
    "uint8 as int16": (of([0, 5, 255], pa.uint8()), cast(pa.int16()), of([-1, 0, 5, 255, 256], pa.int16())),
    "int8 as float64": (of(INTEGERS, pa.int8()), cast(pa.float64()), of(FLOATS, pa.float64())),
    "int64 as float64": (of(WIDE, pa.int64()), cast(pa.float64()), of([*FLOATS, 2.0**53 + 2, 2.0**62], pa.float64())),
    "int8 as decimal": (of(INTEGERS, pa.int8()), cast(pa.decimal128(5, 2)), of([Decimal("5.00"), Decimal("4.99"), Decimal("999.00")], pa.decimal128(5, 2))),
    "decimal as decimal": (of(CENTS, pa.decimal128(15, 2)), cast(pa.decimal128(18, 4)), of(MILLS, pa.decimal128(18, 4))),
    "decimal as float64": (of(CENTS, pa.decimal128(15, 2)), cast(pa.float64()), of([*FLOATS, 0.05, 1.1, 0.049999999999999996, 9999999999999.99], pa.float64())),
    "date as timestamp": (of(DAYS, pa.date32()), cast(US), of(MOMENTS, US)),
    "timestamp as finer": (of([m.replace(microsecond=0) for m in MOMENTS], S), cast(US), of(MOMENTS, US)),
    "timestamp as date": (of(MOMENTS, US), cast(pa.date32()), of(DAYS, pa.date32())),
    "date of timestamp": (of(MOMENTS, US), call("date"), of(DAYS, pa.date32())),
    "year of date": (of(DAYS, pa.date32()), call("year"), of(YEARS, pa.int32())),
    "year of timestamp": (of(MOMENTS, US), call("year"), of(YEARS, pa.int32())),
    **{
        f"{every} of {name}": (of(values, dtype), call("truncate", every=every), of(values, dtype))
        for name, values, dtype in (("dates", DAYS[:-1], pa.date32()), ("moments", MOMENTS[:-3], US))
        for every in ("1mo", "1q", "1y", "5mo", "1d", "3d", "1w", "2w", *(("1h", "7m", "1s") if dtype == US else ()))
    },
}  # fmt: skip


def conditions(applied: Scalar, constants: pa.Array) -> list[Scalar]:
    literals = [Literal(constant) for constant in constants if constant.is_valid]
    found: list[Scalar] = [Call(name, (applied, literal)) for name in COMPARISONS for literal in literals]
    found += [Call(name, (literal, applied)) for name in COMPARISONS for literal in literals[:3]]
    some = [constants.drop_null()[start : start + size] for start in range(0, len(literals), 2) for size in (1, 3)]
    if applied.dtype != pa.float64():
        found += [Call("is_in", (applied,), (("values", members),)) for members in (*some, constants, constants[-3:])]
    return found


@pytest.mark.parametrize("form", FORMS)
def test_the_same_is_true_of_every_value(form: str) -> None:
    values, apply, constants = FORMS[form]
    source = scan(MemorySource(pa.table({"x": values}), "values"))
    law = without_cast if isinstance(apply(Column("x", values.type, True)), Cast) else without_calendar
    before = conditions(apply(Column("x", values.type, True)), constants)
    after = [simplified(condition, law) for condition in before]
    changed = sum(a is not b for a, b in zip(before, after, strict=True))
    assert changed > len(before) // 2
    for old, new in zip(before, after, strict=True):
        got = execute(Project(source, (("x", new),)), optimize=False).to_pylist()
        wanted = execute(Project(source, (("x", old),)), optimize=False).to_pylist()
        assert got == wanted, f"{old!r} is not {new!r}"
