"""Lists as sets, by position, and ranges: over slices, nulls and empty lists."""

import pyarrow as pa
import pytest

from lazyframe.executors.vectorized.kernel import KernelError
from tests.executors.vectorized.functions.answers import call

INTS = pa.list_(pa.field("item", pa.int64()))


def lists(*values, dtype=INTS):
    """A slice out of a longer array, with items under its nulls."""
    return pa.array([[7, 7], *values, [8]], dtype).slice(1, len(values))


A = lists([1, 2, 2], [], None, [None, 3], [4])
B = lists([2, 5], [1], [1], [None], None)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("list_has_any", [True, False, None, False, None]),
        ("list_has_all", [False, False, None, True, None]),
        ("list_intersect", [[2], [], None, [], None]),
        ("list_except", [[1], [], None, [3], None]),
        ("list_union", [[1, 2, 5], [1], None, [None, 3], None]),
        ("list_select", [[2, None], [None], None, [None], None]),
    ],
)
def test_two_lists(name, wanted):
    assert call(name, A, B) == wanted


def test_floats_are_equal_by_value():
    floats = pa.list_(pa.field("item", pa.float64()))
    nan = float("nan")
    assert call("list_has_any", pa.array([[nan], [0.0]], floats), pa.array([[nan], [-0.0]], floats)) == [True, True]


def test_values():
    values = pa.array([2, 1, 1, None, 4])
    assert call("list_positions", A, values) == [[2, 3], [], None, [1], [1]]
    assert call("list_remove", A, values) == [[1], [], None, [3], []]
    assert call("list_replace", A, values, pa.array([9, 9, 9, 9, None])) == [[1, 9, 9], [], None, [9, 3], [None]]


def test_sizes():
    assert call("list_resize", A, pa.array([2, 1, 1, 3, None])) == [[1, 2], [None], None, [None, 3, None], None]
    assert call("list_resize", A, 4, pa.array([0, 1, 2, 3, 4])) == [
        [1, 2, 2, 0],
        [1] * 4,
        None,
        [None, 3, 3, 3],
        [4] * 4,
    ]
    with pytest.raises(KernelError, match="-1 items long") as caught:
        call("list_resize", A, pa.array([1, 1, 1, -1, 1]))
    assert caught.value.row == 3


def test_masks():
    masks = pa.array(
        [[True, None, True, True], [True], [True], [False, True], [True]], pa.list_(pa.field("item", pa.bool_()))
    )
    assert call("list_where", A, masks) == [[1, 2], [], None, [3], [4]]


@pytest.mark.parametrize(
    ("bounds", "wanted"),
    [
        ((2, 3), [2, 3]), ((-2, -1), [4, 5]), ((0, 2), [1, 2]), ((3, 1), []), ((1, 5, 2), [1, 3, 5]), ((5, 1, -1), [5, 4, 3, 2, 1]),
        ((-10, 2), [1, 2]), ((1, 5, -1), []), ((2, 10**12), [2, 3, 4, 5]), ((4, 1, -2), [4, 2]),
    ],
)  # fmt: skip
def test_cuts(bounds, wanted):
    assert call("list_cut", lists([1, 2, 3, 4, 5], None), *bounds) == [wanted, None]


def test_cuts_by_columns():
    assert call("list_cut", A, pa.array([2, 1, 1, None, 1]), pa.array([2, 9, 1, 1, 1])) == [[2], [], None, None, [4]]
    with pytest.raises(KernelError, match="steps of 0"):
        call("list_cut", A, 1, 2, 0)


def test_ranges():
    assert call("list_range", pa.array([1, 3, None]), pa.array([5, 1, 1]), 2) == [[1, 3, 5], [], None]
    assert call("list_range", pa.array([3, 0]), pa.array([1, 0]), -1) == [[3, 2, 1], [0]]
    assert call("list_range", pa.array([1, 3]), pa.array([5, 1]), pa.array([2, -1]), inclusive=False) == [
        [1, 3],
        [3, 2],
    ]
    assert call("list_range", 1, 5, 0) == []
    with pytest.raises(KernelError, match="lists of more than"):
        call("list_range", 0, 10**12, 1)
