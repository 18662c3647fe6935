import pyarrow as pa

from lazyframe.planner.scalars import AggregateCall, Column, SortKey
from tests.executors.vectorized.aggregates.grouped import aggregate, aggregate_call

NAMES = Column("x0", pa.string(), True)
RANKS = Column("x1", pa.int64(), True)


def test_rows_stay_in_order():
    keys = [pa.array(["b", "a", "b"]), pa.array(["a", "b"])]
    assert aggregate("list", [pa.array([1, 2, None]), pa.array([4, 5])], keys=keys) == [[1, None, 5], [2, 4]]
    assert aggregate("string_agg", pa.array(["x", None, "", "y"]), separator="-") == ["x--y"]


def test_an_order_is_stable_and_puts_nulls_where_told():
    names, ranks = pa.array(["a", "b", "c", "d"]), pa.array([2, None, 1, 2])
    for key, expected in [
        (SortKey(RANKS), ["c", "a", "d", "b"]),
        (SortKey(RANKS, descending=True), ["a", "d", "c", "b"]),
        (SortKey(RANKS, nulls_first=True), ["b", "c", "a", "d"]),
    ]:
        call = AggregateCall("list", (NAMES,), order=(key,))
        assert aggregate_call(call, [[names], [ranks]]) == [expected]
        assert aggregate_call(call, [[names[:1], names[1:]], [ranks[:1], ranks[1:]]]) == [expected]


def test_first_of_an_order():
    call = AggregateCall("first", (NAMES,), order=(SortKey(RANKS),))
    assert aggregate_call(call, [[pa.array(["a", "b", "c"])], [pa.array([3, 1, 2])]]) == ["b"]
    last = AggregateCall("last", (NAMES,), order=(SortKey(RANKS),), options=(("ignore_nulls", True),))
    assert aggregate_call(last, [[pa.array(["a", "b", None])], [pa.array([2, 1, 3])]]) == ["a"]


def test_distinct_values_in_an_order():
    call = AggregateCall("string_agg", (NAMES,), order=(SortKey(NAMES, descending=True),), distinct=True)
    pieces = [[pa.array(["a", "c", "a"]), pa.array(["b", "c", None])]]
    assert aggregate_call(call, pieces) == ["c,b,a"]
    assert aggregate_call(AggregateCall("list", (NAMES,), distinct=True), pieces) == [["a", "c", "b", None]]


def test_distinct_counts_and_sums():
    numbers = Column("x0", pa.int64(), True)
    pieces = [[pa.array([3, 3, None]), pa.array([4, 3, 4])]]
    assert aggregate_call(AggregateCall("count", (numbers,), distinct=True), pieces) == [2]
    assert aggregate_call(AggregateCall("sum", (numbers,), distinct=True), pieces) == [7]
    assert aggregate_call(AggregateCall("mean", (numbers,), distinct=True), pieces) == [3.5]
