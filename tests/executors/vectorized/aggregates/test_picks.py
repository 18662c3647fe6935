import math

import pyarrow as pa
import pytest

from tests.executors.vectorized.aggregates.grouped import aggregate

NAN = math.nan


def test_nan_is_the_greatest():
    assert math.isnan(aggregate("max", pa.array([NAN, 1.0]))[0])
    assert math.isnan(aggregate("max", [pa.array([1.0, NAN]), pa.array([2.0])])[0])
    assert math.isnan(aggregate("max", pa.array([NAN, NAN]))[0])
    assert aggregate("min", pa.array([NAN, 1.0, math.inf])) == [1.0]
    assert math.isnan(aggregate("min", pa.array([NAN, None]))[0])


@pytest.mark.parametrize("function", ["min", "max"])
@pytest.mark.parametrize("pair", [[0.0, -0.0], [-0.0, 0.0]])
def test_zeros_are_equal_and_the_first_stays(function, pair):
    for pieces in ([pa.array(pair)], [pa.array(pair[:1]), pa.array(pair[1:])]):
        (found,) = aggregate(function, pieces)
        assert math.copysign(1, found) == math.copysign(1, pair[0])


def test_strings_go_by_code_point():
    # U+FF5E comes before U+1F600, though not in UTF-16.
    assert aggregate("max", pa.array(["\uff5e", "\U0001f600", "z"])) == ["\U0001f600"]
    shared = ["a common prefix 2", "a common prefix 10", "a common prefix 1"]
    assert aggregate("min", pa.array(shared)) == ["a common prefix 1"]
    assert aggregate("max", pa.array(["abc", "abcd", "ab"])) == ["abcd"]


def test_dictionaries_of_different_batches():
    pieces = [pa.array(["b", "a", None]).dictionary_encode(), pa.array(["A", "b"]).dictionary_encode(), pa.array(["z"])]
    assert aggregate("min", pieces) == ["A"]
    assert aggregate("max", pieces) == ["z"]
    assert aggregate("first", pieces) == ["b"]
    assert aggregate("mode", pieces) == ["b"]
    assert aggregate("list", pieces) == [["b", "a", None, "A", "b", "z"]]
    assert aggregate("n_unique", pieces) == [5]


def test_a_dictionary_may_hold_null_and_repeat_itself():
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None], pa.int32()), pa.array(["x", None, "x"]))
    assert aggregate("count", column) == [2]
    assert aggregate("n_unique", column) == [2]
    assert aggregate("min", column) == ["x"]
    assert aggregate("string_agg", column) == ["x,x"]


def test_ends_take_nulls_unless_told():
    column = pa.array([None, 1, 2, None])
    assert aggregate("first", column) == [None]
    assert aggregate("last", column) == [None]
    assert aggregate("first", column, ignore_nulls=True) == [1]
    assert aggregate("last", [column.slice(0, 2), column.slice(2)], ignore_nulls=True) == [2]


def test_value_by():
    names, scores = pa.array(["a", "b", None, "d"]), pa.array([3, 1, 0, None])
    assert aggregate("min_by", names, scores) == [None]
    assert aggregate("min_by", names, scores, ignore_nulls=True) == ["b"]
    assert aggregate("max_by", names, scores) == ["a"]
    # Of equal ones the first.
    assert aggregate("max_by", names, pa.array([1, 1, 1, 1])) == ["a"]


def test_booleans():
    assert aggregate("any", pa.array([None, False, True])) == [True]
    assert aggregate("any", pa.array([None, False])) == [False]
    assert aggregate("all", pa.array([None, True])) == [True]
    assert aggregate("all", pa.array([None, None], pa.bool_())) == [None]
    assert aggregate("min", pa.array([True, False])) == [False]


def test_nested_values():
    lists = pa.array([[2], [1, 5], [1], None], pa.list_(pa.int64()))
    assert aggregate("min", lists) == [[1]]
    assert aggregate("max", lists) == [[2]]
    structs = pa.array([{"a": 1, "b": "y"}, {"a": 1, "b": "x"}])
    assert aggregate("min", structs) == [{"a": 1, "b": "x"}]


def test_nulls_of_no_type():
    column = pa.nulls(3)
    assert aggregate("min", column) == [None]
    assert aggregate("count", column) == [0]
    assert aggregate("list", column) == [[None, None, None]]
