import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.planner.errors import InvalidArgumentError
from tests.executors.vectorized.aggregates.grouped import aggregate

FOUR = pa.array([40, 10, None, 30, 20])


@pytest.mark.parametrize(
    ("interpolation", "expected"),
    # Place 0.4 * 3 = 1.2, between 20 and 30.
    [("linear", 22.0), ("lower", 20), ("higher", 30), ("nearest", 20), ("midpoint", 25.0), ("discrete", 20)],
)
def test_interpolations(interpolation, expected):
    assert aggregate("quantile", FOUR, q=0.4, interpolation=interpolation) == [expected]


def test_the_ends():
    for interpolation in ("linear", "lower", "higher", "nearest", "midpoint", "discrete"):
        assert aggregate("quantile", FOUR, q=0, interpolation=interpolation) == [10]
        assert aggregate("quantile", FOUR, q=1, interpolation=interpolation) == [40]


def test_a_place_that_is_whole_but_for_rounding():
    values = pa.array(range(11))
    # 0.7 * 10 is 7.000000000000001 as a float... and yet the place is 7.
    for q in (0.1, 0.3, 0.6, 0.7):
        assert aggregate("quantile", values, q=q, interpolation="higher") == [round(q * 10)]


@pytest.mark.parametrize("q", [0, 0.11, 0.5, 0.9, 1])
def test_as_numpy(q):
    values = np.random.default_rng(5).normal(size=101)
    for interpolation in ("linear", "lower", "higher", "midpoint"):
        expected = np.quantile(values, q, method=interpolation)
        found = aggregate("quantile", [pa.array(values[:30]), pa.array(values[30:])], q=q, interpolation=interpolation)
        assert found == [pytest.approx(expected, rel=1e-14)]


def test_nan_is_the_greatest_and_infinities_have_no_middle():
    assert aggregate("median", pa.array([math.nan, 1.0, 2.0])) == [2.0]
    assert math.isnan(aggregate("median", pa.array([math.nan, 1.0]))[0])
    assert aggregate("median", pa.array([math.inf, math.inf])) == [math.inf]
    assert math.isnan(aggregate("median", pa.array([math.inf, -math.inf]))[0])


def test_decimals_and_instants():
    assert aggregate("median", pa.array([Decimal("1.10"), Decimal("1.20")])) == [1.15]
    far = pa.array([0, 2**62 + 2], pa.timestamp("ns"))
    assert aggregate("median", far)[0].value == 2**61 + 1
    days = pa.array([dt.date(2024, 1, 3), dt.date(2024, 1, 1)])
    assert aggregate("quantile", days, q=0.5, interpolation="lower") == [dt.date(2024, 1, 1)]
    assert aggregate("median", pa.array([True, False]).cast(pa.int8())) == [0.5]


def test_any_sorted_type_has_a_discrete_quantile():
    assert aggregate("quantile", pa.array(["c", "a", "b"]), q=0.5, interpolation="discrete") == ["b"]


def test_groups_without_values():
    keys = [pa.array(["a", "b", "a", "b", "a"])]
    assert aggregate("median", pa.array([1, None, 5, None, 3]), keys=keys) == [3.0, None]


@pytest.mark.parametrize("options", [{"q": 1.5}, {"q": "half"}, {"interpolation": "cubic"}])
def test_options_that_make_no_sense(options):
    with pytest.raises(InvalidArgumentError):
        aggregate("quantile", FOUR, **options)
