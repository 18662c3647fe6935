"""Elementary functions at the edges of floats: what C's standard says (its annex F)."""

import math

import numpy as np
import pytest

from lazyframe.executors.elementary import FUNCTIONS
from lazyframe.executors.elementary.numpy_lanes import compute

NAN, INFINITE, LEAST, GREATEST = math.nan, math.inf, 5e-324, 1.7976931348623157e308

FINITE = ("tanh", "atanh", "sin", "cos", "tan", "cot", "asin", "acos", "atan")
"""Functions that infinity has no infinite value of."""

ONE_ARGUMENT = [
    *[(name, 0.0, 0.0) for name in ("expm1", "log1p", "tanh", "sinh", "asinh", "atanh", "cbrt")],
    *[(name, -0.0, -0.0) for name in ("expm1", "log1p", "tanh", "sinh", "asinh", "atanh", "cbrt")],
    *[(name, LEAST, LEAST) for name in ("expm1", "log1p", "tanh", "sinh", "asinh", "atanh")],
    *[(name, -LEAST, -LEAST) for name in ("expm1", "log1p", "tanh", "sinh", "asinh", "atanh")],
    *[(name, x, x) for name in ("sin", "tan", "asin", "atan", "degrees", "radians") for x in (0.0, -0.0)],
    *[(name, x, x) for name in ("sin", "tan", "asin", "atan") for x in (LEAST, -LEAST, 1e-300)],
    *[(name, x, NAN) for name in ("sin", "cos", "tan", "cot", "asin", "acos") for x in (INFINITE, -INFINITE)],
    ("cos", 0.0, 1.0), ("cot", 0.0, INFINITE), ("cot", -0.0, -INFINITE), ("cot", LEAST, INFINITE),
    ("asin", 1.0, math.pi / 2), ("asin", -1.0, -math.pi / 2), ("asin", 1.0000000000000002, NAN), ("acos", 1.0, 0.0),
    ("acos", -1.0, math.pi), ("acos", 0.0, math.pi / 2), ("acos", -1.5, NAN), ("atan", INFINITE, math.pi / 2),
    ("atan", -INFINITE, -math.pi / 2), ("atan", GREATEST, math.pi / 2), ("atan", 1.0, math.pi / 4), ("asin", 0.5, 0.5235987755982989),
    ("degrees", math.pi, 180.0), ("radians", 180.0, math.pi), ("sin", math.pi, 1.2246467991473532e-16),
    *[(name, NAN, NAN) for name in FUNCTIONS if FUNCTIONS[name].arity == 1],
    *[(name, INFINITE, INFINITE) for name in FUNCTIONS if FUNCTIONS[name].arity == 1 and name not in FINITE],
    *[(name, -INFINITE, -INFINITE) for name in ("sinh", "asinh", "cbrt")],
    *[(name, 0.0, -INFINITE) for name in ("ln", "log2", "log10")],
    *[(name, -0.0, -INFINITE) for name in ("ln", "log2", "log10")],
    *[(name, -LEAST, NAN) for name in ("ln", "log2", "log10")],
    *[(name, -INFINITE, NAN) for name in ("ln", "log2", "log10", "log1p", "acosh", "atanh")],
    *[(name, 1.0, 0.0) for name in ("ln", "log2", "log10", "acosh")],
    ("exp", -INFINITE, 0.0), ("exp", -746.0, 0.0), ("exp", -745.1, LEAST), ("exp", 709.8, INFINITE),
    ("exp", 709.78, 1.7928227943945155e308), ("exp", GREATEST, INFINITE), ("exp", -GREATEST, 0.0), ("exp", LEAST, 1.0),
    ("expm1", -INFINITE, -1.0), ("expm1", -50.0, -1.0), ("expm1", 710.0, INFINITE),
    ("log1p", -1.0, -INFINITE), ("log1p", -1.5, NAN), ("log1p", GREATEST, 709.782712893384),
    ("ln", LEAST, -744.4400719213812), ("ln", GREATEST, 709.782712893384), ("log2", LEAST, -1074.0),
    ("tanh", INFINITE, 1.0), ("tanh", -INFINITE, -1.0), ("tanh", 30.0, 1.0), ("tanh", GREATEST, 1.0),
    ("sinh", 711.0, INFINITE), ("sinh", -711.0, -INFINITE), ("cosh", -INFINITE, INFINITE), ("cosh", 711.0, INFINITE),
    ("cosh", -0.0, 1.0), ("acosh", 0.5, NAN), ("acosh", GREATEST, 710.475860073944), ("asinh", -GREATEST, -710.475860073944),
    ("atanh", 1.0, INFINITE), ("atanh", -1.0, -INFINITE), ("atanh", 1.5, NAN), ("atanh", INFINITE, NAN),
]  # fmt: skip


def same(a, b):
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def value(name, *arguments):
    return float(compute(FUNCTIONS[name], [np.array([a]) for a in arguments])[0])


@pytest.mark.parametrize(("name", "x", "expected"), ONE_ARGUMENT)
def test_of_one_argument(name, x, expected):
    assert same(value(name, x), expected)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        *[(x, 0.0, 1.0) for x in (0.0, -0.0, NAN, INFINITE, -INFINITE, -3.0, LEAST)],
        *[(1.0, y, 1.0) for y in (NAN, INFINITE, -INFINITE, 1e300)],
        *[(-1.0, y, 1.0) for y in (INFINITE, -INFINITE, 2.0, 1e300)],
        *[(0.0, y, INFINITE) for y in (-1.0, -2.0, -0.5, -INFINITE)],
        *[(-0.0, y, INFINITE) for y in (-2.0, -0.5, -INFINITE, -1e300)],
        *[(0.0, y, 0.0) for y in (1.0, 2.0, 0.5, INFINITE)],
        *[(-0.0, y, 0.0) for y in (2.0, 0.5, INFINITE)],
        *[(0.5, y, e) for y, e in ((INFINITE, 0.0), (-INFINITE, INFINITE), (1e300, 0.0), (-1e300, INFINITE))],
        *[(-2.0, y, e) for y, e in ((INFINITE, INFINITE), (-INFINITE, 0.0), (3.0, -8.0), (-3.0, -0.125), (0.5, NAN))],
        *[(-INFINITE, y, e) for y, e in ((3.0, -INFINITE), (2.0, INFINITE), (0.5, INFINITE), (-3.0, -0.0), (-0.5, 0.0))],
        (-0.0, -1.0, -INFINITE), (-0.0, 3.0, -0.0), (NAN, 1.0, NAN), (2.0, NAN, NAN), (INFINITE, 2.0, INFINITE),
        (INFINITE, -0.5, 0.0), (2.0, 1024.0, INFINITE), (2.0, -1074.0, LEAST), (2.0, -1076.0, 0.0), (-2.0, -1075.5, NAN),
        (1 + 2.0**-52, 1e18, 2.7086111089766717e96), (LEAST, 1.0, LEAST), (GREATEST, 1.0, GREATEST),
        (2.0, 9007199254740993.0, INFINITE), (-1.0, 9007199254740991.0, -1.0),
    ],
)  # fmt: skip
def test_powers(x, y, expected):
    assert same(value("power", x, y), expected)


@pytest.mark.parametrize(
    ("x", "base", "expected"),
    [(8.0, 2.0, 3.0), (0.0, 2.0, -INFINITE), (0.0, 0.5, INFINITE), (INFINITE, 2.0, INFINITE), (2.0, INFINITE, 0.0),
     (-1.0, 2.0, NAN), (2.0, -1.0, NAN), (1.0, 1.0, NAN), (2.0, 1.0, INFINITE), (NAN, 2.0, NAN), (2.0, NAN, NAN),
     (0.25, 2.0, -2.0), (2.0, 0.0, -0.0), (1.0, 7.0, 0.0)],
)  # fmt: skip
def test_logarithms_to_any_base(x, base, expected):
    assert same(value("log", x, base), expected)


PI, QUARTER = math.pi, math.pi / 4


@pytest.mark.parametrize(
    ("y", "x", "expected"),
    [
        (0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (0.0, -1.0, PI), (-0.0, -1.0, -PI), (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0),
        (0.0, -0.0, PI), (-0.0, -0.0, -PI), (1.0, 0.0, PI / 2), (-1.0, -0.0, -PI / 2), (1.0, 1.0, QUARTER), (-1.0, -1.0, -3 * QUARTER),
        (INFINITE, INFINITE, QUARTER), (INFINITE, -INFINITE, 3 * QUARTER), (-INFINITE, 5.0, -PI / 2), (2.0, INFINITE, 0.0),
        (-2.0, INFINITE, -0.0), (2.0, -INFINITE, PI), (-2.0, -INFINITE, -PI), (NAN, INFINITE, NAN), (1.0, NAN, NAN),
        (LEAST, 1.0, LEAST), (LEAST, LEAST, QUARTER), (GREATEST, GREATEST, QUARTER), (LEAST, -GREATEST, PI), (GREATEST, LEAST, PI / 2),
        (-LEAST, GREATEST, -0.0), (1e-310, 2e-310, 0.4636476090008061), (3e307, -1.5e308, 2.9441970937399127),
    ],
)  # fmt: skip
def test_angles_of_points(y, x, expected):
    assert same(value("atan2", y, x), expected)
