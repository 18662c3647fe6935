"""Wrong answers that other engines gave when they moved a filter, a limit or a column."""

from __future__ import annotations

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.errors import EvaluationError
from lazyframe.frame import LazyFrame, concat
from lazyframe.planner.graph import postorder
from lazyframe.planner.optimizer import optimize
from lazyframe.planner.relations import Filter, Scan
from lazyframe.session import execute
from tests.planner.rules.harness import frame, t

col = lf.col
k = frame("k", {"k": pa.array([1, 2, 3, 4, 5])})
x = frame("x", {"x": pa.array([1, 2, 4])})


def answer(query: LazyFrame) -> list[dict[str, object]]:
    """The rows, optimised with all checks; and they are those of the plan as it was written."""
    plan = query._plan
    found = execute(optimize(plan, check=True), optimize=False)
    assert found.to_pylist() == execute(plan, optimize=False).to_pylist()
    return found.to_pylist()


def test_a_filter_does_not_pass_a_limit():
    assert answer(k.sort("k").head(3).filter(col("k") > 2)) == [{"k": 3}]
    assert answer(k.sort("k", descending=True).slice(1, 3).filter(col("k") > 3)) == [{"k": 4}]


def test_a_filter_does_not_pass_one_that_holds_an_aggregate():
    query = x.filter(col("x") > 1).filter(col("x") == col("x").min()).filter(col("x") > 3)
    assert answer(query) == []
    assert answer(x.filter(col("x") > 1).filter(col("x") == col("x").min())) == [{"x": 2}]


def test_a_name_that_both_sides_have_means_the_left_one():
    left = frame("left", {"a": pa.array([1, 2]), "p": pa.array(["l1", "l2"])})
    right = frame("right", {"b": pa.array([1, 2]), "a": pa.array([2, 1])})
    joined = left.join(right, left_on="a", right_on="b", coalesce=False, suffix="_r")
    assert answer(joined.filter(col("a") == 1).select("a", "a_r")) == [{"a": 1, "a_r": 2}]
    assert answer(joined.filter(col("a_r") == 1).select("a", "a_r")) == [{"a": 2, "a_r": 1}]


def test_a_name_given_anew_means_the_new_column():
    assert answer(k.select(k=10 - col("k")).filter(col("k") == 9)) == [{"k": 9}]


def test_a_filter_on_the_side_filled_with_nulls_stays_above():
    left = frame("l", {"a": pa.array([1, 2, 3])})
    right = frame("r", {"b": pa.array([1, 2]), "y": pa.array([None, 7])})
    joined = left.join(right, left_on="a", right_on="b", how="left", coalesce=False)
    assert answer(joined.filter(col("y").is_null()).select("a")) == [{"a": 1}, {"a": 3}]
    assert answer(joined.filter((col("y") == 7) | col("b").is_null()).select("a")) == [{"a": 2}, {"a": 3}]


def test_a_condition_on_the_preserved_side_does_not_filter_it():
    left = frame("l", {"a": pa.array([1, 2, 3])})
    right = frame("r", {"b": pa.array([1, 2])})
    joined = left.join(right, on=(col("a") == col("b")) & (col("a") > 1), how="left")
    assert answer(joined) == [{"a": 1, "b": None}, {"a": 2, "b": 2}, {"a": 3, "b": None}]


def test_a_limit_does_not_pass_a_filter():
    assert answer(k.filter(col("k") > 3).head(1)) == [{"k": 4}]
    assert answer(k.sort("k").filter(col("k") > 3).head(1)) == [{"k": 4}]


def test_volatile_columns_are_neither_merged_nor_copied():
    once = k.select(r=lf.random()).select(a=col("r"), b=col("r"))
    assert [row["a"] == row["b"] for row in execute(optimize(once._plan, check=True), optimize=False).to_pylist()] == [
        True
    ] * 5
    kept = k.select("k", r=lf.random()).filter(col("r") < 0.5)
    assert all(row["r"] < 0.5 for row in execute(optimize(kept._plan, check=True), optimize=False).to_pylist())


def test_branches_that_share_a_volatile_column_see_the_same_numbers():
    drawn = k.select("k", r=lf.random())
    both = drawn.filter(col("k") > 2).join(drawn.rename({"k": "k2", "r": "r2"}), left_on="k", right_on="k2")
    found = execute(optimize(both._plan, check=True), optimize=False).to_pylist()
    assert len(found) == 3
    assert all(row["r"] == row["r2"] for row in found)


def test_branches_of_one_scan_see_their_own_filters():
    scanned = k.filter(col("k") > 1)
    query = concat([scanned.filter(col("k") < 3), scanned.filter(col("k") > 4), scanned])
    assert [row["k"] for row in answer(query)] == [2, 5, 2, 3, 4, 5]
    predicates = [repr(n.predicate) for n in postorder(optimize(query._plan)) if isinstance(n, Scan)]
    assert sorted(predicates) == ["k > 1", "k > 1 & k < 3", "k > 1 & k > 4"]


def test_a_filter_does_not_take_a_costly_shared_plan_apart():
    grouped = t.group_by("c").agg(n=col("a").sum())
    query = concat([grouped.filter(col("c") == "x"), grouped.filter(col("n") > 1)])
    assert len(answer(query)) == 5
    plan = optimize(query._plan)
    assert repr(plan).count("Aggregate") == 1
    assert len([n for n in postorder(plan) if isinstance(n, Filter)]) == 2


def test_an_error_in_rows_nobody_asked_for():
    text = frame("text", {"s": pa.array(["1", "2", "3", "4", "x"])})
    query = text.select(n=col("s").cast("int64"))
    assert query.head(1).collect().to_dicts() == [{"n": 1}]
    assert query.slice(1, 2).collect().to_dicts() == [{"n": 2}, {"n": 3}]
    with pytest.raises(EvaluationError):
        query.tail(1).collect()


def test_a_filter_above_guards_a_filter_and_a_column():
    data = frame("data", {"n": pa.array([6, 7, 8]), "y": pa.array([2, 0, 4])})
    guarded = data.filter(col("y") != 0)
    assert answer(guarded.filter(col("n") // col("y") > 1).select("n")) == [{"n": 6}, {"n": 8}]
    assert answer(guarded.with_columns(q=col("n") // col("y")).filter(col("q") > 2).select("q")) == [{"q": 3}]
    assert answer(guarded.sort("n").filter(col("n") // col("y") > 2).select("n")) == [{"n": 6}]
    with pytest.raises(EvaluationError):
        data.filter(col("n") // col("y") > 1).collect()
