import math
import statistics

import numpy as np
import pyarrow as pa
import pytest

from tests.executors.vectorized.aggregates.grouped import aggregate


@pytest.mark.parametrize("offset", [0.0, 1e9, -1e12])
def test_values_far_from_zero_lose_no_digits(offset):
    values = [offset + v for v in (1.0, 2.0, 3.0, 6.0)]
    for pieces in ([pa.array(values)], [pa.array(values[:1]), pa.array(values[1:])]):
        assert aggregate("var", pieces) == [pytest.approx(14 / 3, rel=1e-12)]
        assert aggregate("std", pieces, ddof=0) == [pytest.approx(math.sqrt(3.5), rel=1e-12)]
        # Third and fourth central moments 4.5 and 26.75 - 0 over the second, 3.5: worked out by hand.
        assert aggregate("skew", pieces) == [pytest.approx(4.5 / 3.5**1.5, rel=1e-12)]
        assert aggregate("kurtosis", pieces) == [pytest.approx(24.5 / 3.5**2 - 3, rel=1e-12)]


def test_equal_values_do_not_vary():
    values = pa.array([0.1] * 7)
    assert aggregate("var", [values, values]) == [0.0]
    assert math.isnan(aggregate("skew", values)[0])
    assert math.isnan(aggregate("corr", values, pa.array(range(7), pa.float64()))[0])


def test_too_few_values():
    one = pa.array([3.0, None])
    assert aggregate("var", one) == [None]
    assert aggregate("var", one, ddof=0) == [0.0]
    assert aggregate("cov", one, one) == [None]
    assert aggregate("skew", pa.array([1.0, 2.0]), bias=False) == [None]
    assert aggregate("kurtosis", pa.array([1.0, 2.0, 4.0]), bias=False) == [None]


def test_correlation_of_pairs_without_nulls():
    x, y = pa.array([1.0, 2.0, 3.0, None, 9.0]), pa.array([2.0, 4.0, 6.0, 5.0, None])
    assert aggregate("corr", x, y) == [1.0]
    assert aggregate("corr", x, pa.array([-2.0, -4.0, -6.0, 1.0, None])) == [-1.0]
    assert aggregate("cov", x, y) == [2.0]
    assert aggregate("cov", x, y, ddof=0) == [pytest.approx(4 / 3)]


def test_the_split_does_not_matter():
    values = np.random.default_rng(3).normal(5, 2, 4000)
    expected = statistics.variance(values.tolist())
    for cuts in ([], [1], [10, 11, 2000], list(range(100, 4000, 100))):
        pieces = [pa.array(piece) for piece in np.split(values, cuts)]
        assert aggregate("var", pieces) == [pytest.approx(expected, rel=1e-12)]


def test_not_a_number():
    assert math.isnan(aggregate("var", pa.array([1.0, math.nan]))[0])
    assert math.isnan(aggregate("std", [pa.array([1.0, 2.0]), pa.array([math.inf])])[0])
