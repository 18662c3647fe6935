"""Elementary functions against values of many digits: below one unit in the last place, and exact where the value is a float."""

import numpy as np
import pytest

from lazyframe.executors.elementary import FUNCTIONS
from lazyframe.executors.elementary.numpy_lanes import compute
from tests.executors.elementary.reference import units_off

RANDOM = np.random.default_rng(20)
COUNT = 150


def between(least, greatest):
    return RANDOM.uniform(least, greatest, COUNT)


def sizes(least, greatest):
    """Numbers of all sizes."""
    return np.exp(RANDOM.uniform(np.log(least), np.log(greatest), COUNT))


def both_signs(x):
    return np.concatenate([x, -x])


NEAR_ONE = 1 + both_signs(sizes(1e-15, 0.3))
POSITIVE = np.concatenate([sizes(1e-307, 1e308), between(0, 3), NEAR_ONE, sizes(5e-324, 1e-308)])
ANGLES = np.concatenate(
    [
        between(-1e6, 1e6),
        between(-4, 4),
        both_signs(sizes(1e-40, 1)),
        np.pi / 4 * np.arange(1, 300),
        between(-1000, 1000),
    ]
)

CASES = {
    "exp": (0.65, [np.concatenate([between(-745, 709.7), between(-1, 1), both_signs(sizes(1e-20, 1))])]),
    "expm1": (
        0.75,
        [np.concatenate([between(-50, 709.7), between(-1, 1), both_signs(sizes(1e-40, 1)), between(30, 45)])],
    ),
    "ln": (0.75, [POSITIVE]),
    "log1p": (0.75, [np.concatenate([between(-1, 1), sizes(1e-20, 1e300), -sizes(1e-20, 0.99)])]),
    "log2": (0.51, [POSITIVE]),
    "log10": (0.51, [POSITIVE]),
    "log": (0.51, [sizes(1e-300, 1e300), sizes(1e-3, 1e3)]),
    "tanh": (0.75, [np.concatenate([between(-25, 25), between(-1, 1), both_signs(sizes(1e-40, 1))])]),
    "sinh": (0.95, [np.concatenate([between(-710.4, 710.4), between(-1, 1), both_signs(sizes(1e-40, 1))])]),
    "cosh": (0.75, [np.concatenate([between(-710.4, 710.4), between(-1, 1), both_signs(sizes(1e-40, 1))])]),
    "asinh": (0.51, [both_signs(np.concatenate([sizes(1e-40, 1e300), between(0, 3)]))]),
    "acosh": (0.51, [np.concatenate([1 + sizes(1e-15, 1e300), between(1, 3)])]),
    "atanh": (0.51, [np.concatenate([between(-1, 1), both_signs(sizes(1e-40, 1)), 1 - sizes(1e-15, 1)])]),
    "power": (0.7, [sizes(1e-20, 1e20), between(-15, 15)]),
    "cbrt": (0.51, [both_signs(np.concatenate([sizes(1e-300, 1e300), sizes(5e-324, 1e-308), between(0, 30)]))]),
    "sin": (0.8, [ANGLES]),
    "cos": (0.85, [ANGLES]),
    "tan": (0.95, [ANGLES]),
    "cot": (0.95, [ANGLES]),
    "asin": (0.7, [np.concatenate([between(-1, 1), both_signs(sizes(1e-40, 1)), 1 - sizes(1e-15, 1)])]),
    "acos": (0.7, [np.concatenate([between(-1, 1), both_signs(sizes(1e-40, 1)), 1 - sizes(1e-15, 1)])]),
    "atan": (0.7, [both_signs(np.concatenate([sizes(1e-40, 1e300), between(0, 3)]))]),
    "atan2": (0.7, [both_signs(sizes(1e-300, 1e300)), np.concatenate([between(-5, 5), sizes(1e-20, 1e20)])]),
    "degrees": (1.0, [both_signs(sizes(1e-300, 1e300))]),
    "radians": (1.0, [both_signs(sizes(1e-300, 1e300))]),
}


@pytest.mark.parametrize("name", CASES)
def test_errors_are_below_one_unit_in_the_last_place(name):
    most, arguments = CASES[name]
    found = compute(FUNCTIONS[name], arguments)
    off = [
        units_off(name, given, value)
        for *given, value in zip(*[a.tolist() for a in arguments], found.tolist(), strict=True)
    ]
    assert max(off) < most, [a[int(np.argmax(off))] for a in arguments]


def test_powers_near_one_with_large_exponents():
    x, y = 1 + both_signs(sizes(1e-6, 1e-2)), both_signs(between(-60000, 60000))
    found = compute(FUNCTIONS["power"], [x, y])
    off = [
        units_off("power", (a, b), c)
        for a, b, c in zip(x.tolist(), y.tolist(), found.tolist(), strict=True)
        if 1e-300 < c < 1e300
    ]
    assert len(off) > COUNT
    assert max(off) < 0.7


def test_angles_of_points_near_axes_and_diagonals():
    random = np.random.default_rng(4)
    x, size = random.normal(size=800) * 10.0 ** random.integers(-290, 290, 800), 10.0 ** random.integers(-20, 20, 800)
    y = np.concatenate([x[:400] * size[:400], x[400:] * random.uniform(-3, 3, 400)])
    found = compute(FUNCTIONS["atan2"], [y, x])
    off = [units_off("atan2", (a, b), c) for a, b, c in zip(y.tolist(), x.tolist(), found.tolist(), strict=True)]
    assert max(off) < 0.7


def test_every_function_is_tried():
    assert set(CASES) == set(FUNCTIONS)


def value(name, *arguments):
    return compute(FUNCTIONS[name], [np.array([float(a)]) for a in arguments])[0]


def test_values_that_are_floats_are_exact():
    for n in range(-1074, 1024):
        assert value("log2", 2.0**n) == n
    for n in range(-307, 309):
        assert value("log10", float(f"1e{n}")) == n
    for n in range(2, 400):
        assert value("cbrt", n**3) == n
        assert value("cbrt", -(n**3) / 8) == -n / 2
    for n in range(2, 40):
        for exponent in range(34):
            if n**exponent < 2**53:
                assert value("power", n, exponent) == n**exponent
                assert value("power", -n, exponent) == (-n) ** exponent
                assert exponent == 0 or value("log", n**exponent, n) == exponent
    assert value("power", 6.25, 1.5) == 15.625
    assert value("exp", 0) == value("cosh", 0) == 1


@pytest.mark.parametrize(("name", "near"), [("exp", 0.0), ("exp", 1.0), ("exp", -0.34657359), ("ln", 1.0), ("ln", 0.70710678),
                                            ("expm1", 0.0), ("log1p", 0.0), ("tanh", 0.5), ("cbrt", 1.0), ("atan", 1.0),
                                            ("atan", 0.4142135623730), ("asin", 0.5), ("sin", 0.785398163397)])  # fmt: skip
def test_neighbours_come_in_order(name, near):
    x = [near]
    for _ in range(2000):
        x.append(float(np.nextafter(x[-1], 9)))
    found = compute(FUNCTIONS[name], [np.array(x)])
    assert (np.diff(found) >= 0).all()
