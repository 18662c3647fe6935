# ruff: noqa: DTZ001 - timestamps without a zone are what this is about

from __future__ import annotations

import datetime as dt
import math
import operator
from decimal import Context, Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.planner.functions.definition import lookup
from lazyframe.planner.types import integer_bounds
from tests.executors.vectorized.functions.kernel_calls import call, column, dirty, listed, sliced

INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]


def exact_power(x, y):
    if y < 0:
        raise ZeroDivisionError
    return x ** min(y, 70 + y % 2) if abs(x) > 1 else x**y


EXACT = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "floor_divide": operator.floordiv,
    "modulo": operator.mod,
    "power": exact_power,
    "truncated_divide": lambda x, y: int(Fraction(x, y)),
    "truncated_modulo": lambda x, y: x - y * int(Fraction(x, y)),
}


@st.composite
def integer_pairs(draw):
    kind = draw(st.sampled_from(INTEGERS))
    low, high = integer_bounds(kind)
    edge = st.sampled_from([v for v in (low, low + 1, -2, -1, 0, 1, 2, 3, high - 1, high) if low <= v <= high])
    value = st.none() | edge | st.integers(low, high) | st.integers(max(low, -12), 12)
    rows = draw(st.lists(st.tuples(value, value), min_size=1, max_size=8))
    return kind, rows


@pytest.mark.parametrize("name", EXACT)
@given(
    data=integer_pairs(), form=st.sampled_from(["columns", "slices", "left constant", "right constant", "constants"])
)
def test_integers_are_exact_or_an_error(name, data, form):
    kind, rows = data
    if form in ("left constant", "constants"):
        rows = [(rows[0][0], y) for _, y in rows]
    if form in ("right constant", "constants"):
        rows = [(x, rows[0][1]) for x, _ in rows]
    low, high = integer_bounds(kind)
    expected, failing = [], None
    for row, (x, y) in enumerate(rows):
        if x is None or y is None:
            expected.append(None)
            continue
        try:
            result = EXACT[name](x, y)
        except ZeroDivisionError:
            result = None
        if result is None or not low <= result <= high:
            failing = row
            break
        expected.append(result)
    a, b = pa.array([x for x, _ in rows], kind), pa.array([y for _, y in rows], kind)
    if form == "slices":
        a, b = sliced(a), sliced(b)
    if form in ("left constant", "constants"):
        a = a[0]
    if form in ("right constant", "constants"):
        b = b[0]
    if failing is None:
        assert listed(name, a, b) == (expected if form != "constants" else expected[:1])
        return
    with pytest.raises(KernelError) as caught:
        call(name, a, b)
    assert caught.value.row == failing
    assert all(str(v) in caught.value.message for v in rows[failing] if v is not None and v != 0)


@pytest.mark.parametrize(
    ("name", "a", "b", "message"),
    [
        ("add", 127, 1, "integer overflow: 127 + 1 does not fit in int8"),
        ("subtract", -128, 1, "integer overflow: -128 - 1 does not fit in int8"),
        ("multiply", -128, -1, "integer overflow: -128 * (-1) does not fit in int8"),
        ("floor_divide", -128, -1, "integer overflow: -128 // (-1) does not fit in int8"),
        ("floor_divide", 7, 0, "division by zero: 7 // 0"),
        ("modulo", 7, 0, "division by zero: 7 % 0"),
        ("power", 2, 7, "integer overflow: 2 ** 7 does not fit in int8"),
        ("power", 2, -1, "an integer has no negative power: 2 ** -1; cast to float64"),
    ],
)
def test_errors_name_the_values_and_the_first_row(name, a, b, message):
    with pytest.raises(KernelError) as caught:
        call(name, pa.array([1, None, a, a], pa.int8()), pa.array([1, b, b, b], pa.int8()))
    assert (caught.value.message, caught.value.row) == (message, 2)


def test_negating_and_magnitude_of_the_least_integer():
    for kind in INTEGERS[:4]:
        low, high = integer_bounds(kind)
        for name in ("negate", "abs"):
            with pytest.raises(KernelError, match="integer overflow"):
                call(name, pa.array([0, low], kind))
        assert listed("negate", pa.array([high, None, low + 1], kind)) == [-high, None, high]
        assert listed("abs", pa.array([high, None, low + 1], kind)) == [high, None, high]
    assert listed("abs", pa.array([255], pa.uint8())) == [255]


def test_what_stands_under_a_null_never_raises():
    least = dirty(pa.array([None, 1], pa.int8()), pa.array([-128, 0], pa.int8()))
    zero = dirty(pa.array([None, 1], pa.int8()), pa.array([0, 0], pa.int8()))
    minus = dirty(pa.array([None, 1], pa.int8()), pa.array([-1, 0], pa.int8()))
    for name in ("add", "subtract", "multiply", "floor_divide", "modulo", "power"):
        for other in (least, zero, minus):
            assert listed(name, least, other)[0] is None
    assert listed("negate", least) == [None, -1]
    assert listed("abs", least) == [None, 1]
    nothing = pa.decimal128(38, 2)
    words = pa.array([Decimal("9" * 36), Decimal(0)], nothing)
    wide = pa.Array.from_buffers(nothing, 2, [pa.py_buffer(b"\x02"), words.buffers()[1]])
    for name in ("add", "subtract", "multiply"):
        assert listed(name, wide, wide) == [None, Decimal(0)]
    with pytest.raises(KernelError) as caught:
        call("divide", wide, wide)
    assert caught.value.row == 1


def test_arithmetic_with_null_constants_is_null():
    assert call("add", pa.array([1, 2]), pa.scalar(None, pa.int64())).as_py() is None
    assert call("divide", pa.array([1.5]), pa.scalar(None, pa.float64())).as_py() is None
    assert listed("add", pa.array([], pa.int64()), pa.array([], pa.int64())) == []


FLOATS = st.floats(width=64) | st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, 0.1])


def same_float(x, y):
    return (math.isnan(x) and math.isnan(y)) or (x == y and math.copysign(1, x) == math.copysign(1, y))


@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=6))
def test_floats_follow_ieee_and_python(rows):
    a, b = pa.array([x for x, _ in rows]), pa.array([y for _, y in rows])
    for name in ("add", "subtract", "multiply"):
        assert all(same_float(g, EXACT[name](x, y)) for g, (x, y) in zip(listed(name, a, b), rows, strict=True))
    for name in ("floor_divide", "modulo"):
        for got, (x, y) in zip(listed(name, a, b), rows, strict=True):
            if y != 0 and not math.isinf(x):
                assert same_float(got, EXACT[name](x, y))


def test_sql_division_truncates():
    # select 7 // -2, -7 // 2, -7 % 2, 7 % -2, -7.5::double % 2 in DuckDB 2
    a, b = pa.array([7, -7]), pa.array([-2, 2])
    assert listed("truncated_divide", a, b) == [-3, -3]
    assert listed("truncated_modulo", a, b) == [1, -1]
    assert listed("truncated_modulo", pa.array([-7.5, 7.5]), pa.array([2.0, -2.0])) == [-1.5, 1.5]
    money = pa.array([Decimal("-7.55")], pa.decimal128(5, 2))
    assert listed("truncated_modulo", money, pa.scalar(Decimal("2.00"), pa.decimal128(5, 2))) == [Decimal("-1.55")]


def test_division_of_floats_by_zero_is_ieee():
    assert listed("divide", pa.array([1.0, -1.0]), pa.scalar(0.0)) == [math.inf, -math.inf]
    assert listed("floor_divide", pa.array([1.0, -1.0]), pa.scalar(0.0)) == [math.inf, -math.inf]
    for name in ("divide", "floor_divide", "modulo"):
        assert math.isnan(listed(name, pa.array([0.0]), pa.scalar(0.0))[0])
    assert listed("divide", pa.array([1, 7], pa.float64()), pa.scalar(2.0)) == [0.5, 3.5]
    assert listed("power", pa.array([2.0, 2.0, 0.0]), pa.array([-1.0, 0.5, 0.0])) == [0.5, math.sqrt(2), 1.0]
    assert listed("add", pa.array([1.5], pa.float32()), pa.array([2.25], pa.float32())) == [3.75]


def half_away(value: Fraction) -> int:
    magnitude = math.floor(abs(value) + Fraction(1, 2))
    return -magnitude if value < 0 else magnitude


@st.composite
def decimals(draw, precision=None, scale=None):
    precision = draw(st.integers(1, 38)) if precision is None else precision
    scale = draw(st.integers(0, precision)) if scale is None else scale
    limit = 10**precision - 1
    number = (
        st.integers(-limit, limit)
        | st.integers(-min(limit, 200), min(limit, 200))
        | st.sampled_from([limit, -limit, 0])
    )
    return pa.decimal128(precision, scale), draw(st.lists(st.none() | number, min_size=1, max_size=5))


def decimal_column(kind, numbers, encoded):
    if encoded and all(n is None or -(2**63) <= n < 2**63 for n in numbers):
        return pa.array(numbers, pa.int64())
    return pa.array([None if n is None else Decimal(n).scaleb(-kind.scale, CONTEXT) for n in numbers], kind)


CONTEXT = Context(prec=100)


def exactly(name, x: Fraction, y: Fraction, scale):
    if name not in ("add", "subtract", "multiply") and y == 0:
        return None
    match name:
        case "add":
            value = x + y
        case "subtract":
            value = x - y
        case "multiply":
            value = x * y
        case "divide":
            value = x / y
        case "floor_divide":
            value = Fraction(math.floor(x / y))
        case "truncated_modulo":
            value = x - y * int(x / y)
        case _:
            value = x - y * math.floor(x / y)
    return half_away(value * 10**scale)


@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "divide", "floor_divide", "modulo", "truncated_modulo"]
)
@given(data=st.data(), encoded=st.tuples(st.booleans(), st.booleans()), constant=st.booleans())
def test_decimals_are_exact_or_an_error(name, data, encoded, constant):
    left, xs = data.draw(decimals())
    right, ys = data.draw(decimals(left.precision, left.scale) if name.endswith("modulo") else decimals())
    length = min(len(xs), len(ys))
    xs, ys = xs[:length], ys[:length]
    if constant:
        ys = ys[:1] * length
    a, b = decimal_column(left, xs, encoded[0]), decimal_column(right, ys, encoded[1])
    if constant:
        b = decimal_column(right, ys, False)[0]
    result = lookup(name).resolve((left, right), {}).result
    expected, failing = [], None
    for row, (x, y) in enumerate(zip(xs, ys, strict=True)):
        if x is None or y is None:
            expected.append(None)
            continue
        value = exactly(name, Fraction(x, 10**left.scale), Fraction(y, 10**right.scale), result.scale)
        if value is None or abs(value) >= 10**result.precision:
            failing = row
            break
        expected.append(value)
    if failing is not None:
        with pytest.raises(KernelError) as caught:
            call(name, a, b, types=(left, right))
        if "zero" not in caught.value.message:
            assert caught.value.row == len(expected)
            return
        assert ys[caught.value.row] == 0
        return
    got = column(name, a, b, types=(left, right))
    assert [None if v is None else int(v.scaleb(result.scale, CONTEXT)) for v in got.to_pylist()] == expected


def test_decimal_division_keeps_its_digits():
    # duckdb#13512: the quotient of 2526315.789473684210526 stays exact.
    a = pa.array([Decimal("2526315.789473684210526")], pa.decimal128(22, 15))
    assert listed("divide", a, pa.scalar(Decimal(1), pa.decimal128(1, 0))) == [Decimal("2526315.789473684210526000")]
    thirds = listed(
        "divide", pa.array([Decimal("10.0")], pa.decimal128(4, 1)), pa.scalar(Decimal("3.0"), pa.decimal128(4, 1))
    )
    assert thirds == [Decimal("3.333333")]
    with pytest.raises(KernelError, match=r"division by zero: 1.50 / 0"):
        call("divide", pa.array([Decimal("1.50")], pa.decimal128(3, 2)), pa.scalar(Decimal(0), pa.decimal128(3, 0)))


def test_small_decimals_stay_int64_even_where_the_type_is_wide():
    price, rate = pa.decimal128(15, 2), pa.decimal128(15, 2)
    product = call("multiply", pa.array([10_050], pa.int64()), pa.array([5], pa.int64()), types=(price, rate))
    assert product.type == pa.int64()
    assert product.to_pylist() == [50_250]


def test_decimal_overflow_names_the_values():
    nines = pa.array([Decimal(0), Decimal("9" * 38)], pa.decimal128(38, 0))
    with pytest.raises(KernelError) as caught:
        call("add", nines, pa.scalar(Decimal(1), pa.decimal128(1, 0)))
    assert caught.value.row == 1
    assert caught.value.message.endswith(f"{'9' * 38} + 1 does not fit in decimal(38,0)")


def test_signs():
    assert listed("sign", pa.array([-5, 0, 7, None])) == [-1, 0, 1, None]
    assert listed("sign", pa.array([3], pa.uint8())) == [1]
    assert listed("sign", pa.array([-2, 0, None]), types=(pa.decimal128(5, 2),)) == [-1, 0, None]
    signs = listed("sign", pa.array([-2.5, 0.0, math.nan]))
    assert signs[:2] == [-1.0, 0.0]
    assert math.isnan(signs[2])
    assert listed("negate", pa.array([Decimal("1.50"), None], pa.decimal128(3, 2))) == [Decimal("-1.50"), None]
    assert listed("abs", pa.array([Decimal("-1.50")], pa.decimal128(3, 2))) == [Decimal("1.50")]
    assert listed("bit_and", pa.array([5]), pa.scalar(3)) == [1]
    assert listed("bit_or", pa.array([5]), pa.scalar(3)) == [7]
    assert listed("bit_xor", pa.array([5]), pa.scalar(3)) == [6]


def interval(months=0, days=0, nanos=0):
    return pa.MonthDayNano([months, days, nanos])


INTERVAL = pa.month_day_nano_interval()


def add_months(day: dt.date, months: int) -> dt.date:
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    following = dt.date(year + month // 11, (month + 1) % 12 + 1, 1)
    last = (following - dt.timedelta(days=1)).day
    return dt.date(year, month + 1, min(day.day, last))


@given(
    st.dates(dt.date(1600, 1, 1), dt.date(2400, 1, 1)),
    st.integers(-4000, 4000),
    st.integers(-9999, 9999),
    st.booleans(),
)
def test_dates_move_by_the_calendar(day, months, days, constant):
    span = pa.array([interval(months, days)], INTERVAL)
    expected = add_months(day, months) + dt.timedelta(days=days)
    assert listed("add", pa.array([day]), span[0] if constant else span) == [expected]
    assert listed("add", span[0] if constant else span, pa.array([day])) == [expected]
    back = pa.array([interval(-months, -days)], INTERVAL)
    assert listed("subtract", pa.array([day]), back) == [expected]


def test_months_clamp_to_the_end_of_the_month():
    days = pa.array([dt.date(2024, 1, 31), dt.date(2023, 1, 31), None, dt.date(2024, 3, 31)])
    month = pa.scalar(interval(1), INTERVAL)
    assert listed("add", days, month) == [dt.date(2024, 2, 29), dt.date(2023, 2, 28), None, dt.date(2024, 4, 30)]
    moments = days.cast(pa.timestamp("us"))
    assert listed("add", moments, month)[0] == dt.datetime(2024, 2, 29)
    hours = pa.scalar(interval(nanos=3_600_000_000_000), INTERVAL)
    assert listed("subtract", moments, hours)[0] == dt.datetime(2024, 1, 30, 23)
    with pytest.raises(KernelError, match="cast it to a timestamp"):
        call("add", days, hours)


def paris(*parts):
    return dt.datetime(*parts, tzinfo=ZoneInfo("Europe/Paris"))


def test_days_of_a_zone_are_as_long_as_its_clocks_say():
    kind = pa.timestamp("us", "Europe/Paris")
    start = pa.array([paris(2024, 3, 30, 12), paris(2024, 3, 30, 2, 30), paris(2024, 10, 26, 2, 30)], kind)
    moved = listed("add", start, pa.scalar(interval(days=1), INTERVAL))
    assert moved[0] == paris(2024, 3, 31, 12)
    # 02:30 is skipped that night: it moves on by the hour that is missing (RFC 5545).
    assert moved[1] == paris(2024, 3, 31, 3, 30)
    # Shown twice, it is the first.
    assert moved[2].astimezone(dt.UTC) == dt.datetime(2024, 10, 27, 0, 30, tzinfo=dt.UTC)
    day_long = listed("add", start, pa.scalar(interval(nanos=86_400 * 10**9), INTERVAL))
    assert day_long[0] == paris(2024, 3, 31, 13)


def test_points_in_time_and_durations():
    a, b = dt.datetime(2024, 1, 31, 10), dt.datetime(2024, 1, 1)
    us = pa.timestamp("us")
    assert listed("subtract", pa.array([a, None], us), pa.array([b, b], us)) == [a - b, None]
    assert listed("subtract", pa.array([a.date()]), pa.array([b.date()])) == [dt.timedelta(days=30)]
    hour = pa.scalar(dt.timedelta(hours=1), pa.duration("us"))
    assert listed("add", pa.array([a], us), hour) == [a + dt.timedelta(hours=1)]
    assert listed("subtract", pa.array([a], us), hour) == [a - dt.timedelta(hours=1)]
    assert listed("multiply", pa.array([dt.timedelta(hours=1)]), pa.scalar(3)) == [dt.timedelta(hours=3)]
    assert listed("negate", pa.array([dt.timedelta(hours=1)])) == [dt.timedelta(hours=-1)]
    assert listed("abs", pa.array([dt.timedelta(hours=-1), None])) == [dt.timedelta(hours=1), None]
    clock = pa.array([dt.time(10, 30)], pa.time64("us"))
    assert listed("subtract", clock, pa.array([dt.time(9)], pa.time64("us"))) == [dt.timedelta(hours=1, minutes=30)]


@given(st.integers(-(2**62), 2**62), st.integers(-(2**62), 2**62))
def test_a_duration_is_divided_as_by_python(ticks, divisor):
    assume(divisor != 0)
    quotient = Fraction(ticks, divisor)
    got = call("divide", pa.array([ticks], pa.int64()).view(pa.duration("us")), pa.scalar(divisor, pa.int64()))
    assert got.view(pa.int64()).to_pylist() == [round(quotient)]


def test_time_out_of_range_is_an_error():
    end = pa.array([None, 2**63 - 1], pa.int64()).view(pa.timestamp("us"))
    for span in (
        pa.scalar(1, pa.duration("us")),
        pa.scalar(interval(months=1), INTERVAL),
        pa.scalar(interval(days=1), INTERVAL),
    ):
        with pytest.raises(KernelError, match="out of range") as caught:
            call("add", end, span)
        assert caught.value.row == 1
    least = pa.array([-(2**63)], pa.int64()).view(pa.timestamp("ns"))
    with pytest.raises(KernelError, match="out of range"):
        call("add", least, pa.scalar(interval(nanos=-1), INTERVAL))
    with pytest.raises(KernelError, match="out of range"):
        call("subtract", least, pa.scalar(interval(nanos=1), INTERVAL))
    with pytest.raises(KernelError, match="out of range"):
        call("add", pa.array([2**31 - 1], pa.int32()).view(pa.date32()), pa.scalar(interval(days=1), INTERVAL))
    with pytest.raises(KernelError, match="out of range"):
        call("add", pa.array([interval(months=2**31 - 1)], INTERVAL), pa.scalar(interval(months=1), INTERVAL))
    with pytest.raises(KernelError, match="division by zero"):
        call("divide", pa.array([dt.timedelta(hours=1)]), pa.scalar(0))


def test_intervals_add_part_by_part():
    a = pa.array([interval(1, 2, 3), None], INTERVAL)
    b = pa.scalar(interval(10, -5, 7), INTERVAL)
    assert listed("add", a, b) == [interval(11, -3, 10), None]
    assert listed("subtract", a, b) == [interval(-9, 7, -4), None]
    assert listed("negate", a) == [interval(-1, -2, -3), None]
    assert listed("add", b, b) == [interval(20, -10, 14)]


def test_lengths_of_slices():
    long = pa.array(np.arange(100, dtype=np.int64))
    assert listed("multiply", long.slice(90), long.slice(3, 10)) == [
        x * y for x, y in zip(range(90, 100), range(3, 13), strict=True)
    ]
