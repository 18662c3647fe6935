"""Maps over slices, nulls and empty maps."""

import pyarrow as pa
import pytest

from lazyframe.executors.vectorized.kernel import KernelError
from tests.executors.vectorized.functions.answers import call

KIND = pa.map_(pa.string(), pa.int64())
MAPS = pa.array([[("z", 0)], [("a", 1), ("b", None)], None, [], [("a", 4)], [("z", 0)]], KIND).slice(1, 4)
KEYS = pa.array(["a", "a", "a", None])


def lists(values, item):
    return pa.array(values, pa.list_(pa.field("item", item)))


def test_parts():
    assert call("map_keys", MAPS) == [["a", "b"], None, [], ["a"]]
    assert call("map_values", MAPS) == [[1, None], None, [], [4]]
    assert call("map_entries", MAPS)[0] == [{"key": "a", "value": 1}, {"key": "b", "value": None}]
    assert call("map_length", MAPS) == [2, None, 0, 1]


def test_keys():
    assert call("map_get", MAPS, KEYS) == [1, None, None, None]
    assert call("map_get", MAPS, "b") == [None, None, None, None]
    assert call("map_extract", MAPS, "b") == [[None], None, [], []]
    assert call("map_contains", MAPS, KEYS) == [True, None, False, None]


def test_making():
    made = call("make_map", lists([["a", "b"], None, []], pa.string()), lists([[1, 2], [3], []], pa.int64()))
    assert made == [[("a", 1), ("b", 2)], None, []]
    entry = pa.struct([("k", pa.int64()), ("v", pa.string())])
    assert call("map_from_entries", lists([[{"k": 1, "v": "x"}], None], entry)) == [[(1, "x")], None]


def test_the_last_value_of_a_key_stays():
    other = pa.array([[("b", 7), ("c", 8)], [], [], [("a", 9)]], KIND)
    assert call("map_concat", MAPS, other) == [[("a", 1), ("b", 7), ("c", 8)], None, [], [("a", 9)]]


@pytest.mark.parametrize(
    ("keys", "values", "message", "row"),
    [
        ([["a"], ["a", "a"]], [[1], [1, 2]], "key 'a' twice", 1), ([[None]], [[1]], "cannot be null", 0),
        ([["a"], ["b"]], [[1], []], "1 keys cannot have 0 values", 1),
    ],
)  # fmt: skip
def test_what_is_no_map(keys, values, message, row):
    with pytest.raises(KernelError, match=message) as caught:
        call("make_map", lists(keys, pa.string()), lists(values, pa.int64()))
    assert caught.value.row == row
