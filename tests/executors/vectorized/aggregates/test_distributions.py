import math

import numpy as np
import pyarrow as pa
import pytest

from tests.executors.vectorized.aggregates.grouped import aggregate


def test_mode_is_the_first_of_equally_frequent():
    assert aggregate("mode", pa.array(["b", "a", "a", "b", None, None, None])) == ["b"]
    assert aggregate("mode", [pa.array([1, 2]), pa.array([2])]) == [2]
    assert math.isnan(aggregate("mode", pa.array([math.nan, 1.0, math.nan]))[0])


def test_n_unique_counts_null_and_count_distinct_does_not():
    column = pa.array([0.0, -0.0, math.nan, math.nan, None, None])
    assert aggregate("n_unique", column) == [3]
    assert aggregate("n_unique", [column, column]) == [3]


def test_entropy():
    assert aggregate("entropy", pa.array(["a", "b", "c", "d", None])) == [2.0]
    assert aggregate("entropy", pa.array(["a", "a", "b", "b"]), base=math.e) == [pytest.approx(math.log(2))]
    (alone,) = aggregate("entropy", pa.array([7, 7]))
    assert math.copysign(1, alone) == 1.0
    assert alone == 0.0


def test_histogram_of_equal_widths_as_numpy():
    values = np.random.default_rng(2).normal(size=500)
    counts, edges = np.histogram(values, bins=7)
    (found,) = aggregate("histogram", [pa.array(values[:200]), pa.array(values[200:])], bins=7)
    assert [b["count"] for b in found] == counts.tolist()
    assert [b["lower"] for b in found] == pytest.approx(edges[:-1], rel=1e-13)
    assert found[0]["lower"] == values.min()
    assert found[-1]["upper"] == values.max()


def test_histogram_of_given_edges():
    column = pa.array([0.0, 1.0, 1.5, 2.0, 2.5, -1.0, math.nan, math.inf, None])
    (found,) = aggregate("histogram", column, bins=(0, 1, 2))
    assert found == [{"lower": 0.0, "upper": 1.0, "count": 1}, {"lower": 1.0, "upper": 2.0, "count": 3}]


def test_histogram_of_one_value_and_of_none():
    keys = [pa.array(["a", "b"])]
    found = aggregate("histogram", pa.array([5.0, None]), keys=keys, bins=2)
    assert found == [[{"lower": 4.5, "upper": 5.0, "count": 0}, {"lower": 5.0, "upper": 5.5, "count": 1}], None]
