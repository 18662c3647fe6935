import math
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazyframe.executors.vectorized.kernel import KernelError
from tests.executors.vectorized.functions.answers import call

ITEMS = st.none() | st.integers(-3, 3)
LISTS = st.lists(st.none() | st.lists(ITEMS, max_size=5), max_size=5)
SMALL = st.integers(-7, 7)


def column(lists):
    """Lists in a slice of a longer array."""
    return pa.array([[9, 9], *lists, [8]], pa.list_(pa.int64())).slice(1, len(lists))


def nulls_over_items():
    """A null list that covers items all the same."""
    return pa.ListArray.from_arrays(
        pa.array([0, 2, 4, 5]), pa.array([1, 2, 3, 4, 5]), mask=pa.array([False, True, False])
    )


def each(lists, function):
    return [None if items is None else function(items) for items in lists]


def valid(items):
    return [i for i in items if i is not None]


def unique(items):
    return list(dict.fromkeys(items))


def ordered(items):
    return sorted(valid(items)) + [None] * items.count(None)


@settings(max_examples=150, deadline=None)
@given(LISTS)
def test_functions_of_a_list_agree_with_python(lists):
    values = column(lists)
    for name, python in {
        "list_length": len, "length": len, "list_reverse": lambda x: x[::-1], "reverse": lambda x: x[::-1],
        "list_first": lambda x: x[0] if x else None, "list_last": lambda x: x[-1] if x else None,
        "list_sum": lambda x: sum(valid(x)) if valid(x) else None, "list_unique": unique,
        "list_mean": lambda x: sum(valid(x)) / len(valid(x)) if valid(x) else None,
        "list_min": lambda x: min(valid(x), default=None), "list_max": lambda x: max(valid(x), default=None),
        "list_n_unique": lambda x: len(unique(x)), "list_drop_nulls": valid, "list_distinct": lambda x: unique(valid(x)),
        "list_sort": ordered,
    }.items():  # fmt: skip
        assert call(name, values) == each(lists, python), name
    assert call("list_sort", values, descending=True, nulls_first=True) == each(
        lists, lambda x: [None] * x.count(None) + sorted(valid(x), reverse=True)
    )
    booleans = [None if x is None else [None if i is None else i > 0 for i in x] for x in lists]
    assert call("list_any", pa.array(booleans, pa.list_(pa.bool_()))) == each(booleans, lambda x: any(valid(x)))
    assert call("list_all", pa.array(booleans, pa.list_(pa.bool_()))) == each(booleans, lambda x: all(valid(x)))


@settings(max_examples=150, deadline=None)
@given(LISTS, SMALL, st.integers(0, 6))
def test_positions_agree_with_python(lists, n, length):
    values = column(lists)
    assert call("list_get", values, n) == each(lists, lambda x: x[n] if -len(x) <= n < len(x) else None)
    assert call("list_head", values, n) == each(lists, lambda x: x[:n])
    assert call("list_tail", values, n) == each(lists, lambda x: x[-n:] if n else [])
    assert call("list_slice", values, n) == each(lists, lambda x: x[n:] if n >= 0 else x[max(len(x) + n, 0) :])

    def part(items):
        low = n if n >= 0 else len(items) + n
        return items[max(low, 0) : max(low + length, 0)]

    assert call("list_slice", values, n, length) == each(lists, part)
    columns = [pa.array([v] * len(lists), pa.int64()) for v in (n, length)]
    assert call("list_slice", values, *columns) == each(lists, part)


@settings(max_examples=100, deadline=None)
@given(LISTS, st.integers(-3, 3))
def test_searching_agrees_with_python(lists, value):
    values = column(lists)
    assert call("list_contains", values, value) == each(lists, lambda x: value in x)
    assert call("list_count_matches", values, value) == each(lists, lambda x: x.count(value))
    assert call("list_find", values, value) == each(lists, lambda x: x.index(value) if value in x else None)
    assert call("list_position", values, value) == each(lists, lambda x: x.index(value) + 1 if value in x else None)
    assert call("list_contains", values, pa.array([value] * len(lists), pa.int64())) == each(
        lists, lambda x: value in x
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.none() | st.lists(ITEMS, max_size=3), st.none() | st.lists(ITEMS, max_size=3)), max_size=4)
)
def test_concat(pairs):
    a, b = [p[0] for p in pairs], [p[1] for p in pairs]
    wanted = [None if x is None or y is None else x + y for x, y in pairs]
    assert call("list_concat", column(a), column(b)) == wanted


def test_sql_positions_start_at_one():
    assert call("list_extract", pa.array([[7, 8], [7], None, []]), pa.array([2, 0, 1, -1])) == [8, None, None, None]
    assert call("list_extract", pa.array([[7, 8]]), -1) == [8]


def test_a_null_list_over_items_has_none():
    values = nulls_over_items()
    assert call("list_sum", values) == [3, None, 5]
    assert call("list_reverse", values) == [[2, 1], None, [5]]
    assert call("list_concat", values, values) == [[1, 2, 1, 2], None, [5, 5]]
    assert call("list_get", values.slice(1), 0) == [None, 5]
    assert call("list_contains", values, 3) == [False, None, False]
    assert call("list_join", values.cast(pa.list_(pa.string())), "-") == ["1-2", None, "5"]


def test_equality_is_that_of_keys():
    floats = pa.array([[math.nan, 0.0, -0.0, math.nan, 1.0]])
    assert call("list_n_unique", floats) == [3]
    assert call("list_contains", floats, math.nan) == [True]
    assert call("list_count_matches", floats, 0.0) == [2]
    assert math.isnan(call("list_max", floats)[0])
    assert call("list_min", floats) == [0.0]
    assert call("list_unique", pa.array([[[1], [1], None, [2]]])) == [[[1], None, [2]]]
    assert call("list_contains", pa.array([["a", "é"], []]), "é") == [True, False]


def test_a_null_value_is_in_no_list_for_certain():
    assert call("list_contains", pa.array([[1, None], []]), pa.scalar(None, pa.int64())) == [None, None]
    assert call("list_contains", pa.array([[1, None]]), 2) == [False]


def test_sums_are_exact():
    big = 2**62
    assert call("list_sum", pa.array([[big, big - 1], [2**63 - 1, 1, -1]])) == [2**63 - 1, 2**63 - 1]
    with pytest.raises(KernelError, match="does not fit in int64"):
        call("list_sum", pa.array([[big, big]]))
    assert call("list_sum", pa.array([[100, 100]], pa.list_(pa.int8()))) == [200]
    assert call("list_sum", pa.array([[2**63, 1]], pa.list_(pa.uint64()))) == [2**63 + 1]
    assert call("list_sum", pa.array([[True, None, True]])) == [2]
    cents = pa.array([[Decimal("0.10"), Decimal("0.20")], []], pa.list_(pa.decimal128(10, 2)))
    assert call("list_sum", cents) == [Decimal("0.30"), None]
    thirds = pa.array([[Decimal("0.01"), Decimal("0.01"), Decimal("0.03")]], pa.list_(pa.decimal128(10, 2)))
    assert call("list_mean", thirds) == [Decimal("0.016666666667")]
    assert call("list_sum", pa.array([[0.1, None, 0.2], [math.inf, -math.inf]]))[0] == 0.1 + 0.2
    assert call("list_mean", pa.array([[2**63 - 1, 2**63 - 1]])) == [2.0**63]


def test_making_joining_and_flattening():
    assert call("make_list", pa.array([1, 2]), pa.array([3, None]), 5) == [[1, 3, 5], [2, None, 5]]
    assert call("make_list", 1, 2) == [1, 2]
    assert call("make_list") == []
    assert call("list_join", pa.array([["a", None, "b"], [], None]), ", ") == ["a, b", "", None]
    assert call("list_join", pa.array([["a", "b"], ["c", "d"]]), pa.array(["-", None])) == ["a-b", None]
    assert call("list_flatten", pa.array([[[1], None, [2, 3]], [], None])) == [[1, 2, 3], [], None]
    with pytest.raises(KernelError, match="-1 items long"):
        call("list_slice", pa.array([[1]]), 0, -1)


@pytest.mark.parametrize(
    "name", ["list_sum", "list_sort", "list_unique", "list_max", "list_reverse", "list_first", "list_mean"]
)
def test_no_rows_and_no_items(name):
    assert call(name, pa.array([], pa.list_(pa.int64()))) == []
    empty = [] if name in ("list_sort", "list_unique", "list_reverse") else None
    assert call(name, pa.array([[], None], pa.list_(pa.int64()))) == [empty, None]
    assert call(name, pa.scalar(None, pa.list_(pa.int64()))) is None


def test_aggregates_of_the_items():
    lists = pa.array([[9], [1, 2, 6], [], None, [None, 4], [7]], pa.list_(pa.int64())).slice(1, 4)
    assert call("list_aggregate", lists, aggregate="median") == [2.0, None, None, 4.0]
    assert call("list_aggregate", lists, aggregate="product") == [12, None, None, 4]
    assert call("list_aggregate", lists, aggregate="var", **{"with": (("ddof", 0),)}) == [
        pytest.approx(14 / 3),
        None,
        None,
        0.0,
    ]
    assert call("list_aggregate", lists, aggregate="count") == [3, 0, None, 1]
