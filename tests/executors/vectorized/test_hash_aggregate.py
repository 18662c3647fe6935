import threading
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from lazyframe.executors.batch import Batch
from lazyframe.executors.vectorized.hash_aggregate import GroupedAggregation
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.functions.aggregates import AGGREGATES
from lazyframe.planner.scalars import AggregateCall, Call, Cast, Column, Literal, SortKey
from lazyframe.planner.schema import Field, Schema
from tests.placing import written_at

K = Column("k", pa.string(), True)
X = Column("x", pa.int64(), True)
W = Column("w", pa.bool_(), True)


def batch(**columns):
    arrays = {name: column if isinstance(column, pa.Array) else pa.array(column) for name, column in columns.items()}
    return Batch(arrays, len(next(iter(arrays.values()))))


def rows(result):
    return list(zip(*[column.to_pylist() for column in result.columns.values()], strict=True))


class Place:
    def __init__(self, text):
        self.text = text

    def describe(self):
        return self.text


def test_groups_come_in_the_order_in_which_their_keys_first_appear():
    aggregation = GroupedAggregation([("k", K)], [("n", AggregateCall("len", ())), ("s", AggregateCall("sum", (X,)))])
    first = aggregation.partial(batch(k=["b", None, "b"], x=[1, 2, None]))
    second = aggregation.partial(batch(k=["a", None, "c"], x=[4, 5, 6]))
    result = aggregation.finish(aggregation.combine([first, second]))
    assert list(result.columns) == ["k", "n", "s"]
    assert rows(result) == [("b", 2, 1), (None, 2, 7), ("a", 1, 4), ("c", 1, 6)]


def test_partials_may_be_combined_step_by_step_and_empty_ones_do_no_harm():
    aggregation = GroupedAggregation([("k", K)], [("l", AggregateCall("list", (X,)))])
    parts = [
        batch(k=["a"], x=[1]),
        batch(k=pa.array([], pa.string()), x=pa.array([], pa.int64())),
        batch(k=["b", "a"], x=[2, 3]),
    ]
    partials = [aggregation.partial(part) for part in parts]
    expected = [("a", [1, 3]), ("b", [2])]
    assert rows(aggregation.finish(aggregation.combine(partials))) == expected
    late = aggregation.combine([partials[0], aggregation.combine(partials[1:])])
    assert rows(aggregation.finish(late)) == expected
    # Combining changed none of them.
    assert rows(aggregation.finish(aggregation.combine(partials))) == expected


def test_keys_that_are_equal_in_different_layouts_are_one_group():
    key = Column("k", pa.decimal128(20, 2), True)
    name = Column("n", pa.string(), True)
    aggregation = GroupedAggregation([("k", key), ("n", name)], [("c", AggregateCall("len", ()))])
    parts = [
        batch(k=pa.array([125, 250]), n=pa.array(["x", "y"]).dictionary_encode()),
        batch(k=pa.array([Decimal("1.25")], pa.decimal128(20, 2)), n=["x"]),
    ]
    result = aggregation.finish(aggregation.combine([aggregation.partial(part) for part in parts]))
    schema = Schema([Field("k", key.dtype), Field("n", pa.string()), Field("c", pa.int64())])
    assert result.to_arrow(schema).to_pylist() == [
        {"k": Decimal("1.25"), "n": "x", "c": 2},
        {"k": Decimal("2.50"), "n": "y", "c": 1},
    ]


def test_no_keys_give_one_row_and_keys_none_over_no_input():
    calls = [("n", AggregateCall("len", ())), ("c", AggregateCall("count", (X,))), ("s", AggregateCall("sum", (X,)))]
    without = GroupedAggregation([], calls)
    assert rows(without.finish(without.combine([]))) == [(0, 0, None)]
    nothing = batch(x=pa.array([], pa.int64()))
    assert rows(without.finish(without.combine([without.partial(nothing)] * 2))) == [(0, 0, None)]
    keyed = GroupedAggregation([("k", K)], calls)
    empty = keyed.finish(keyed.combine([]))
    assert len(empty) == 0
    assert empty["k"].type == pa.string()


def test_keys_alone_are_the_distinct_keys():
    aggregation = GroupedAggregation([("k", K)], [])
    result = aggregation.finish(aggregation.combine([aggregation.partial(batch(k=["a", "b", "a"]))]))
    assert rows(result) == [("a",), ("b",)]


@pytest.mark.parametrize("keyed", [True, False])
def test_every_aggregate_over_no_rows_has_its_type(keyed):
    arguments = {
        "len": (), "any": (W,), "all": (W,), "string_agg": (K,), "min_by": (K, X), "max_by": (K, X),
        **dict.fromkeys(("cov", "corr"), (Column("f", pa.float64(), True),) * 2),
        **dict.fromkeys(("var", "std", "skew", "kurtosis", "histogram"), (Column("f", pa.float64(), True),)),
    }  # fmt: skip
    calls = [(name, AggregateCall(name, arguments.get(name, (X,)))) for name in AGGREGATES]
    aggregation = GroupedAggregation([("k", K)] if keyed else [], calls)
    result = aggregation.finish(aggregation.combine([]))
    schema = Schema([*([Field("k", pa.string())] if keyed else []), *[Field(n, c.dtype, c.nullable) for n, c in calls]])
    table = result.to_arrow(schema)
    table.validate(full=True)
    assert table.num_rows == (0 if keyed else 1)
    if not keyed:
        counts = ("len", "count", "n_unique", "approx_n_unique")
        assert table.to_pylist() == [{name: 0 if name in counts else None for name in AGGREGATES}]


def test_a_filter_guards_the_arguments():
    quotient = Call("floor_divide", (Literal(pa.scalar(10)), X))
    nonzero = Call("not_equal", (X, Literal(pa.scalar(0))))
    call = AggregateCall("sum", (quotient,), where=nonzero)
    aggregation = GroupedAggregation([], [("s", call), ("n", AggregateCall("len", ()))])
    result = aggregation.finish(aggregation.combine([aggregation.partial(batch(x=[0, 5, None, 2]))]))
    assert rows(result) == [(7, 4)]


def test_filters_leave_groups_without_rows():
    calls = [
        ("n", AggregateCall("len", (), where=W)),
        ("s", AggregateCall("sum", (X,), where=W)),
        ("f", AggregateCall("first", (X,), where=W)),
        ("l", AggregateCall("list", (X,), where=W)),
        ("m", AggregateCall("max", (X,))),
    ]
    aggregation = GroupedAggregation([("k", K)], calls)
    parts = [
        batch(k=["a", "b", "a"], x=[1, 2, 3], w=[False, None, True]),
        batch(k=["c", "a"], x=[4, 5], w=[False, True]),
    ]
    result = aggregation.finish(aggregation.combine([aggregation.partial(part) for part in parts]))
    assert rows(result) == [("a", 2, 8, 3, [3, 5], 5), ("b", 0, None, None, None, 2), ("c", 0, None, None, None, 4)]


def test_equal_states_are_kept_once():
    decimal = Column("d", pa.decimal128(15, 2), True)
    calls = [
        ("s", AggregateCall("sum", (decimal,))),
        ("m", AggregateCall("mean", (decimal,))),
        ("c", AggregateCall("count", (decimal,))),
        ("q", AggregateCall("median", (X,))),
        ("r", AggregateCall("quantile", (X,), options=(("q", 0.9),))),
        ("f", AggregateCall("sum", (decimal,), where=W)),
    ]
    aggregation = GroupedAggregation([], calls)
    partial = aggregation.partial(batch(d=pa.array([150, 50]), x=[1, 3], w=[True, False]))
    # A sum, a count and the collected values; sum and count once more under the filter.
    assert len(partial.states) == 5
    schema = Schema([Field(name, call.dtype) for name, call in calls])
    assert aggregation.finish(partial).to_arrow(schema).to_pylist() == [
        {
            "s": Decimal("2.00"),
            "m": Decimal("1.000000"),
            "c": 2,
            "q": 2.0,
            "r": pytest.approx(2.8),
            "f": Decimal("1.50"),
        }
    ]


def test_what_does_not_fit_is_told_at_the_call():
    call = written_at(Place("query.py, line 7"), lambda: AggregateCall("sum", (X,)))
    aggregation = GroupedAggregation([], [("n", AggregateCall("len", ())), ("s", call)])
    partial = aggregation.partial(batch(x=[2**63 - 1, 1]))
    with pytest.raises(EvaluationError, match="9223372036854775808") as caught:
        aggregation.finish(partial)
    assert "query.py, line 7" in str(caught.value)


def test_an_argument_without_an_answer_is_told_at_its_own_place():
    cast = written_at(Place("query.py, line 9"), lambda: Cast(K, pa.int64()))
    aggregation = GroupedAggregation([], [("s", AggregateCall("sum", (cast,)))])
    with pytest.raises(EvaluationError) as caught:
        aggregation.partial(batch(k=["1", "one"]))
    assert "query.py, line 9" in str(caught.value)


def test_threads_share_an_aggregation_and_give_the_same_bits():
    generator = np.random.default_rng(4)
    f = Column("f", pa.float64(), True)
    key = Column("k", pa.int64(), True)
    calls = [(name, AggregateCall(name, (f,))) for name in ("sum", "mean", "var", "kurtosis", "median")]
    aggregation = GroupedAggregation([("k", key)], calls)
    morsels = [batch(k=generator.integers(0, 300, 2000), f=generator.normal(size=2000)) for _ in range(6)]
    alone = [aggregation.partial(morsel) for morsel in morsels]
    shared = [None] * len(morsels)

    def work(numbers):
        for number in numbers:
            shared[number] = aggregation.partial(morsels[number])

    threads = [threading.Thread(target=work, args=(numbers,)) for numbers in ([5, 1, 3], [0, 4, 2])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results = [aggregation.finish(aggregation.combine(partials)) for partials in (alone, shared)]
    for name in results[0].columns:
        assert results[0][name].equals(results[1][name])


def test_order_by_several_keys():
    order = (SortKey(W, nulls_first=True), SortKey(X, descending=True))
    aggregation = GroupedAggregation([], [("l", AggregateCall("list", (K,), order=order))])
    part = batch(k=["a", "b", "c", "d"], w=[True, None, False, True], x=[1, 2, 3, 4])
    assert rows(aggregation.finish(aggregation.partial(part))) == [(["b", "c", "d", "a"],)]


def test_a_literal_argument_counts_every_row():
    one = Literal(pa.scalar(1))
    aggregation = GroupedAggregation(
        [("k", K)], [("c", AggregateCall("count", (one,))), ("s", AggregateCall("sum", (one,)))]
    )
    assert rows(aggregation.finish(aggregation.partial(batch(k=["a", "b", "a"])))) == [("a", 2, 2), ("b", 1, 1)]


def test_a_partial_tells_how_much_it_holds():
    median = GroupedAggregation([], [("m", AggregateCall("median", (X,)))])
    partial = median.partial(batch(x=list(range(1000))))
    assert len(partial) == 1000
    assert partial.nbytes >= 8 * 1000
    total = GroupedAggregation([("k", K)], [("s", AggregateCall("sum", (X,)))])
    assert len(total.partial(batch(k=["a", "b", "a"], x=[1, 2, 3]))) == 2


def test_distinct_values_do_not_pile_up():
    aggregation = GroupedAggregation([], [("n", AggregateCall("n_unique", (X,)))])
    held = aggregation.partial(batch(x=list(range(100))))
    for _ in range(50):
        held = aggregation.combine([held, aggregation.partial(batch(x=list(range(60)) * 3))])
        assert len(held) <= 200
    assert rows(aggregation.finish(held)) == [(100,)]
