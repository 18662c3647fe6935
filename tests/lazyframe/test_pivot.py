"""pivot: values of rows as columns. Names are Polars'."""

from __future__ import annotations

import datetime

import pytest

import lazyframe as lf
from lazyframe import col

FRAME = lf.from_dict(
    {
        "k": ["a", "a", "b", "c"],
        "on": ["y", "x", "y", None],
        "n": [1, 1, 2, 2],
        "v": [1, 2, 3, 4],
        "w": [10, 20, 30, 40],
    }
)


def test_one_row_a_cell(answer):
    assert answer(FRAME.pivot("on", index="k", values="v")) == {
        "k": ["a", "b", "c"], "y": [1, 3, None], "x": [2, None, None], "null": [None, None, 4],
    }  # fmt: skip
    sorted_ = FRAME.pivot("on", index="k", values="v", sort_columns=True)
    assert sorted_.columns == ["k", "x", "y", "null"]


def test_aggregates(answer):
    assert answer(FRAME.pivot("n", index="k", values="v", aggregate_function="sum")) == {
        "k": ["a", "b", "c"], "1": [3, None, None], "2": [None, 3, 4],
    }  # fmt: skip
    assert answer(FRAME.pivot("n", index="k", values="v", aggregate_function="len")) == {
        "k": ["a", "b", "c"], "1": [2, 0, 0], "2": [0, 1, 1],
    }  # fmt: skip
    assert answer(FRAME.pivot("n", index=[], values="v", aggregate_function="mean")) == {"1": [1.5], "2": [3.5]}
    assert answer(FRAME.pivot("n", index=[], values="v", aggregate_function="list")) == {"1": [[1, 2]], "2": [[3, 4]]}


def test_several_columns_of_values_and_of_names():
    assert FRAME.pivot("on", index="k", values=["v", "w"], aggregate_function="max").columns == [
        "k", "v_y", "v_x", "v_null", "w_y", "w_x", "w_null",
    ]  # fmt: skip
    assert FRAME.pivot("n", index="k", values=["v", "w"], aggregate_function="max", separator=":").to_dicts()[0] == {
        "k": "a", "v:1": 2, "v:2": None, "w:1": 20, "w:2": None,
    }  # fmt: skip
    both = FRAME.pivot(["on", "n"], index="k", values="v")
    assert both.columns == ["k", '{"y",1}', '{"x",1}', '{"y",2}', "{null,2}"]
    assert both.to_dicts()[1] == {"k": "b", '{"y",1}': None, '{"x",1}': None, '{"y",2}': 3, "{null,2}": None}


def test_the_columns_that_are_left_over():
    assert FRAME.pivot("on", values=["v", "w"]).columns == ["k", "n", "v_y", "v_x", "v_null", "w_y", "w_x", "w_null"]
    assert FRAME.select("k", "on", "v").pivot("on", index="k").columns == ["k", "y", "x", "null"]


def test_with_given_values_nothing_runs():
    def fail(table):
        raise AssertionError("it ran")

    lazy = FRAME.lazy().map_batches(fail, schema={"k": "string", "on": "string", "v": "int64"})
    assert lazy.pivot("on", ["x", "z"], index="k", values="v").columns == ["k", "x", "z"]
    found = FRAME.lazy().pivot("on", ["x", "z"], index="k", values="v", aggregate_function="sum")
    assert found.to_dict() == {"k": ["a", "b", "c"], "x": [2, None, None], "z": [None, None, None]}
    pairs = FRAME.pivot(["on", "n"], [("x", 1)], index="k", values="v", aggregate_function="count")
    assert pairs.to_dict() == {"k": ["a", "b", "c"], '{"x",1}': [1, 0, 0]}


def test_names_of_values_of_all_types():
    def names(values):
        return lf.from_dict({"o": values, "v": [1] * len(values)}).pivot("o", index=[], values="v").columns

    assert names([True, False]) == ["true", "false"]
    assert names([1.5, float("nan")]) == ["1.5", "nan"]
    assert names([datetime.date(2024, 2, 1)]) == ["2024-02-01"]


def test_a_float_that_is_no_number_is_a_value(answer):
    frame = lf.from_dict({"o": [float("nan"), 0.0, -0.0, float("nan")], "v": [1, 2, 4, 8]})
    assert answer(frame.pivot("o", index=[], values="v", aggregate_function="sum")) == {"nan": [9], "0.0": [6]}


def test_several_rows_of_a_cell_are_an_error_when_it_runs():
    query = FRAME.lazy().pivot("n", [1, 2], index="k", values="v")
    with pytest.raises(lf.errors.EvaluationError, match="several rows for k='a', n=1") as caught:
        query.collect()
    assert "aggregate_function" in str(caught.value)
    assert "test_pivot.py" in str(caught.value)


def test_pivot_undoes_unpivot(answer):
    wide = lf.from_dict({"k": ["p", "q"], "a": [1, None], "b": [3, 4]})
    assert answer(wide.unpivot(index="k").pivot("variable", index="k", values="value")) == answer(wide)


def test_a_pivot_goes_on(answer):
    table = FRAME.pivot("n", index="k", values="v", aggregate_function="sum")
    assert answer(table.filter(col("2") > 3).select("k", twice=col("2") * 2)) == {"k": ["c"], "twice": [8]}


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: FRAME.pivot("o", index="k"), lf.errors.ColumnNotFoundError, "'o'"),
        (lambda: FRAME.pivot("on"), lf.errors.InvalidArgumentError, "takes an index or values"),
        (lambda: FRAME.pivot([], index="k"), lf.errors.InvalidArgumentError, "names of columns"),
        (
            lambda: FRAME.select("k", "on").pivot("on", index="k"),
            lf.errors.InvalidArgumentError,
            "no columns of values",
        ),
        (
            lambda: FRAME.pivot("on", index="k", values="v", aggregate_function="total"),
            lf.errors.InvalidArgumentError,
            "aggregate_function is one of 'min'",
        ),
        (lambda: FRAME.pivot("n", ["z"], index="k", values="v"), lf.errors.InvalidArgumentError, "'z' is no value"),
        (
            lambda: FRAME.pivot(["on", "n"], ["z"], index="k", values="v"),
            lf.errors.InvalidArgumentError,
            "a value for each",
        ),
        (lambda: FRAME.pivot("on", ["k"], index="k", values="v"), lf.errors.DuplicateColumnError, "named 'k'"),
    ],
)
def test_what_makes_no_sense_is_refused(build, error, message):
    with pytest.raises(error, match=message):
        build()
