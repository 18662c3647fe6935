"""Verbs about the order and number of rows."""

from __future__ import annotations

import pytest

import lazyframe as lf
import lazyframe.selectors as cs
from lazyframe import col

NAN = float("nan")
FRAME = lf.from_dict({"k": ["b", "a", "b", "a"], "x": [2, None, 1, 3], "n": [0, 1, 2, 3]})


@pytest.mark.parametrize(
    ("frame", "order"),
    [
        (FRAME.sort("x"), [2, 0, 3, 1]),
        (FRAME.sort("x", descending=True), [3, 0, 2, 1]),
        (FRAME.sort("x", nulls_first=True), [1, 2, 0, 3]),
        (FRAME.sort("x", descending=True, nulls_first=True), [1, 3, 0, 2]),
        (FRAME.sort("k"), [1, 3, 0, 2]),
        (FRAME.sort("k", "x"), [3, 1, 2, 0]),
        (FRAME.sort("k", "x", descending=[True, False]), [2, 0, 3, 1]),
        (FRAME.sort(["k", "x"], descending=[False, True], nulls_first=[False, True]), [1, 3, 0, 2]),
        (FRAME.sort(lf.desc("k"), "x"), [2, 0, 3, 1]),
        (FRAME.sort(lf.asc("k"), lf.desc("x", nulls_first=True)), [1, 3, 0, 2]),
        (FRAME.sort(-col("x")), [3, 0, 2, 1]),
        (FRAME.sort(col("x") % 2, "n"), [0, 2, 3, 1]),
        (FRAME.sort(cs.by_name("k", "x")), [3, 1, 2, 0]),
        (FRAME.sort(), [0, 1, 2, 3]),
        (FRAME.top_k(2, by="x"), [3, 0]),
        (FRAME.top_k(2, by="x", nulls_first=True), [1, 3]),
        (FRAME.top_k(3, by=["k", "x"]), [0, 2, 3]),
        (FRAME.top_k(9, by="n"), [3, 2, 1, 0]),
        (FRAME.top_k(0, by="n"), []),
        (FRAME.top_k(2, by=lf.asc("x")), [2, 0]),
        (FRAME.bottom_k(2, by="x"), [2, 0]),
        (FRAME.bottom_k(2, by="x", nulls_first=True), [1, 2]),
        (FRAME.bottom_k(2, by="k"), [1, 3]),
        (FRAME.head(2), [0, 1]),
        (FRAME.head(0), []),
        (FRAME.head(), [0, 1, 2, 3]),
        (FRAME.limit(3), [0, 1, 2]),
        (FRAME.head(3).head(2), [0, 1]),
        (FRAME.tail(1), [3]),
        (FRAME.tail(0), []),
        (FRAME.tail(99), [0, 1, 2, 3]),
        (FRAME.slice(1, 2), [1, 2]),
        (FRAME.slice(3), [3]),
        (FRAME.slice(9, 2), []),
        (FRAME.slice(-2), [2, 3]),
        (FRAME.slice(-3, 2), [1, 2]),
        (FRAME.slice(-2, 9), [2, 3]),
        # As Polars has it: positions before the first row take nothing.
        (FRAME.slice(-6, 3), [0]),
        (FRAME.slice(-6, 1), []),
        (FRAME.slice(1, 0), []),
        (FRAME.slice(1).slice(1).head(1), [2]),
        (FRAME.reverse(), [3, 2, 1, 0]),
        (FRAME.reverse().head(1), [3]),
        (FRAME.head(3).reverse().tail(1), [0]),
        # A filter does not pass a limit.
        (FRAME.sort("n", descending=True).head(3).filter(col("n") < 2), [1]),
        (FRAME.tail(2).filter(col("n") < 3), [2]),
        (FRAME.unique("k"), [0, 1]),
        (FRAME.unique("k", keep="last"), [2, 3]),
        (FRAME.unique("k", keep="none"), []),
        (FRAME.unique("x", keep="none"), [0, 1, 2, 3]),
        (FRAME.unique(["k"], keep="any"), [0, 1]),
        (FRAME.unique(cs.by_name("k")), [0, 1]),
        (FRAME.unique(), [0, 1, 2, 3]),
    ],
)
def test_which_rows_come_in_which_order(answer, frame, order):
    found = answer(frame)
    assert found["n"] == order
    assert found["k"] == [["b", "a", "b", "a"][n] for n in order]
    assert found["x"] == [[2, None, 1, 3][n] for n in order]


def test_nan_is_the_greatest_number(answer):
    frame = lf.from_dict({"x": [NAN, 1.0, None, float("inf")], "n": [0, 1, 2, 3]})
    assert answer(frame.sort("x").select("n")) == {"n": [1, 3, 0, 2]}
    assert answer(frame.sort("x", descending=True).select("n")) == {"n": [0, 3, 1, 2]}
    assert answer(frame.top_k(1, by="x").select("n")) == {"n": [0]}


def test_equal_rows_are_one_whatever_their_bits(answer):
    frame = lf.from_dict({"x": [0.0, -0.0, NAN, NAN, None, None], "n": [0, 1, 2, 3, 4, 5]})
    assert answer(frame.unique("x").select("n")) == {"n": [0, 2, 4]}


def test_shift(answer):
    frame = lf.from_dict({"x": [1, 2, 3], "s": ["a", "b", "c"]})
    assert answer(frame.shift()) == {"x": [None, 1, 2], "s": [None, "a", "b"]}
    assert answer(frame.shift(-2)) == {"x": [3, None, None], "s": ["c", None, None]}
    assert answer(frame.shift(0)) == {"x": [1, 2, 3], "s": ["a", "b", "c"]}
    assert answer(frame.shift(9)) == {"x": [None, None, None], "s": [None, None, None]}
    assert frame.shift(0).schema.field("x").nullable
    assert answer(frame.shift(1).filter(col("x") > 1)) == {"x": [2], "s": ["b"]}


def test_with_row_index_counts_from_its_offset(answer, in_parts):
    frame = in_parts({"x": ["a", "b", "c"]})
    assert answer(frame.with_row_index()) == {"index": [0, 1, 2], "x": ["a", "b", "c"]}
    assert answer(frame.with_row_index("n", offset=-1)) == {"n": [-1, 0, 1], "x": ["a", "b", "c"]}
    assert answer(frame.with_row_index().filter(col("x") != "a")) == {"index": [1, 2], "x": ["b", "c"]}
    assert answer(frame.filter(col("x") != "a").with_row_index()) == {"index": [0, 1], "x": ["b", "c"]}
    assert answer(frame.with_row_index().tail(1).with_row_index("again")) == {"again": [0], "index": [2], "x": ["c"]}


def test_sample_is_repeatable_and_keeps_the_order(answer):
    frame = lf.from_dict({"x": list(range(100))})
    drawn = answer(frame.sample(10, seed=7))["x"]
    assert len(set(drawn)) == 10
    assert drawn == sorted(drawn)
    assert drawn == answer(frame.sample(10, seed=7))["x"]
    assert drawn != answer(frame.sample(10, seed=8))["x"]
    assert frame.sample(200).count() == 100
    assert frame.sample(0).count() == 0


def test_sample_without_a_seed_draws_the_same_rows_each_time_it_runs(answer):
    drawn = lf.from_dict({"x": list(range(100))}).sample(10)
    assert answer(drawn) == answer(drawn)


def test_sample_of_a_fraction(answer, in_parts):
    frame = lf.from_dict({"x": list(range(10_000))})
    count = frame.sample(fraction=0.1, seed=1).count()
    assert 800 < count < 1200  # six standard deviations of 30
    assert frame.sample(fraction=1).count() == 10_000
    assert frame.sample(fraction=0.0).count() == 0
    rows = [0, 1, 2, 3, 4, 5, 6, 7]
    # The same seed draws the same rows however they are cut into batches.
    assert answer(in_parts({"x": rows}).sample(fraction=0.5, seed=3)) == answer(
        lf.from_dict({"x": rows}).sample(fraction=0.5, seed=3)
    )


def test_sample_with_replacement_draws_a_row_again(answer):
    frame = lf.from_dict({"x": [1, 2]})
    drawn = answer(frame.sample(50, with_replacement=True, seed=1))["x"]
    assert len(drawn) == 50
    assert set(drawn) == {1, 2}
    assert frame.sample(fraction=2.0, with_replacement=True).count() == 4
    assert frame.head(0).sample(5, with_replacement=True).count() == 0


def test_value_counts(answer):
    frame = lf.from_dict({"k": ["a", "b", None, "b", None], "x": [1, 1, 1, 2, 1]})
    assert answer(frame.value_counts("k")) == {"k": ["b", None, "a"], "count": [2, 2, 1]}
    assert answer(frame.value_counts("k", sort=False, name="n")) == {"k": ["a", "b", None], "n": [1, 2, 2]}
    assert answer(frame.value_counts()) == {"k": [None, "a", "b", "b"], "x": [1, 1, 1, 2], "count": [2, 1, 1, 1]}
    assert answer(frame.value_counts("x", "k").head(1)) == {"x": [1], "k": [None], "count": [2]}
