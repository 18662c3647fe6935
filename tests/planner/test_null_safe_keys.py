"""Null-safe equality as keys of a join beside plain ones."""

from __future__ import annotations

import datetime
import decimal

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.frame import LazyFrame
from lazyframe.planner.build.joins import null_safe_keys
from lazyframe.planner.relations import Join
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Column
from lazyframe.planner.zero import zero

TYPES = [
    (pa.int8(), 0), (pa.uint64(), 0), (pa.float32(), 0.0), (pa.float64(), 0.0), (pa.bool_(), False), (pa.string(), ""),
    (pa.binary(), b""), (pa.date32(), datetime.date(1970, 1, 1)), (pa.time64("us"), datetime.time(0)),
    (pa.timestamp("us"), datetime.datetime(1970, 1, 1)),  # noqa: DTZ001
    (pa.duration("s"), datetime.timedelta(0)),
    (pa.decimal128(9, 2), decimal.Decimal(0)), (pa.month_day_nano_interval(), pa.MonthDayNano([0, 0, 0])),
    (pa.list_(pa.int64()), []), (pa.map_(pa.string(), pa.int64()), []),
    (pa.struct([("x", pa.int64()), ("y", pa.list_(pa.string()))]), {"x": 0, "y": []}),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "value"), TYPES, ids=[str(t) for t, _ in TYPES])
def test_every_type_has_a_zero(dtype, value):
    found = zero(dtype)
    assert found.dtype == dtype
    assert found.value.is_valid
    assert found.value.as_py() == value
    assert zero(dtype) == found


def joined(left: pa.Table, right: pa.Table) -> list[tuple[int, int]]:
    """Row numbers of rows that are equal in `g` and null-safely equal in `x`."""
    a = lf.from_arrow(left).with_row_index("n")._plan
    b = lf.from_arrow(right).with_row_index("m").rename({"g": "h", "x": "y"})._plan
    pairs = [
        (column(a.schema, "g"), column(b.schema, "h")),
        *null_safe_keys(column(a.schema, "x"), column(b.schema, "y")),
    ]
    join = Join(a, b, "inner", tuple(p for p, _ in pairs), tuple(q for _, q in pairs))
    return [(row["n"], row["m"]) for row in LazyFrame(join).collect()]


@pytest.mark.parametrize(("dtype", "value"), TYPES, ids=[str(t) for t, _ in TYPES])
def test_null_is_null_and_no_other_value(dtype, value):
    if pa.types.is_map(dtype):
        value = {}
    left = pa.table({"g": [1, 1, None, 2], "x": pa.array([None, value, None, None], dtype)})
    right = pa.table({"g": [1, 1, None], "x": pa.array([value, None, None], dtype)})
    # A null in a plain key matches nothing.
    assert joined(left, right) == [(0, 1), (1, 0)]


def test_columns_of_nulls():
    left = pa.table({"g": [1, 2], "x": pa.nulls(2)})
    assert joined(left, left) == [(0, 0), (1, 1)]


def test_values_that_are_not_both_nullable_are_plain_keys():
    for flags in [(False, False), (True, False), (False, True)]:
        a, b = (Column(name, pa.int64(), flag) for name, flag in zip("ab", flags, strict=True))
        assert null_safe_keys(a, b) == [(a, b)]
