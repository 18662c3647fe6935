"""What all branches of a CASE need is computed once, before them."""

from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe import col, session
from lazyframe.executors.vectorized.program import Program


def steps(expression, frame):
    (bound,) = session.planned(frame.select(v=expression)._plan).scalars()
    return len(Program([bound]).steps)


def test_steps_do_not_multiply_from_choice_to_choice():
    """Each choice uses the value before it in both branches, and nowhere else."""
    frame = lf.from_dict({"x": [1, 2, 3], "c": [5, 0, 7]})
    value, counts = col("x"), []
    for number in range(12):
        value = lf.when(col("c") > number).then(value + 1).otherwise(value * 2)
        counts.append(steps(value, frame))
    assert counts[11] - counts[10] == counts[5] - counts[4]
    wanted = []
    for x, c in zip([1, 2, 3], [5, 0, 7], strict=True):
        for number in range(12):
            x = x + 1 if c > number else x * 2
        wanted.append(x)
    assert frame.select(v=value).to_dict()["v"] == wanted


def test_what_one_branch_needs_alone_is_computed_for_its_rows_alone():
    frame = lf.from_dict({"x": [0, 2, 5]})
    quotient = 10 // col("x")
    guarded = lf.when(col("x") == 0).then(-1).otherwise(lf.when(col("x") > 2).then(quotient + 1).otherwise(quotient))
    assert frame.select(v=guarded).to_dict()["v"] == [-1, 5, 3]
    with pytest.raises(lf.errors.EvaluationError):
        frame.select(v=lf.when(col("x") > 2).then(quotient + 1).otherwise(quotient)).collect()


def test_what_decides_and_what_is_left_open():
    frame = lf.from_dict({"x": [0, 2, 5], "y": [None, 1, None]})
    decided = (col("x") != 0) & (10 // col("x") > 2)
    filled = lf.coalesce(col("y"), 10 // (col("x") + 1))
    value = lf.when(decided).then(filled + 1).otherwise(filled)
    assert frame.select(v=value).to_dict()["v"] == [10, 2, 1]
