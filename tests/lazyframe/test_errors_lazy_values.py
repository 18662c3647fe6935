# ruff: noqa: SIM300, FURB171, UP031 - what users write, as they write it
"""Expressions and lazy frames have no values before a query runs: the error says what to write instead."""

from __future__ import annotations

import decimal
import fractions
import functools
import itertools
import json
import math
import operator
import re
import statistics

import numpy as np
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col

X = col("x")
FRAME = lf.from_dict({"x": [1, 2]}).filter(col("x") > 0)


def truth():
    if col("x") > 1:
        pass


def loop():
    while col("x") > 1:
        pass


def ternary():
    return 1 if col("x") > 1 else 2


def asserted():
    assert col("x") == 1


def unpacked():
    _a, _b = col("x")


def spread():
    return max(*col("x"))


def changed():
    X[0] = 1


def changed_frame():
    FRAME["x"] = 1


def deleted():
    del FRAME["x"]


def two_frames():
    assert FRAME == FRAME.lazy()


EXPRESSIONS = [
    (truth, r"no truth value before the query runs: col\('x'\) > 1", "frame.filter"),
    (loop, "no truth value", "lf.trace"),
    (ternary, "no truth value", "lf.when"),
    (asserted, "no truth value", "frame.filter"),
    (lambda: X > 1 and X < 3, "no truth value", "& | ~"),
    (lambda: X > 1 or X < 3, "no truth value", "& | ~"),
    (lambda: not X, "no truth value", "& | ~"),
    (lambda: 1 < X < 3, "no truth value", "is_between"),
    (lambda: X in [1, 2], "no truth value", "is_in"),
    (lambda: all([X > 1, X < 3]), "no truth value", "& | ~"),
    (lambda: any([X > 1, X < 3]), "no truth value", "& | ~"),
    (lambda: [v for v in [1, 2] if X > v], "no truth value", "frame.filter"),
    (lambda: list(filter(lambda v: X > v, [1, 2])), "no truth value", "frame.filter"),
    (lambda: max(X, 3), "no truth value", "lf.max_horizontal"),
    (lambda: min(X, 3), "no truth value", "lf.min_horizontal"),
    (lambda: sorted([X, X + 1]), "no truth value", "frame.sort"),
    (lambda: [X].index(X + 1), "no truth value", "is_in"),
    (lambda: [X + 1].count(X), "no truth value", "is_in"),
    (lambda: operator.truth(X), "no truth value", "frame.filter"),
    (lambda: 1 in X, "no items", "is_in"),
    (lambda: list(X), "no items", "collect"),
    (lambda: [v for v in X], "no items", "collect"),  # noqa: C416
    (lambda: sum(X), "no items", r".sum()"),
    (lambda: max(X), "no items", "collect"),
    (lambda: sorted(X), "no items", "collect"),
    (lambda: dict(X), "no items", "collect"),
    (lambda: set(X), "no items", "collect"),
    (lambda: list(zip(X, X, strict=True)), "no items", "collect"),
    (lambda: list(enumerate(X)), "no items", "collect"),
    (lambda: list(map(str, X)), "no items", "collect"),
    (lambda: list(itertools.chain(X)), "no items", "collect"),
    (unpacked, "no items", "collect"),
    (spread, "no items", "collect"),
    (lambda: reversed(X), "no length", "lf.len"),
    (lambda: len(X), "no length", "lf.len"),
    (lambda: X[0], "no items", ".list.get(0)"),
    (lambda: X[1:3], "no items", ".str.slice"),
    (lambda: X["field"], "no items", ".struct.field"),
    (changed, "cannot be changed", "with_columns"),
    (lambda: float(X), "no number", "cast"),
    (lambda: complex(X), "no number", "collect"),
    (lambda: int(X), "no number", "cast"),
    (lambda: math.sqrt(X), "no number", "x.sqrt()"),
    (lambda: math.exp(X), "no number", "math.sqrt"),
    (lambda: math.floor(X), "no number", "x.floor()"),
    (lambda: math.ceil(X), "no number", "x.ceil()"),
    (lambda: math.trunc(X), "no number", "x.trunc()"),
    (lambda: math.isnan(X), "no number", "x.sqrt()"),
    (lambda: math.gcd(X, 2), "no number", "collect"),
    (lambda: round(X), "no number", "x.round(digits)"),
    (lambda: round(X, 2), "no number", "x.round(digits)"),
    (lambda: range(X), "no number", "collect"),
    (lambda: hex(X), "no number", "collect"),
    (lambda: chr(X), "no number", "collect"),
    (lambda: [1, 2][X], "no number", "collect"),
    (lambda: "abc"[X], "no number", "collect"),
    (lambda: [1, 2, 3][:X], "no number", "collect"),
    (lambda: "%f" % X, "no number", "collect"),
    (lambda: f"{X:.2f}", "no value to format", "collect"),
    (lambda: format(X, ">10"), "no value to format", "collect"),
    (lambda: "{:d}".format(X), "no value to format", "collect"),  # noqa: UP032
    (lambda: hash(X), "unhashable", "list"),
    (lambda: {X}, "unhashable", "list"),
    (lambda: {X: 1}, "unhashable", "by their names"),
    (lambda: {"a": 1}[X], "unhashable", "list"),
    (lambda: X in {1, 2}, "unhashable", "list"),
    (lambda: functools.lru_cache(lambda v: v)(X), "unhashable", "list"),
    (lambda: np.asarray(X), "no array of values", "to_numpy"),
    (lambda: np.array([X, X]), "no", "to_numpy"),
    (lambda: np.mean(X), r"np.mean\(\) wants values", "x.mean()"),
    (lambda: np.where(X > 1, 2, 3), r"np.where\(\) wants values", "lf.when"),
    (lambda: np.maximum(X, 3), r"np.maximum\(\) wants values", "lf.max_horizontal"),
    (lambda: np.add.reduce(X), r"np.add.reduce\(\) wants values", "map_batches"),
    (lambda: np.sqrt(X, dtype="float32"), "takes no dtype", "leave it out"),
    (lambda: np.heaviside(X, 0.5), r"np.heaviside\(\) wants values", "map_batches"),
]

FRAMES = [
    (lambda: bool(FRAME), "a lazy frame has no truth value", "count"),
    (lambda: FRAME or None, "a lazy frame has no truth value", "count"),
    (lambda: not FRAME, "a lazy frame has no truth value", "count"),
    (lambda: len(FRAME), "a lazy frame has no length", "count"),
    (lambda: list(FRAME), "a lazy frame has no rows", "collect"),
    (lambda: sum(FRAME), "a lazy frame has no rows", "collect"),
    (lambda: sorted(FRAME), "a lazy frame has no rows", "collect"),
    (lambda: [row for row in FRAME], "a lazy frame has no rows", "collect_batches"),  # noqa: C416
    (lambda: FRAME["x"], r"no values before the query runs: frame\['x'\]", "frame.select"),
    (lambda: FRAME[0], r"no values before the query runs: frame\[0\]", "frame.slice"),
    (changed_frame, "a frame never changes", "with_columns(x=...)"),
    (deleted, "a frame never changes", "drop('x')"),
    (two_frames, "frames are not compared", "equals"),
    (lambda: FRAME != FRAME, "frames are not compared", "equals"),
    (lambda: FRAME in [FRAME.lazy()], "frames are not compared", "equals"),
    (lambda: FRAME > 3, "frames have no order", "frame.item() > 3"),
    (lambda: max(FRAME, FRAME), "frames have no order", "frame.item() > 3"),
    (lambda: FRAME + 1, "not computed with", "lf.all()"),
    (lambda: 2 * FRAME, "not computed with", "frame.item()"),
    (lambda: FRAME + FRAME, "not computed with", "lf.concat"),
    (lambda: -FRAME, "not computed with", "lf.all()"),
    (lambda: round(FRAME), "not computed with", "lf.all()"),
    (lambda: FRAME & FRAME, "not combined", "intersect"),
    (lambda: float(FRAME), "no number", "frame.item()"),
    (lambda: int(FRAME), "no number", "frame.item()"),
    (lambda: math.sqrt(FRAME), "no number", "frame.item()"),
    (lambda: range(FRAME), "no number", "frame.count()"),
    (lambda: hash(FRAME), "unhashable", "by names"),
    (lambda: {FRAME}, "unhashable", "by names"),
    (lambda: np.asarray(FRAME), "no array of values", "to_numpy"),
    (lambda: np.sqrt(FRAME), "takes arrays", "to_numpy"),
    (lambda: np.mean(FRAME), "takes arrays", "frame.select"),
    (lambda: np.float64(2) * FRAME, "takes arrays", "frame.select"),
]


@pytest.mark.parametrize(("use", "message", "advice"), EXPRESSIONS + FRAMES)
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


def test_attributes():
    with pytest.raises(AttributeError, match=r"no attribute 'x'; for the column write lf.col\('x'\)"):
        FRAME.x  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'y'$"):
        FRAME.y  # noqa: B018
    assert not hasattr(FRAME, "__dataframe__")


def test_what_works():
    assert sum([X, X, X]).__class__ is lf.Expr
    assert f"{X}" == str(X) == "{}".format(X) == "col('x')"  # noqa: UP032
    assert [each.__class__ for each in divmod(X, 2)] == [lf.Expr, lf.Expr]
    assert lf.from_dict({"x": [7]}).select(q=divmod(X, 2)[0], r=divmod(X, 2)[1], s=divmod(16, X)[1]).to_dicts() == [
        {"q": 3, "r": 1, "s": 2}
    ]
    assert X.__pos__() is X
    assert ("x" in FRAME, "y" in FRAME) == (True, False)
    assert X in [X]
    assert isinstance(np.float64(2) * X, lf.Expr)
    assert lf.from_dict({"x": [3]}).select(np.int64(2) + X).to_dict() == {"x": [5]}


def test_functions_of_numpy_on_expressions_are_ours():
    frame = lf.from_dict({"x": [0.25, 0.5], "y": [2.0, -3.0]})
    values = {name: np.array(column) for name, column in frame.to_dict().items()}
    for name in (
        "sqrt",
        "exp",
        "log",
        "log1p",
        "expm1",
        "sin",
        "arcsin",
        "tanh",
        "floor",
        "negative",
        "abs",
        "sign",
        "isnan",
    ):
        function = getattr(np, name)
        assert frame.select(v=function(X)).to_dict()["v"] == pytest.approx(list(function(values["x"])), rel=1e-15)
    for name in ("add", "subtract", "multiply", "divide", "power", "arctan2", "less", "floor_divide", "remainder"):
        function = getattr(np, name)
        found = frame.select(v=function(X, col("y"))).to_dict()["v"]
        assert found == pytest.approx(list(function(values["x"], values["y"])), rel=1e-15)
        found = frame.select(v=function(np.float64(2), X)).to_dict()["v"]
        assert found == pytest.approx(list(function(2.0, values["x"])), rel=1e-15)


def test_values_beside_an_expression_are_constants_or_refused():
    assert lf.from_dict({"x": [decimal.Decimal("1.5")]}).select(decimal.Decimal(2) * X).to_dict() == {
        "x": [decimal.Decimal("3.0")]
    }
    for given in (fractions.Fraction(1, 2), np.array([1.0, 2.0])):
        with pytest.raises(lf.errors.InvalidArgumentError, match="cannot stand in an expression"):
            given * X


@pytest.mark.parametrize(
    "use",
    [lambda: functools.reduce(operator.add, X), lambda: ", ".join(X), lambda: bytes(X), lambda: statistics.mean(X)],
)
def test_where_python_answers_in_our_place_it_is_a_type_error_still(use):
    with pytest.raises(TypeError):
        use()


def test_json_says_what_it_is():
    for value in (X, FRAME):
        with pytest.raises(TypeError, match=r"(Expr|LazyFrame) is not JSON serializable"):
            json.dumps(value)


def test_other_libraries_given_a_frame():
    assert pa.table(FRAME).to_pydict() == {"x": [1, 2]}
    assert np.asarray(FRAME.collect()).tolist() == [[1], [2]]
    pl = pytest.importorskip("polars")
    assert pl.DataFrame(FRAME).to_dict(as_series=False) == {"x": [1, 2]}


def test_pandas_given_a_frame_or_an_expression():
    pd = pytest.importorskip("pandas")
    with pytest.raises(lf.errors.LazyValueError):
        pd.DataFrame(FRAME)
    with pytest.raises(lf.errors.LazyValueError):
        pd.Series(FRAME)
    with pytest.raises(lf.errors.InvalidArgumentError, match="cannot stand in an expression"):
        pd.Series([1.0, 2.0]) * X
    with pytest.raises(lf.errors.LazyValueError):
        pd.Series([1.0, 2.0])[X]
