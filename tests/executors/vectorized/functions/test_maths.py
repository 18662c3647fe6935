from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lazyframe.executors.vectorized.functions.maths import seeded_uniform
from lazyframe.executors.vectorized.kernel import KernelError
from lazyframe.planner.types import integer_bounds
from tests.executors.vectorized.functions.kernel_calls import call, column, listed, sliced


def half_away(value: Fraction) -> int:
    magnitude = math.floor(abs(value) + Fraction(1, 2))
    return -magnitude if value < 0 else magnitude


def nearest_float(value: Fraction) -> float:
    return value.numerator / value.denominator


@given(
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**6), 10**6).map(lambda n: n / 1000),
        min_size=1,
    ),
    st.integers(-25, 25) | st.integers(-2, 4),
)
@example([2.675, 0.285, 1.005, 0.125, -0.125, 0.49999999999999994, 4503599627370497.5], 2)
@example([2.5, -2.5, 0.49999999999999994, 4503599627370497.5], 0)
def test_floats_round_by_their_exact_value(values, digits):
    got = listed("round", sliced(pa.array(values)), digits=digits)
    for value, result in zip(values, got, strict=True):
        whole = half_away(Fraction(value) * Fraction(10) ** digits)
        assert result == nearest_float(Fraction(whole) / Fraction(10) ** digits)


def test_round_gives_what_duckdb_gives():
    # select round(x, 2) in DuckDB 2
    values = [2.675, 0.285, 1.005, 12345.678, 1e300, math.inf, -0.005]
    assert listed("round", pa.array(values), digits=2) == [2.67, 0.28, 1.0, 12345.68, 1e300, math.inf, -0.01]
    assert listed("round", pa.array([12345.678, 5e-324]), digits=-2) == [12300.0, 0.0]
    assert listed("round", pa.array([5e-324, 1234.5]), digits=400) == [5e-324, 1234.5]
    assert listed("round", pa.array([5e-324, 1234.5]), digits=-400) == [0.0, 0.0]
    assert listed("round", pa.array([0.5, -2.5, 3.5, None]), digits=0) == [1.0, -3.0, 4.0, None]
    assert math.isnan(listed("round", pa.array([math.nan]), digits=1)[0])
    assert listed("round", pa.array([2.675], pa.float32()), digits=2) == [np.float32(2.67)]
    assert call("round", pa.scalar(2.5)).as_py() == 3.0


@given(st.sampled_from([pa.int8(), pa.uint8(), pa.int64(), pa.uint64()]), st.data(), st.integers(-25, 2))
def test_integers_round_or_do_not_fit(kind, data, digits):
    low, high = integer_bounds(kind)
    value = data.draw(st.integers(low, high))
    factor = 10 ** max(-digits, 0)
    wanted = half_away(Fraction(value, factor)) * factor
    given_column = pa.array([None, value], kind)
    if low <= wanted <= high:
        assert listed("round", given_column, digits=digits) == [None, wanted]
    else:
        with pytest.raises(KernelError, match=r"does not fit in u?int") as caught:
            call("round", given_column, digits=digits)
        assert caught.value.row == 1


@given(st.data(), st.booleans())
def test_decimals_become_whole_exactly(data, encoded):
    precision = data.draw(st.integers(1, 36))
    scale = data.draw(st.integers(0, precision))
    digits = data.draw(st.integers(-4, scale + 2))
    limit = 10**precision - 1
    number = data.draw(
        st.integers(-limit, limit) | st.sampled_from([limit, -limit, 5, -5, 50, 0]).filter(lambda n: abs(n) <= limit)
    )
    kind = pa.decimal128(precision, scale)
    exact = Fraction(number, 10**scale)
    given_column = pa.array([None, Decimal(f"{number}E-{scale}")], kind)
    if encoded and abs(number) < 2**63:
        given_column = pa.array([None, number])
    for name, function in {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc}.items():
        assert listed(name, given_column, types=(kind,)) == [None, function(exact)]
    wanted = half_away(exact * Fraction(10) ** digits) / Fraction(10) ** digits
    result = listed("round", given_column, types=(kind,), digits=digits)
    assert result[0] is None
    assert Fraction(result[1]) == wanted


def test_whole_numbers_of_floats():
    values = pa.array([1.5, -1.5, None, math.inf, 2.0])
    assert listed("floor", values) == [1.0, -2.0, None, math.inf, 2.0]
    assert listed("ceil", values) == [2.0, -1.0, None, math.inf, 2.0]
    assert listed("trunc", values) == [1.0, -1.0, None, math.inf, 2.0]
    assert listed("ceil", pa.array([3, None])) == [3, None]
    assert math.copysign(1, listed("trunc", pa.array([-0.5]))[0]) == -1


def test_logarithms_are_ieee():
    for name in ("ln", "log10", "log2"):
        low, nothing, one = listed(name, pa.array([0.0, -1.0, 1.0]))
        assert (low, one) == (-math.inf, 0.0)
        assert math.isnan(nothing)
    assert listed("log", pa.array([8.0, 1000.0]), pa.array([2.0, 10.0])) == pytest.approx([3.0, 3.0])
    assert listed("log", pa.array([1000.0, 1e15]), pa.scalar(10.0)) == [3.0, 15.0]
    assert listed("log10", pa.array([1000.0])) == [3.0]
    assert listed("log2", pa.array([2.0**40, None])) == [40.0, None]
    assert math.isnan(listed("sqrt", pa.array([-1.0]))[0])
    assert listed("log1p", pa.array([1e-20])) == [1e-20]
    assert listed("expm1", pa.array([1e-20])) == [1e-20]


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("sqrt", math.sqrt), ("cbrt", math.cbrt), ("exp", math.exp), ("sin", math.sin), ("cos", math.cos), ("tan", math.tan),
        ("asin", math.asin), ("acos", math.acos), ("atan", math.atan), ("sinh", math.sinh), ("cosh", math.cosh),
        ("tanh", math.tanh), ("degrees", math.degrees), ("radians", math.radians), ("ln", math.log),
    ],
)  # fmt: skip
def test_functions_of_one_float(name, function):
    values = [0.25, 0.5, 1.0]
    got = listed(name, pa.array([*values, None]))
    assert got[:3] == pytest.approx([function(v) for v in values], rel=1e-15)
    assert got[3] is None
    assert column(name, pa.array([0.5], pa.float32())).type == pa.float32()
    assert call(name, pa.scalar(0.5)).as_py() == pytest.approx(function(0.5), rel=1e-15)
    assert call(name, pa.scalar(None, pa.float64())).as_py() is None


def test_angles():
    assert listed("atan2", pa.array([1.0, -1.0]), pa.array([1.0, -1.0])) == [math.pi / 4, -3 * math.pi / 4]


def test_kinds_of_floats():
    values = pa.array([1.0, math.nan, math.inf, -math.inf, None])
    assert listed("is_nan", values) == [False, True, False, False, None]
    assert listed("is_finite", values) == [True, False, False, False, None]
    assert listed("is_infinite", values) == [False, False, True, True, None]
    assert listed("is_finite", pa.array([1, None])) == [True, None]
    assert listed("is_infinite", pa.array([1, None]), types=(pa.decimal128(5, 2),)) == [False, None]


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
@example(-(2**63), 0)
@example(-12, 18)
@example(0, 0)
def test_greatest_common_divisor(a, b):
    wanted = math.gcd(a, b)
    x, y = pa.array([None, a]), pa.array([1, b])
    if wanted == 2**63:
        with pytest.raises(KernelError, match=r"9223372036854775808 does not fit in int64"):
            call("gcd", x, y)
    else:
        assert listed("gcd", x, y) == [None, wanted]


def hashes(*columns, types=None):
    return listed("hash", *columns, types=types)


def test_equal_values_have_equal_hashes():
    zero, minus, nan, other = hashes(pa.array([0.0, -0.0, math.nan, float(np.float64(np.nan) * -1)]))
    assert zero == minus
    assert nan == other
    assert zero != nan
    words = pa.array(["a", "b", None, "a", "a rather longer text than a word"])
    assert hashes(words) == hashes(words.dictionary_encode(), types=(pa.string(),))
    assert hashes(words.slice(1)) == hashes(words)[1:]
    assert call("hash", pa.scalar("a")).as_py() == hashes(words)[0]
    kind = pa.decimal128(20, 2)
    money = pa.array([Decimal("1.50"), None, Decimal("-3.00")], kind)
    assert hashes(money) == hashes(pa.array([150, None, -300]), types=(kind,))
    mixed = pa.array([Decimal("1.50"), None, Decimal("999999999999999999.99")], kind)
    assert hashes(mixed)[:2] == hashes(money)[:2]
    assert hashes(pa.array([1.5], pa.float32())) == hashes(pa.array([1.5]))
    assert hashes(pa.array([7], pa.int8())) == hashes(pa.array([7]))


def test_hashes_tell_values_apart():
    assert len(set(hashes(pa.array(range(10_000))))) == 10_000
    assert len(set(hashes(pa.array([str(i) for i in range(10_000)])))) == 10_000
    assert len(set(hashes(pa.array([[1, 2], [2, 1], [], None, [None], [1], [1, 2, 0]])))) == 7
    structs = pa.array([{"a": 1, "b": 2}, {"a": 2, "b": 1}, None, {"a": None, "b": None}])
    assert len(set(hashes(structs))) == 4
    a, b = pa.array([1, 2, 1]), pa.array([2, 1, None])
    assert len(set(hashes(a, b)) | set(hashes(b, a))) == 4
    assert hashes(a, pa.scalar(2))[0] == hashes(a, b)[0]


def test_random_numbers():
    kernel_result = [v for _ in range(50) for v in listed("random")]
    assert len(set(kernel_result)) == 50
    assert all(0 <= v < 1 for v in kernel_result)


def test_seeded_numbers_depend_on_the_row_alone():
    whole = seeded_uniform(7, 0, 10_000)
    parts = np.concatenate([seeded_uniform(7, 0, 3000), seeded_uniform(7, 3000, 7000)])
    assert (whole == parts).all()
    assert (whole != seeded_uniform(8, 0, 10_000)).all()
    assert 0 <= whole.min() < whole.max() < 1
    # The mean of 10,000 uniform numbers has a deviation of 0.0029, so this is seven of them.
    assert abs(whole.mean() - 0.5) < 0.02
    assert abs(np.corrcoef(whole[:-1], whole[1:])[0, 1]) < 0.07
