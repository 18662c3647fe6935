"""Expressions and lazy frames have no values before a query runs: the error says what to write instead."""

from __future__ import annotations

import math
import re

import pytest

import lazyframe as lf
from lazyframe import col

FRAME = lf.from_dict({"x": [1, 2]}).filter(col("x") > 0)


def truth():
    if col("x") > 1:
        pass


CASES = [
    (truth, r"no truth value before the query runs: col\('x'\) > 1", "frame.filter"),
    (lambda: col("x") > 1 and col("x") < 3, "no truth value", "& | ~"),
    (lambda: col("x") > 1 or col("x") < 3, "no truth value", "& | ~"),
    (lambda: not col("x"), "no truth value", "& | ~"),
    (lambda: 1 < col("x") < 3, "no truth value", "is_between"),
    (lambda: col("x") in [1, 2], "no truth value", "filter"),
    (lambda: 1 in col("x"), "no items", "is_in"),
    (lambda: list(col("x")), "no items", "collect"),
    (lambda: [v for v in col("x")], "no items", "collect"),  # noqa: C416
    (lambda: len(col("x")), "no length", "lf.len"),
    (lambda: float(col("x")), "no number", "cast"),
    (lambda: int(col("x")), "no number", "cast"),
    (lambda: math.sqrt(col("x")), "no number", "cast"),
    (lambda: range(col("x")), "no number", "collect"),
    (lambda: max(col("x"), 3), "no truth value", "filter"),
    (lambda: [1, 2][col("x")], "no number", "collect"),
    (lambda: bool(FRAME), "a lazy frame has no truth value", "count"),
    (lambda: len(FRAME), "a lazy frame has no length", "count"),
    (lambda: list(FRAME), "a lazy frame has no rows", "collect"),
    (lambda: FRAME["x"], r"no values before the query runs: frame\['x'\]", "frame.select"),
    (lambda: FRAME[0], r"no values before the query runs: frame\[0\]", "frame.slice"),
]


@pytest.mark.parametrize(("use", "message", "advice"), CASES)
def test_uses_as_a_value(use, message, advice):
    with pytest.raises(lf.errors.LazyValueError, match=message) as caught:
        use()
    assert advice in str(caught.value)
    first = use.__code__.co_firstlineno
    named = int(re.search(r'test_errors_lazy_values.py", line (\d+)', str(caught.value))[1])
    assert first <= named <= first + 1
    frames = []
    traceback = caught.value.__traceback__
    while traceback is not None:
        frames.append(traceback.tb_frame.f_globals["__name__"])
        traceback = traceback.tb_next
    assert not any(name.startswith("lazyframe") for name in frames)


@pytest.mark.parametrize("value", [col("x"), FRAME])
def test_hashing(value):
    with pytest.raises(TypeError, match="unhashable"):
        hash(value)


def test_numpy_does_not_take_an_expression_apart():
    import numpy as np

    assert isinstance(np.float64(2) * col("x"), lf.Expr)
    assert lf.from_dict({"x": [3]}).select(np.int64(2) + col("x")).to_dict() == {"x": [5]}
