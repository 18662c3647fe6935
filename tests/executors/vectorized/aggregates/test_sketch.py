from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.planner.scalars import AggregateCall
from tests.executors.vectorized.aggregates.grouped import aggregate, aggregate_call, decimal_as_int64


@pytest.mark.parametrize("size", [1, 10, 1000, 20_000, 300_000])
def test_about_right_at_every_size(size):
    # Four standard errors of 1.6 %.
    (found,) = aggregate("approx_n_unique", pa.array(np.arange(size) * 7919))
    assert found == pytest.approx(size, rel=0.065)


def test_the_split_and_repetitions_do_not_matter():
    values = pa.array([f"value {i % 5000}" for i in range(20_000)])
    whole = aggregate("approx_n_unique", values)
    pieces = [values.slice(i, 3000).dictionary_encode() for i in range(0, 20_000, 3000)]
    assert aggregate("approx_n_unique", pieces) == whole
    assert whole[0] == pytest.approx(5000, rel=0.065)


def test_equal_values_in_any_layout_are_one():
    assert aggregate("approx_n_unique", pa.array([0.0, -0.0, None, None])) == [1]
    dtype = pa.decimal128(20, 2)
    encoded, column = decimal_as_int64([125, 250], dtype)
    plain = pa.array([Decimal("1.25"), Decimal("123456789012345678.90")], dtype)
    assert aggregate_call(AggregateCall("approx_n_unique", (column,)), [[encoded, plain]]) == [3]


def test_nested_values():
    lists = pa.array([[1, 2], [1], [1, 2], None])
    assert aggregate("approx_n_unique", lists) == [2]
    structs = pa.array([{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 1, "b": "x"}])
    assert aggregate("approx_n_unique", structs) == [2]


def test_many_small_groups():
    keys = pa.array(np.arange(40_000) // 4)
    found = aggregate("approx_n_unique", pa.array(np.arange(40_000)), keys=[keys])
    # Two of four values fall into one register in 6 of 4096 groups.
    assert set(found) <= {3, 4}
    assert found.count(3) < 40
