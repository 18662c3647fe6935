"""concat and set operations."""

from __future__ import annotations

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col

A = lf.from_dict({"x": [1, 2, 2, None], "s": ["a", "b", "b", None]})
B = lf.from_dict({"s": ["b", None, "c"], "x": [2, None, 3]})


def test_concat_goes_by_name(answer):
    assert answer(lf.concat([A, B])) == {"x": [1, 2, 2, None, 2, None, 3], "s": ["a", "b", "b", None, "b", None, "c"]}
    assert answer(lf.concat([A])) == answer(A)
    assert answer(lf.concat(frame for frame in (A, A.head(0)))) == answer(A)
    assert answer(lf.concat([B, B]).tail(1)) == {"s": ["c"], "x": [3]}


def test_concat_takes_what_holds_rows(answer):
    assert answer(lf.concat([A.head(1), pa.table({"x": [5], "s": ["z"]})])) == {"x": [1, 5], "s": ["a", "z"]}


def test_concat_widens(answer):
    mixed = lf.concat(
        [lf.from_dict({"x": [1]}, {"x": "int8"}), lf.from_dict({"x": [2**40]}), lf.from_dict({"x": [0.5]})]
    )
    assert mixed.schema["x"] == pa.float64()
    assert answer(mixed) == {"x": [1.0, 2.0**40, 0.5]}
    assert answer(lf.concat([lf.from_dict({"x": [None]}), lf.from_dict({"x": ["a"]})])) == {"x": [None, "a"]}


def test_concat_diagonal_fills_what_is_missing(answer):
    assert answer(lf.concat([A.select("x").head(1), B.select("s").head(1)], how="diagonal")) == {
        "x": [1, None], "s": [None, "b"],
    }  # fmt: skip


def test_concat_horizontal_fills_shorter_frames(answer):
    c = lf.from_dict({"z": [True]})
    frame = lf.concat([A, c], how="horizontal")
    assert answer(frame) == {"x": [1, 2, 2, None], "s": ["a", "b", "b", None], "z": [True, None, None, None]}
    assert answer(frame.filter(col("x") == 2).select("z")) == {"z": [None, None]}
    assert answer(lf.concat([c.head(0), A.select("x").head(1)], how="horizontal")) == {"z": [None], "x": [1]}


@pytest.mark.parametrize(
    ("frame", "xs"),
    [
        (A.union(B), [1, 2, None, 3]),
        (A.union(B, keep_duplicates=True), [1, 2, 2, None, 2, None, 3]),
        (A.intersect(B), [2, None]),
        (A.intersect(B, keep_duplicates=True), [2, None]),
        (A.intersect(A, keep_duplicates=True), [1, 2, 2, None]),
        (A.intersect(A), [1, 2, None]),
        (A.except_(B), [1]),
        (A.except_(B, keep_duplicates=True), [1, 2]),
        (A.except_(A.head(0)), [1, 2, None]),
        (A.except_(A.head(0), keep_duplicates=True), [1, 2, 2, None]),
        (A.head(0).except_(A), []),
        (A.head(0).intersect(A), []),
        (A.intersect(A.head(0)), []),
        (A.head(0).union(A), [1, 2, None]),
        (A.union(B).filter(col("x") > 1), [2, 3]),
        (A.except_(B, keep_duplicates=True).filter(col("x") > 1), [2]),
    ],
)
def test_sets_of_rows(answer, frame, xs):
    found = answer(frame)
    assert found["x"] == xs
    assert found["s"] == [{1: "a", 2: "b", 3: "c", None: None}[x] for x in xs]


def test_sets_compare_by_value(answer):
    nan = float("nan")
    floats, others = lf.from_dict({"x": [0.0, nan]}), lf.from_dict({"x": [-0.0, nan]})
    assert floats.intersect(others).count() == 2
    assert floats.except_(others).count() == 0
    assert floats.union(others).count() == 2
    assert answer(lf.from_dict({"x": [1, 2]}).intersect(lf.from_dict({"x": [2.0, 2.5]}))) == {"x": [2.0]}


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: lf.concat([]), lf.errors.InvalidArgumentError, "at least one frame"),
        (lambda: lf.concat(A), lf.errors.InvalidArgumentError, "a list of frames"),
        (lambda: lf.concat([A, 1]), lf.errors.InvalidArgumentError, "here stands a frame, not int"),
        (lambda: lf.concat([A, A], how="up"), lf.errors.InvalidArgumentError, "how is one of"),
        (lambda: lf.concat([A, A.rename({"x": "xx"})]), lf.errors.InvalidArgumentError, "table 2 has no column 'x' and has a column 'xx'"),
        (lambda: lf.concat([A, A.select("x")]), lf.errors.InvalidArgumentError, "table 2 has no column 's'"),
        (lambda: lf.concat([A, A.with_columns(x=lf.lit("a"))]), lf.errors.TypeMismatchError, "column 'x' is int64 and string"),
        (lambda: lf.concat([A, A], how="horizontal"), lf.errors.DuplicateColumnError, "'x'"),
        (lambda: A.union(A.select("x")), lf.errors.InvalidArgumentError, "has no column 's'"),
        (lambda: A.intersect(B.with_columns(s=1)), lf.errors.TypeMismatchError, "column 's' is string and int64"),
        (lambda: A.except_("x"), lf.errors.InvalidArgumentError, "here stands a frame, not str"),
    ],
)  # fmt: skip
def test_frames_that_do_not_fit(build, error, message):
    with pytest.raises(error, match=message):
        build()


def test_collect_all_runs_what_is_common_once():
    calls = []

    def noted(table):
        calls.append(table.num_rows)
        return table

    common = A.map_batches(noted)
    first, second, third = lf.collect_all([common.filter(col("x") > 1), common.select("s"), common])
    assert (first.to_dict()["x"], second.to_dict()["s"], third.shape) == ([2, 2], ["a", "b", "b", None], (4, 2))
    assert calls == [4]
    assert lf.collect_all([]) == []
