"""Integer keys of very many rows know their bounds without a table of them."""

from unittest import mock

import pyarrow as pa
import pytest

from lazyframe.executors import key_set
from lazyframe.executors.key_set import KeySet
from lazyframe.planner.sources import ColumnStatistics


@pytest.mark.parametrize(
    ("keys", "nulls_equal", "least", "greatest", "nulls", "may_hold"),
    [
        ([1, 5, 9, 9], False, 10, 11, 0, False),
        ([1, 5, 9, 9], False, -3, 0, 0, False),
        ([1, 5, 9, 9], False, 9, 12, 3, True),
        ([1, 5, 9, 9], False, None, None, 10, False),
        ([1, 5, 9, 9], False, None, None, None, True),
        ([None] * 4, False, 0, 5, 3, False),
        ([None] * 4, True, 0, 5, 3, True),
        ([None] * 4, True, 0, 5, 0, True),
        ([None, 4, 4, 4], False, 0, 3, 2, False),
        ([None, 4, 4, 4], True, 0, 3, 2, True),
    ],
)
def test_bounds(keys, nulls_equal, least, greatest, nulls, may_hold):
    with (
        mock.patch.object(key_set, "_MANY_ROWS", 3),
        mock.patch.object(key_set, "KeyTable", side_effect=AssertionError),
    ):
        known = KeySet()
        known.give(pa.array(keys, pa.int64()), pa.int64(), None, alone=False, nulls_equal=nulls_equal)
        assert known.may_hold(ColumnStatistics(least, greatest, nulls), pa.int64(), 10) is may_hold
