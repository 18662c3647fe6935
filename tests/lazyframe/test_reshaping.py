"""explode and unpivot."""

from __future__ import annotations

import pyarrow as pa
import pytest

import lazyframe as lf
import lazyframe.selectors as cs
from lazyframe import col

LISTS = lf.from_dict({"k": ["a", "b", "c", "d"], "x": [[1, 2], [], None, [None]], "y": [["p", "q"], [], None, ["r"]]})


def test_explode(answer):
    exploded = LISTS.select("k", "x").explode("x")
    assert answer(exploded) == {"k": ["a", "a", "b", "c", "d"], "x": [1, 2, None, None, None]}
    assert exploded.schema["x"] == pa.int64()
    assert answer(LISTS.explode("x", "y")) == {
        "k": ["a", "a", "b", "c", "d"], "x": [1, 2, None, None, None], "y": ["p", "q", None, None, "r"],
    }  # fmt: skip
    assert answer(LISTS.explode(["x", "y"])) == answer(LISTS.explode(cs.nested()))
    assert answer(LISTS.head(0).explode("x").select("x")) == {"x": []}
    assert answer(LISTS[1:3].explode("x").select("x")) == {"x": [None, None]}


def test_explode_without_empty_lists(answer):
    assert answer(LISTS.explode("x", "y", keep_empty=False)) == {
        "k": ["a", "a", "d"], "x": [1, 2, None], "y": ["p", "q", "r"],
    }  # fmt: skip
    assert LISTS.explode("x", "y", keep_empty=False).select(lf.len()).to_dict() == {"len": [3]}


def test_explode_of_a_slice_and_twice(answer):
    nested = lf.from_dict({"x": [[[1], [2, 3]], [[4]]], "n": [0, 1]})
    assert answer(nested.explode("x").explode("x")) == {"x": [1, 2, 3, 4], "n": [0, 0, 0, 1]}
    assert answer(nested.tail(1).explode("x").explode("x")) == {"x": [4], "n": [1]}


def test_a_filter_on_an_exploded_column_comes_after(answer):
    assert answer(LISTS.select("k", "x").explode("x").filter(col("x") > 1)) == {"k": ["a"], "x": [2]}
    assert answer(LISTS.select("k", "x").explode("x").filter(col("k") == "a")) == {"k": ["a", "a"], "x": [1, 2]}


def test_lists_of_different_lengths_are_an_error_when_it_runs():
    frame = lf.from_dict({"x": [[1], [1, 2]], "y": [[1], [1]]})
    with pytest.raises(lf.errors.EvaluationError, match="'x' has 2 items and 'y' 1"):
        frame.explode("x", "y").collect()


def test_explode_undoes_implode(answer):
    frame = lf.from_dict({"k": ["a", "b", "a"], "x": [1, 2, 3]})
    assert answer(frame.group_by("k").agg("x").explode("x")) == {"k": ["a", "a", "b"], "x": [1, 3, 2]}


@pytest.mark.parametrize("columns", [["k"], ["x", "k"]])
def test_explode_takes_lists_only(columns):
    with pytest.raises(lf.errors.TypeMismatchError, match="'k' is string, not a list"):
        LISTS.explode(*columns)


def test_explode_of_nothing():
    with pytest.raises(lf.errors.InvalidArgumentError, match="names of list columns"):
        LISTS.explode()


WIDE = lf.from_dict({"k": ["p", "q"], "a": [1, None], "b": [3.5, 4.0]})


def test_unpivot(answer):
    expected = {"k": ["p", "p", "q", "q"], "variable": ["a", "b", "a", "b"], "value": [1.0, 3.5, None, 4.0]}
    assert answer(WIDE.unpivot(index="k")) == expected
    assert answer(WIDE.unpivot(["a", "b"], index=["k"])) == expected
    assert answer(WIDE.unpivot(cs.numeric(), index=cs.string())) == expected
    assert answer(WIDE.unpivot("a")) == {"variable": ["a", "a"], "value": [1, None]}
    assert answer(WIDE.unpivot("b", index="k", variable_name="n", value_name="v")) == {
        "k": ["p", "q"], "n": ["b", "b"], "v": [3.5, 4.0],
    }  # fmt: skip
    without = WIDE.unpivot(index="k", keep_nulls=False)
    assert answer(without) == {"k": ["p", "p", "q"], "variable": ["a", "b", "b"], "value": [1.0, 3.5, 4.0]}
    assert not without.to_arrow().schema.field("value").nullable
    assert answer(without.filter(col("k") == "q")) == {"k": ["q"], "variable": ["b"], "value": [4.0]}
    assert answer(without.select("variable")) == {"variable": ["a", "b", "b"]}
    assert answer(WIDE.head(0).unpivot(index="k")) == {"k": [], "variable": [], "value": []}


def test_unpivot_of_a_column_that_stays_too(answer):
    assert answer(WIDE.unpivot(["a", "b"], index="a")) == {
        "a": [1, 1, None, None], "variable": ["a", "b", "a", "b"], "value": [1.0, 3.5, None, 4.0],
    }  # fmt: skip
    assert answer(WIDE.unpivot("a", index="a")) == {"a": [1, None], "variable": ["a", "a"], "value": [1, None]}


def test_unpivot_keeps_names_as_they_are(answer):
    odd = lf.from_dict({"k": [1], "x": [1], "x:value": [2.5], "x:index": [3]})
    assert answer(odd.unpivot(index="k")) == {
        "k": [1, 1, 1], "variable": ["x", "x:value", "x:index"], "value": [1.0, 2.5, 3.0],
    }  # fmt: skip
    assert answer(odd.unpivot(["x", "x:value"], index=["x", "x:index"], variable_name="x:index:1")) == {
        "x": [1, 1], "x:index": [3, 3], "x:index:1": ["x", "x:value"], "value": [1.0, 2.5],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: WIDE.unpivot(), lf.errors.TypeMismatchError, "'k' is string and 'a' int64"),  # noqa: PLW0108
        (lambda: WIDE.unpivot(index=["k", "a", "b"]), lf.errors.InvalidArgumentError, "no columns"),
        (lambda: WIDE.unpivot("a", index="k", value_name="k"), lf.errors.DuplicateColumnError, "'k'"),
        (lambda: WIDE.unpivot("c"), lf.errors.ColumnNotFoundError, "'c'"),
        (lambda: WIDE.unpivot(col("a") + 1), lf.errors.InvalidArgumentError, "name of a column"),
    ],
)
def test_unpivot_that_makes_no_sense(build, error, message):
    with pytest.raises(error, match=message):
        build()
