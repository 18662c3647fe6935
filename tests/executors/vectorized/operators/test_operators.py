"""Operators as transforms and sinks: what they give whatever the batches they are fed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.executors.batch import Batch
from lazyframe.executors.sources.source import MORSEL_ROWS
from lazyframe.executors.vectorized.operators import join as join_module
from lazyframe.executors.vectorized.operators import runs as runs_module
from lazyframe.executors.vectorized.operators.collect import Collect, all_rows, evened
from lazyframe.executors.vectorized.operators.filter import FilterRows
from lazyframe.executors.vectorized.operators.limit import KeepLast, TakeRows
from lazyframe.executors.vectorized.operators.numbering import DrawRows, NumberRows
from lazyframe.executors.vectorized.operators.project import ChooseColumns, ComputeColumns, projection
from lazyframe.executors.vectorized.operators.reshape import ExplodeLists, UnpivotColumns
from lazyframe.executors.vectorized.operators.sort import KeepFirstOfOrder, SortRows
from lazyframe.planner.bind import bind
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.relations import Explode, Unpivot
from lazyframe.planner.relations.values import values
from lazyframe.planner.schema import Field, Schema

SCHEMA = Schema([Field("x", pa.int64()), Field("n", pa.int64())])
X = col("x")


def batch(xs, start=0):
    return Batch({"x": pa.array(xs, pa.int64()), "n": pa.array(range(start, start + len(xs)), pa.int64())}, len(xs))


def cut(xs, sizes):
    """Batches of those sizes, some of which may be 0."""
    batches, start = [], 0
    for size in sizes:
        batches.append(batch(xs[start : start + size], start))
        start += size
    assert start == len(xs)
    return batches


def sunk(sink, splits):
    """The rows that a sink gives for splits of batches."""
    for split in splits:
        state = sink.start()
        for piece in split:
            sink.push(state, piece)
        if sink.merge(state):
            break
    return [row for part in sink.finish().splits() for b in part.read(None) for row in b["n"].to_pylist()]


def keys(*exprs):
    return [bind(expr._node, SCHEMA) for expr in exprs]


XS = [3, None, 1, 2, 3, 1, None, 2, 0]
CUTS = [[9], [3, 3, 3], [1] * 9, [0, 4, 0, 5, 0], [8, 1]]


@pytest.mark.parametrize("sizes", CUTS)
@pytest.mark.parametrize("per_split", [1, 2])
@pytest.mark.parametrize(("count", "offset"), [(1, 0), (3, 0), (3, 2), (0, 0), (0, 2), (99, 0), (2, 8), (2, 99)])
@pytest.mark.parametrize("down", [False, True])
def test_top_k_is_a_sort_and_a_slice(sizes, per_split, count, offset, down):
    (key,) = keys(lf.desc("x") if down else lf.asc("x"))
    # Stable, nulls last.
    present = sorted((n for n, x in enumerate(XS) if x is not None), key=lambda n: XS[n], reverse=False)
    if down:
        present = sorted((n for n, x in enumerate(XS) if x is not None), key=lambda n: -XS[n])
    order = present + [n for n, x in enumerate(XS) if x is None]
    splits = [
        cut(XS, sizes)[i : i + per_split] for i in range(0, len(sizes), per_split)
    ]  # fmt: skip
    assert sunk(KeepFirstOfOrder([key], count, offset, SCHEMA), splits) == order[offset : offset + count]
    assert sunk(SortRows([key], SCHEMA), splits) == order


@pytest.mark.parametrize("sizes", CUTS)
@pytest.mark.parametrize("count", [0, 1, 4, 9, 20])
def test_keep_last(sizes, count):
    assert sunk(KeepLast(count, SCHEMA), [[b] for b in cut(XS, sizes)]) == list(range(9))[max(9 - count, 0) :]


@pytest.mark.parametrize("sizes", CUTS)
@pytest.mark.parametrize(("count", "offset"), [(3, 0), (3, 4), (0, 0), (None, 5), (99, 8), (None, 99), (2, 9)])
def test_take_rows(sizes, count, offset):
    limit = TakeRows(count, offset)
    found = []
    for piece in cut(XS, sizes):
        if limit.is_done():
            break
        found += limit.process_in_order(piece)["n"].to_pylist()
    assert found == list(range(9))[offset : None if count is None else offset + count]
    assert limit.is_done() == (count is not None and len(found) == count)


@pytest.mark.parametrize("sizes", CUTS)
def test_numbers_and_draws_do_not_depend_on_batches(sizes):
    numbering = NumberRows("i", 5)
    assert [i for b in cut(XS, sizes) for i in numbering.process_in_order(b)["i"].to_pylist()] == list(range(5, 14))
    draws, whole = DrawRows(0.5, 11), DrawRows(0.5, 11)
    apart = [n for b in cut(XS, sizes) for n in draws.process_in_order(b)["n"].to_pylist()]
    assert apart == whole.process_in_order(batch(XS))["n"].to_pylist()


@pytest.mark.parametrize("sizes", CUTS)
def test_collect(sizes):
    assert sunk(Collect(SCHEMA), [[b] for b in cut(XS, sizes)]) == list(range(9))
    doubled = Collect(SCHEMA, lambda batches: [all_rows(batches, SCHEMA)] * 2)
    assert sunk(doubled, [[b] for b in cut(XS, sizes)]) == list(range(9)) * 2


def test_batches_are_evened():
    def lengths(sizes):
        return [
            b.length
            for b in evened([Batch({"x": pa.nulls(n, pa.int64())}, n) for n in sizes], Schema([SCHEMA.field("x")]))
        ]

    assert lengths([]) == []
    assert lengths([1, 2, 3]) == [6]
    assert lengths([MORSEL_ROWS, 1]) == [MORSEL_ROWS, 1]
    assert lengths([2 * MORSEL_ROWS + 5]) == [MORSEL_ROWS, MORSEL_ROWS, 5]
    assert lengths([10, 2 * MORSEL_ROWS, 7]) == [10, MORSEL_ROWS, MORSEL_ROWS, 7]
    assert all_rows([], SCHEMA).length == 0


def test_filters_test_guards_first():
    predicate = bind(((X != 0) & (6 // X > 2) & (col("n") < 8))._node, SCHEMA)
    rows = batch([1, 0, 2, 6, None, 1])
    assert FilterRows(predicate).process(rows)["n"].to_pylist() == [0, 2, 5]
    kept = FilterRows(predicate, ["n"]).process(rows)
    assert list(kept.columns) == ["n"]
    assert kept["n"].to_pylist() == [0, 2, 5]
    assert FilterRows(predicate, []).process(rows).length == 3


def test_projections():
    named = list(zip(["a", "b"], keys(X, X), strict=True))
    assert isinstance(projection(named), ChooseColumns)
    assert projection(named).process(batch([1, 2])).columns["b"].to_pylist() == [1, 2]
    computed = projection([("a", *keys(X + 1)), ("one", *keys(lf.lit(1)))])
    assert isinstance(computed, ComputeColumns)
    found = computed.process(batch([1, 2]))
    assert {name: c.to_pylist() for name, c in found.columns.items()} == {"a": [2, 3], "one": [1, 1]}
    assert projection([]).process(batch([1, 2])).length == 2


LISTS = Schema([Field("l", pa.list_(pa.field("item", pa.int64()))), Field("n", pa.int64())])
LISTED = values([("l", pa.array([], LISTS["l"])), ("n", pa.array([], pa.int64()))], 0)


@pytest.mark.parametrize("offset", [0, 1, 2, 4])
def test_explode_of_slices(offset):
    lists = [[1, 2], None, [], [None], [3], [4, 5, 6]]
    whole = Batch({"l": pa.array(lists, LISTS["l"]), "n": pa.array(range(6))}, 6).slice(offset)
    (found,) = ExplodeLists(Explode(LISTED, ("l",))).expand(whole)
    expected = [(item, n) for n, items in enumerate(lists) if n >= offset for item in (items or [None])]
    assert list(zip(found["l"].to_pylist(), found["n"].to_pylist(), strict=True)) == expected


def test_explode_skips_what_lies_under_null_lists():
    hidden = pa.ListArray.from_arrays(
        pa.array([0, 2, 4], pa.int32()), pa.array([1, 2, 3, 4]), mask=pa.array([True, False])
    )
    rows = Batch({"l": hidden, "n": pa.array([0, 1])}, 2)
    (found,) = ExplodeLists(Explode(LISTED, ("l",))).expand(rows)
    assert (found["l"].to_pylist(), found["n"].to_pylist()) == ([None, 3, 4], [0, 1, 1])


def test_a_large_fan_out_comes_in_pieces(monkeypatch):
    monkeypatch.setattr(runs_module, "MOST_ROWS", 4)
    rows = Batch({"l": pa.array([[1, 2, 3], [4, 5], [6]], LISTS["l"]), "n": pa.array(range(3))}, 3)
    pieces = list(ExplodeLists(Explode(LISTED, ("l",))).expand(rows))
    assert [piece["l"].to_pylist() for piece in pieces] == [[1, 2, 3], [4, 5, 6]]
    assert [piece["n"].to_pylist() for piece in pieces] == [[0, 0, 0], [1, 1, 2]]


def test_unpivot_goes_row_by_row():
    wide = values([(name, pa.array([], pa.int64())) for name in ("n", "a", "b")], 0)
    rows = Batch({"n": pa.array([7, 8]), "a": pa.array([1, None]), "b": pa.array([3, 4])}, 2)
    (found,) = UnpivotColumns(Unpivot(wide, ("a", "b"), ("n",), "v", "x")).expand(rows)
    assert {name: c.to_pylist() for name, c in found.columns.items()} == {
        "n": [7, 7, 8, 8], "v": ["a", "b", "a", "b"], "x": [1, 3, None, 4],
    }  # fmt: skip
    (found,) = UnpivotColumns(Unpivot(wide, ("a", "b"), ("n",), "v", "x", keep_nulls=False)).expand(rows)
    assert {name: c.to_pylist() for name, c in found.columns.items()} == {
        "n": [7, 7, 8], "v": ["a", "b", "b"], "x": [1, 3, 4],
    }  # fmt: skip


ZIPPED = [
    # keep_empty, with the number of items, and without a list at the end
    (
        True,
        [(1, "p", 0, 1), (2, None, 0, 2), (None, None, 1, None), (3, "q", 2, 1), (None, "r", 2, 2), (None, "s", 3, 1)],
    ),
    (False, [(1, "p", 0, 1), (2, None, 0, 2), (3, "q", 2, 1), (None, "r", 2, 2), (None, "s", 3, 1)]),
]


@pytest.mark.parametrize(("keep_empty", "wanted"), ZIPPED)
def test_lists_side_by_side_with_numbers(keep_empty, wanted):
    columns = {
        "a": pa.array([[1, 2], [], [3], None]), "b": pa.array([["p"], None, ["q", "r"], ["s"]]), "n": pa.array(range(4)),
    }  # fmt: skip
    plan = Explode(values(columns.items(), 4), ("a", "b"), keep_empty=keep_empty, ordinality="i")
    (found,) = ExplodeLists(plan).expand(Batch(columns, 4))
    assert list(found.columns) == ["a", "b", "n", "i"]
    assert list(zip(*[c.to_pylist() for c in found.columns.values()], strict=True)) == wanted
    assert plan.schema.field("i").nullable == keep_empty
    # A slice of them counts from 1 again.
    (found,) = ExplodeLists(plan).expand(Batch(columns, 4).slice(2))
    assert found["i"].to_pylist() == [1, 2, 1]
    assert found["n"].to_pylist() == [2, 2, 3]


def test_no_rows_are_left_of_empty_lists():
    plan = Explode(LISTED, ("l",), keep_empty=False)
    (found,) = ExplodeLists(plan).expand(Batch({"l": pa.array([[], None], LISTS["l"]), "n": pa.array([1, 2])}, 2))
    assert (found.length, found["l"].to_pylist(), found["n"].to_pylist()) == (0, [], [])


def test_lists_that_shall_be_equally_long():
    columns = {"a": pa.array([[1], [1, 2]]), "b": pa.array([[1], [1]])}
    plan = Explode(values(columns.items(), 2), ("a", "b"), equal_lengths=True)
    with pytest.raises(EvaluationError, match="'a' has 2 items and 'b' 1"):
        list(ExplodeLists(plan).expand(Batch(columns, 2)))


@pytest.mark.parametrize(
    ("counts", "runs"),
    [([], [(0, 0)]), ([1, 2], [(0, 2)]), ([4, 4, 4], [(0, 2), (2, 3)]), ([20], [(0, 1)]), ([1, 20, 1, 1], [(0, 1), (1, 2), (2, 4)]),
     ([0, 0, 9, 0], [(0, 2), (2, 3), (3, 4)]), ([8, 0, 0, 1], [(0, 3), (3, 4)])],
)  # fmt: skip
def test_probe_rows_are_cut_into_runs_of_pairs(monkeypatch, counts, runs):
    monkeypatch.setattr(runs_module, "MOST_ROWS", 8)
    found = list(runs_module.runs(np.array(counts, dtype=np.int64)))
    assert found == runs


@pytest.mark.parametrize("pairs", [1, 3, 1 << 18])
@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
@pytest.mark.parametrize("condition", ["none", "less", "alone"])
def test_joins_in_pieces_are_joins(monkeypatch, pairs, how, condition):
    monkeypatch.setattr(join_module, "MOST_ROWS", pairs)
    monkeypatch.setattr(runs_module, "MOST_ROWS", pairs)
    left = [(1, 5), (2, 6), (None, 7), (1, 1), (3, 9)]
    right = [(1, 4), (1, 6), (None, 7), (2, 6), (4, 4)]
    a = lf.from_dict({"k": [k for k, _ in left], "v": [v for _, v in left]})
    b = lf.from_dict({"j": [k for k, _ in right], "w": [v for _, v in right]})

    def fits(x, y):
        equal = x[0] is not None and x[0] == y[0]
        return {"none": equal, "less": equal and x[1] < y[1], "alone": x[1] < y[1]}[condition]

    on = {
        "none": col("k") == col("j"),
        "less": (col("k") == col("j")) & (col("v") < col("w")),
        "alone": col("v") < col("w"),
    }[condition]
    none = (None, None)
    match how:
        case "semi":
            expected = [x for x in left if any(fits(x, y) for y in right)]
        case "anti":
            expected = [x for x in left if not any(fits(x, y) for y in right)]
        case "right":
            expected = [(*x, *y) for y in right for x in ([x for x in left if fits(x, y)] or [none])]
        case "inner":
            expected = [(*x, *y) for x in left for y in right if fits(x, y)]
        case _:
            expected = [(*x, *y) for x in left for y in ([y for y in right if fits(x, y)] or [none])]
            if how == "full":
                expected += [(*none, *y) for y in right if not any(fits(x, y) for x in left)]
    for threads in (1, 2):
        with lf.config(threads=threads):
            assert [tuple(row.values()) for row in a.join(b, on=on, how=how).collect()] == expected


def test_a_small_left_side_is_built_and_the_order_is_still_that_of_the_left():
    few = lf.from_dict({"k": [3, 1, 3], "n": [0, 1, 2]})
    many = lf.from_dict({"k": [1, 2, 3] * 50_000}).with_row_index("m")
    found = few.join(many, on="k").collect()
    assert len(found) == 150_000
    table = found.to_arrow()
    assert table["n"].to_pylist() == [0] * 50_000 + [1] * 50_000 + [2] * 50_000
    assert table["m"].slice(0, 3).to_pylist() == [2, 5, 8]
    assert table["m"].slice(50_000, 2).to_pylist() == [0, 3]
