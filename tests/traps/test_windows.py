"""Wrong answers that engines gave over windows."""

from __future__ import annotations

import itertools

import lazyframe as lf
from lazyframe import col


def test_a_filter_does_not_pass_a_window_it_would_change():
    df = lf.from_dict({"k": ["a", "a", "b", "b"], "t": [1, 2, 1, 2], "v": [10, 20, 30, 40]})
    before = df.with_columns(before=col("v").lag().over("k", order_by="t"))
    assert before.filter(col("t") == 2).to_dict() == {
        "k": ["a", "b"], "t": [2, 2], "v": [20, 40], "before": [10, 30]
    }  # fmt: skip
    assert before.filter(col("v") > 10).to_dict()["before"] == [10, None, 30]
    assert before.filter(col("k") == "b").to_dict()["before"] == [None, 30]
    # Of two windows only one is by k.
    both = before.with_columns(n=lf.row_number())
    assert both.filter(col("k") == "b").to_dict()["n"] == [3, 4]
    # By k + 1 is not by k.
    numbers = lf.from_dict({"k": [1, 2, -1], "v": [1, 2, 4]})
    squares = numbers.with_columns(s=col("v").sum().over(col("k").abs()))
    assert squares.filter(col("k") > 0).to_dict()["s"] == [5, 2]


def test_a_filter_that_tells_equal_keys_apart_stays_above_a_window():
    df = lf.from_dict({"k": [0.0, -0.0, 1.0], "v": [1, 2, 4]})
    sums = df.with_columns(s=col("v").sum().over("k"))
    assert sums.filter(1 / col("k") > 0).to_dict()["s"] == [3, 4]


def test_a_random_condition_stays_above_windows():
    df = lf.from_dict({"k": [1] * 2000})
    numbered = df.with_columns(n=lf.row_number().over("k"), c=lf.len().over("k"))
    kept = numbered.filter((lf.random() < 0.5) & (col("k") == 1)).to_dict()
    assert set(kept["c"]) == {2000}
    assert 700 < len(kept["n"]) < 1300
    assert any(b - a > 1 for a, b in itertools.pairwise(kept["n"]))


def test_any_and_all_of_a_partition_use_all_of_it():
    df = lf.from_dict({"k": [1, 1, 1, 2], "t": [1, 2, 3, 1], "b": [False, True, None, False]})
    found = df.select(any=col("b").any().over("k"), all=col("b").all().over("k")).to_dict()
    assert found == {"any": [True, True, True, False], "all": [False, False, False, False]}


def test_the_order_of_first_is_kept_in_a_window():
    df = lf.from_dict({"k": [1, 1, 2], "t": [3, 2, 1], "v": ["c", "b", "a"]})
    found = df.select(
        by_argument=col("v").first(order_by="t").over("k"),
        by_window=col("v").first().over("k", order_by="t"),
        last=col("v").last().over("k", order_by="t", frame=("rows", None, None)),
    ).to_dict()
    assert found == {"by_argument": ["b", "b", "a"], "by_window": ["b", "b", "a"], "last": ["c", "c", "a"]}


def test_nulls_that_are_ignored_stay_ignored():
    df = lf.from_dict({"t": [1, 2, 3, 4], "v": [None, "x", None, "y"]})
    found = df.select(
        first=col("v").first_value(ignore_nulls=True).over(order_by="t", frame=("rows", None, None)),
        last=col("v").last(ignore_nulls=True).over(order_by="t"),
        before=col("v").lag(ignore_nulls=True).over(order_by="t"),
        aggregate=col("v").first(ignore_nulls=True).over(),
    ).to_dict()
    assert found == {
        "first": ["x", "x", "x", "x"],
        "last": [None, "x", "x", "y"],
        "before": [None, None, "x", "x"],
        "aggregate": ["x", "x", "x", "x"],
    }
