# ruff: noqa: DTZ001 - timestamps without a zone are what this is about

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction

import duckdb
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lazyframe.planner.types import integer_bounds
from tests.executors.vectorized.functions.kernel_calls import call, listed, sliced

NAMES = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
KINDS = [
    pa.int8(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64(), pa.float32(), pa.float64(), pa.decimal128(5, 2),
    pa.decimal128(18, 4), pa.decimal128(38, 0), pa.decimal128(38, 30),
]  # fmt: skip


DUCKDB = duckdb.connect()


def values_of(kind):
    if pa.types.is_floating(kind):
        edges = st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, 0.5, 1.0, float(2**31), -float(2**31)])
        wide = st.sampled_from([float(2**53), float(2**53 + 2), float(2**63), float(2**64), -float(2**63), 0.1, 1e300])
        return edges | st.floats(width=kind.bit_width) | (wide if kind.bit_width == 64 else edges)
    if pa.types.is_decimal(kind):
        limit = 10**kind.precision - 1
        number = (
            st.integers(-limit, limit)
            | st.integers(-min(limit, 300), min(limit, 300))
            | st.sampled_from([limit, -limit, 10])
        )
        return number.map(lambda n: Decimal(f"{n}E-{kind.scale}"))
    low, high = integer_bounds(kind)
    edges = [low, high, 0, 1, 2**53, 2**53 + 1, 2**62, 2**63, 2**63 - 1]
    return (
        st.integers(low, high) | st.integers(max(low, -3), 3) | st.sampled_from([e for e in edges if low <= e <= high])
    )


def place(value, as_float):
    """Where a number stands in the order: NaN after all."""
    if isinstance(value, float) and (math.isnan(value) or math.isinf(value)):
        return (1 if math.isnan(value) else 0, math.copysign(math.inf, value) if not math.isnan(value) else 0)
    if as_float and isinstance(value, Decimal):
        numerator, denominator = value.as_integer_ratio()
        value = numerator / denominator
    return (0, Fraction(value))


def expected(name, x, y):
    if x is None or y is None:
        return None
    as_float = isinstance(x, float) or isinstance(y, float)
    p, q = place(x, as_float), place(y, as_float)
    return {
        "equal": p == q, "not_equal": p != q, "less": p < q, "less_equal": p <= q, "greater": p > q, "greater_equal": p >= q,
    }[name]  # fmt: skip


@given(st.data(), st.sampled_from(["columns", "slices", "left constant", "right constant", "constants", "encoded"]))
def test_numbers_of_all_kinds_compare_by_value(data, form):
    left, right = data.draw(st.sampled_from(KINDS)), data.draw(st.sampled_from(KINDS))
    rows = data.draw(
        st.lists(st.tuples(st.none() | values_of(left), st.none() | values_of(right)), min_size=1, max_size=5)
    )
    if form in ("left constant", "constants"):
        rows = [(rows[0][0], y) for _, y in rows]
    if form in ("right constant", "constants"):
        rows = [(x, rows[0][1]) for x, _ in rows]
    a, b = pa.array([x for x, _ in rows], left), pa.array([y for _, y in rows], right)
    if form == "slices":
        a, b = sliced(a), sliced(b)
    if form != "columns":
        a, b = encoded(a), encoded(b)
    if form in ("left constant", "constants"):
        a = pa.scalar(rows[0][0], left)
    if form in ("right constant", "constants"):
        b = pa.scalar(rows[0][1], right)
    for name in NAMES:
        wanted = [expected(name, x, y) for x, y in rows]
        assert listed(name, a, b, types=(left, right)) == (wanted[:1] if form == "constants" else wanted)
    wanted = [(x is None and y is None) if None in (x, y) else expected("equal", x, y) for x, y in rows]
    got = listed("equal_missing", a, b, types=(left, right))
    assert got == (wanted[:1] if form == "constants" else wanted)
    assert listed("not_equal_missing", a, b, types=(left, right)) == [not g for g in got]


def encoded(array):
    if not pa.types.is_decimal(array.type):
        return array
    numbers = [
        None if v is None else int(v * 10**array.type.scale) if array.type.precision < 19 else None
        for v in array.to_pylist()
    ]
    return pa.array(numbers, pa.int64()) if array.type.precision < 19 else array


def test_integers_and_floats_compare_by_value():
    # 2**53 + 1 has no float: the nearest one is another number.
    big = pa.array([2**53 + 1, 2**53])
    for b in (pa.scalar(2.0**53), pa.array([2.0**53] * 2)):
        assert listed("equal", big, b) == [False, True]
        assert listed("greater", big, b) == [True, False]
        assert listed("less_equal", b, big) == [True, True]
    assert listed("less", pa.array([-1]), pa.array([2**64 - 1], pa.uint64())) == [True]
    assert listed("equal", pa.array([-1]), pa.scalar(2**64 - 1, pa.uint64())) == [False]
    assert listed("less", pa.array([2**63 - 1]), pa.scalar(2.0**63)) == [True]


def test_nan_is_the_greatest_and_equals_itself():
    # ClickHouse#118110: x <> 3 over [3, NaN, 3] is one row.
    column = pa.array([3.0, math.nan, 3.0, None])
    assert listed("not_equal", column, pa.scalar(3.0)) == [False, True, False, None]
    nan = pa.scalar(math.nan)
    assert listed("greater", column, pa.scalar(math.inf)) == [False, True, False, None]
    assert listed("equal", column, nan) == [False, True, False, None]
    assert listed("less", column, nan) == [True, False, True, None]
    assert listed("less_equal", column, nan) == [True, True, True, None]
    assert listed("greater", column, nan) == [False, False, False, None]
    assert listed("greater_equal", column, column) == [True, True, True, None]


def test_a_decimal_equals_the_float_that_is_written_the_same():
    kind = pa.decimal128(15, 2)
    for discounts in (
        pa.array([4, 5, 6, None]),
        pa.array([Decimal("0.04"), Decimal("0.05"), Decimal("0.06"), None], kind),
    ):
        assert listed("greater_equal", discounts, pa.scalar(0.05), types=(kind, pa.float64())) == [
            False,
            True,
            True,
            None,
        ]
        assert listed("equal", discounts, pa.scalar(0.05), types=(kind, pa.float64())) == [False, True, False, None]
        assert listed("less", pa.scalar(0.05), discounts, types=(pa.float64(), kind)) == [False, False, True, None]


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("a", "b"), ("Z", "a"), ("", "a"), ("e", "é"), ("\uffff", "\U00010000"), (False, True),
        (dt.date(2023, 12, 31), dt.date(2024, 1, 1)), (dt.time(1), dt.time(2)), (b"\x01", b"\xff"),
        (dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 0, 0, 1)), (dt.timedelta(-1), dt.timedelta(0)),
        ([1], [1, 2]), ([1, 2], [2]), ([], [None]), ([5], [None]), ([1.0], [math.nan]), ({"a": 1, "b": 2}, {"a": 1, "b": 3}),
    ],
)  # fmt: skip
def test_order_of_other_types(low, high):
    both = pa.array([low, high, None])
    a, b = both.take(pa.array([0, 1, 0, 2, 0])), both.take(pa.array([1, 0, 0, 0, 2]))
    wanted = {
        "equal": [False, False, True], "not_equal": [True, True, False], "less": [True, False, False],
        "less_equal": [True, False, True], "greater": [False, True, False], "greater_equal": [False, True, True],
    }  # fmt: skip
    for name, answer in wanted.items():
        assert listed(name, a, b) == [*answer, None, None]
        assert listed(name, a.slice(0, 1), both[1]) == answer[:1]
        assert listed(name, both[0], b.slice(0, 1)) == answer[:1]


def test_dictionaries_compare_by_value():
    # polars#7428: codes are no values.
    a = pa.array(["b", "a", None, "b"]).dictionary_encode()
    b = pa.array(["a", "a", "a", "b"]).dictionary_encode()
    types = (pa.string(), pa.string())
    assert listed("equal", a, b, types=types) == [False, True, None, True]
    assert listed("less", a, pa.scalar("b"), types=types) == [False, True, None, False]
    assert listed("greater_equal", pa.scalar("a"), a, types=types) == [False, True, None, False]
    assert listed("equal_missing", a, pa.scalar(None, pa.string()), types=types) == [False, False, True, False]
    assert listed("is_in", a, types=types[:1], values=pa.array(["a", "x"])) == [False, True, None, False]


def test_missing_equals_missing_alone():
    a, b = pa.array([None, 1, None, 2]), pa.array([None, None, 3, 2])
    assert listed("equal_missing", a, b) == [True, False, False, True]
    assert listed("not_equal_missing", a, b) == [False, True, True, False]
    nothing = pa.scalar(None, pa.int64())
    assert listed("equal_missing", a, nothing) == [True, False, True, False]
    assert call("equal_missing", nothing, nothing).as_py() is True


def test_is_in_has_three_answers():
    column = pa.array([1, 2, None])
    assert listed("is_in", column, values=pa.array([1, 3])) == [True, False, None]
    assert listed("is_in", column, values=pa.array([1, None])) == [True, None, None]
    # polars SQL 2.1: `null not in (1)` is null; in an empty list is nothing, and that is known.
    assert listed("is_in", column, values=pa.array([], pa.int64())) == [False] * 3
    assert call("is_in", pa.scalar(None, pa.int64()), values=pa.array([1])).as_py() is None
    assert call("is_in", pa.scalar(None, pa.int64()), values=pa.array([], pa.int64())).as_py() is False
    assert call("is_in", pa.scalar(1), values=pa.array([1])).as_py() is True
    assert listed("is_in", column, values=pa.array([None], pa.int64())) == [None] * 3


def test_is_in_by_value():
    floats = pa.array([math.nan, -0.0, 0.0, 1.0])
    assert listed("is_in", floats, values=pa.array([0.0])) == [False, True, True, False]
    assert listed("is_in", floats, values=pa.array([-0.0, math.nan])) == [True, True, True, False]
    kind = pa.decimal128(38, 2)
    members = pa.array([Decimal("1.50"), Decimal("9" * 36)], kind)
    assert listed("is_in", pa.array([150, 151, None]), types=(kind,), values=members) == [True, False, None]
    wide = pa.array([Decimal("9" * 36), Decimal("1.50"), Decimal(3)], kind)
    assert listed("is_in", wide, values=members) == [True, True, False]
    lists = pa.array([[1, None], [1], None])
    assert listed("is_in", lists, values=pa.array([[1, None]])) == [True, False, None]
    assert listed("is_in", pa.array([True, False, None]), values=pa.array([True])) == [True, False, None]
    assert listed("is_in", pa.array([dt.date(2024, 1, 1)]), values=pa.array([dt.date(2024, 1, 1)])) == [True]


def test_least_and_greatest_skip_nulls():
    a, b = pa.array([1, None, 5, None]), pa.array([2, 3, 4, None])
    assert listed("least", a, b) == [1, 3, 4, None]
    assert listed("greatest", a, b) == [2, 3, 5, None]
    assert listed("greatest", a, pa.scalar(None, pa.int64()), pa.scalar(4)) == [4, 4, 5, 4]
    assert call("least", pa.scalar(2), pa.scalar(1)).as_py() == 1
    nan = pa.array([math.nan, math.nan])
    assert str(listed("greatest", nan, pa.array([1.0, None]))) == "[nan, nan]"
    assert str(listed("least", nan, pa.array([1.0, None]))) == "[1.0, nan]"
    kind = pa.decimal128(5, 2)
    assert (
        listed("least", pa.array([150, None]), pa.scalar(Decimal("1.20"), kind), types=(kind, kind))
        == [Decimal("1.20")] * 2
    )
    words = pa.array(["b", None]).dictionary_encode()
    assert listed("least", words, pa.array(["a", "z"]), types=(pa.string(),) * 2) == ["a", "z"]


@settings(max_examples=30)
@given(st.lists(st.tuples(st.none() | st.floats(), st.none() | st.floats()), min_size=1, max_size=20))
@example([(math.nan, 1.0), (-0.0, 0.0)])
def test_floats_compare_as_in_duckdb(rows):
    table = pa.table(
        {"a": pa.array([x for x, _ in rows], pa.float64()), "b": pa.array([y for _, y in rows], pa.float64())}
    )
    DUCKDB.register("t", table)
    wanted = DUCKDB.execute("select a = b, a <> b, a < b, a <= b, a > b, a >= b from t").fetchall()
    got = [listed(name, table["a"].chunk(0), table["b"].chunk(0)) for name in NAMES]
    assert list(zip(*got, strict=True)) == wanted
