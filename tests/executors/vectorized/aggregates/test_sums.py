import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.scalars import AggregateCall
from tests.executors.vectorized.aggregates.grouped import aggregate, aggregate_call, decimal_as_int64

MOST = 2**63 - 1


def test_a_sum_is_wider_than_its_column():
    assert aggregate("sum", pa.array([2**31 - 1, 2**31 - 1], pa.int32())) == [4294967294]
    assert aggregate("sum", pa.array([255] * 300, pa.uint8())) == [76500]
    assert aggregate("sum", pa.array([True, None, True, False])) == [2]


def test_a_sum_may_pass_the_range_as_long_as_it_comes_back():
    assert aggregate("sum", pa.array([MOST, MOST, -MOST])) == [MOST]
    assert aggregate("sum", [pa.array([MOST, MOST]), pa.array([-MOST])]) == [MOST]
    assert aggregate("sum", [pa.array([-(2**63)]), pa.array([MOST]), pa.array([MOST])]) == [MOST - 1]


@pytest.mark.parametrize("pieces", [[[MOST, 1]], [[MOST], [1]], [[MOST, 0], [0, 1]]])
def test_a_sum_that_does_not_fit_is_an_error_with_the_value(pieces):
    with pytest.raises(EvaluationError, match="sum overflows int64: 9223372036854775808"):
        aggregate("sum", [pa.array(piece) for piece in pieces])


def test_only_the_group_that_overflows_is_named():
    with pytest.raises(EvaluationError, match="-9223372036854775810"):
        aggregate("sum", pa.array([1, -(2**63), -2]), keys=[pa.array(["a", "b", "b"])])


def test_unsigned_sums():
    assert aggregate("sum", pa.array([2**64 - 2, 1], pa.uint64())) == [2**64 - 1]
    with pytest.raises(EvaluationError, match="sum overflows uint64: 18446744073709551616"):
        aggregate("sum", pa.array([2**64 - 1, 1], pa.uint64()))


def test_decimal_sums_go_to_38_digits_and_no_further():
    wide = pa.decimal128(38, 2)
    nines = Decimal("9" * 36 + ".99")
    less = Decimal("-" + "9" * 36 + ".99")
    assert aggregate("sum", pa.array([nines, less, nines], wide)) == [nines]
    cents = pa.array([Decimal("0.01")], wide)
    with pytest.raises(EvaluationError, match=r"sum overflows decimal\(38,2\): 1" + "0" * 38):
        aggregate("sum", [pa.array([nines], wide), cents])
    assert aggregate("sum", [pa.array([less], wide), cents]) == [Decimal("-" + "9" * 36 + ".98")]


def test_decimals_in_either_layout_add_up_together():
    dtype = pa.decimal128(20, 2)
    encoded, column = decimal_as_int64([125, None, 2**62], dtype)
    big = Decimal(2**62).scaleb(-2)
    pieces = [[encoded, pa.array([Decimal("123456789012345678.90"), None], dtype)]]
    call = AggregateCall("sum", (column,))
    assert aggregate_call(call, pieces) == [Decimal("1.25") + big + Decimal("123456789012345678.90")]


def test_mean_of_decimals_keeps_ten_more_places():
    dtype = pa.decimal128(10, 2)
    assert aggregate("mean", pa.array([Decimal("1.00"), Decimal("1.00"), Decimal("2.00")], dtype)) == [
        Decimal("1.333333333333")
    ]
    assert aggregate("mean", pa.array([Decimal("-0.01"), Decimal("0.00"), Decimal("0.00")], dtype)) == [
        Decimal("-0.003333333333")
    ]
    # No place is left for 1/6 or 1/2 of the last digit; halves go away from zero.
    encoded, column = decimal_as_int64([1, 0, 0, 0, 0, 0], pa.decimal128(38, 38))
    assert aggregate_call(AggregateCall("mean", (column,)), [[encoded]]) == [0]
    encoded, column = decimal_as_int64([-1, 0], pa.decimal128(38, 38))
    assert aggregate_call(AggregateCall("mean", (column,)), [[encoded]]) == [Decimal("-1e-38")]


def test_mean_of_integers_is_rounded_once():
    # The sum, 3 * 2**62 + 1, is no float; a third of it is rounded from the exact sum.
    values = [2**62, 2**62, 2**62 + 1]
    assert aggregate("mean", pa.array(values)) == [sum(values) / 3]
    assert aggregate("mean", pa.array([MOST, MOST])) == [float(MOST)]
    assert aggregate("mean", pa.array([True, False, None, True])) == [2 / 3]


def test_float32_adds_up_as_float64():
    tenth = float(np.float32(0.1))
    assert aggregate("sum", pa.array([0.1] * 10, pa.float32())) == [pytest.approx(10 * tenth, rel=1e-15)]
    assert aggregate("sum", pa.array([16777216.0, 1.0], pa.float32())) == [16777217.0]


def test_infinities_and_nan_in_sums():
    assert aggregate("sum", pa.array([math.inf, 1.0])) == [math.inf]
    assert math.isnan(aggregate("sum", pa.array([math.inf, -math.inf]))[0])
    assert math.isnan(aggregate("mean", pa.array([math.nan, 1.0]))[0])


def test_instants_and_durations():
    second = pa.duration("s")
    assert [d.total_seconds() for d in aggregate("sum", pa.array([60, 5], second))] == [65]
    assert [d.total_seconds() for d in aggregate("mean", pa.array([3, 4], second))] == [4]
    assert aggregate("mean", pa.array([0, 86_400_000_000], pa.timestamp("us")))[0].isoformat() == "1970-01-01T12:00:00"
    zone = pa.timestamp("s", "Europe/Paris")
    assert aggregate("mean", pa.array([0, 7200], zone))[0].isoformat() == "1970-01-01T02:00:00+01:00"


@pytest.mark.parametrize("threads", [1, 3, 7])
def test_equal_partials_give_equal_bits(threads):
    values = np.random.default_rng(1).normal(size=3000) * 1e6
    pieces = [pa.array(piece) for piece in np.array_split(values, threads)]
    first, again = aggregate("sum", pieces), aggregate("sum", pieces)
    assert first[0].hex() == again[0].hex()
    assert first[0] == pytest.approx(math.fsum(values), rel=1e-12)


def test_products():
    assert aggregate("product", pa.array([2**40, 2**30, 0])) == [0]
    assert aggregate("product", pa.array([-(2**40), 2**23])) == [-(2**63)]
    assert aggregate("product", [pa.array([3, -5]), pa.array([None, 7])]) == [-105]
    assert aggregate("product", pa.array([2**32, 2**31], pa.uint64())) == [2**63]
    assert aggregate("product", pa.array([3037000499, 3037000499])) == [9223372030926249001]
    assert aggregate("product", pa.array([1.5, None, -2.0])) == [-3.0]
    for overflowing in ([2**40, 2**23], [2**40, 2**24], [2**62, 2**62], [3037000500, 3037000500]):
        with pytest.raises(EvaluationError, match="product overflows int64"):
            aggregate("product", pa.array(overflowing))


def test_a_mean_whose_places_leave_no_room_is_an_error():
    dtype = pa.decimal128(38, 2)
    assert aggregate("mean", pa.array([Decimal("9" * 32 + ".00")], dtype)) == [Decimal("9" * 32 + ".000000")]
    with pytest.raises(EvaluationError, match=r"mean overflows decimal\(38,6\)"):
        aggregate("mean", pa.array([Decimal("1" + "0" * 32 + ".00")], dtype))
