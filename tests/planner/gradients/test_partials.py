"""The rule of each scalar function, beside differences of the function itself."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.expr import Expr, call
from lazyframe.planner.functions.table import FUNCTIONS
from lazyframe.planner.gradients.partials import PARTIALS, STEPS
from tests.differences import slope

x, y = lf.col("x"), lf.col("y")

# Where each function of one number is looked at, inside its domain.
POINTS = {
    "abs": [-1.5, 2.0], "negate": [0.5], "sqrt": [0.3, 4.0], "cbrt": [-2.0, 0.7], "exp": [-1.0, 2.0],
    "expm1": [-0.5, 1e-3], "ln": [0.2, 3.0], "log2": [0.2, 3.0], "log10": [0.2, 3.0], "log1p": [-0.5, 2.0],
    "sin": [0.3, 2.5], "cos": [0.3, 2.5], "tan": [-0.7, 1.1], "cot": [0.4, 2.0], "asin": [-0.6, 0.5],
    "acos": [-0.6, 0.5], "atan": [-2.0, 0.5], "sinh": [-1.0, 2.0], "cosh": [-1.0, 2.0], "tanh": [-1.0, 0.2],
    "asinh": [-1.0, 2.0], "acosh": [1.5, 4.0], "atanh": [-0.5, 0.3], "degrees": [1.0], "radians": [50.0],
    "gamma": [-1.5, 0.5, 3.2], "log_gamma": [-1.5, 0.5, 3.2],
}  # fmt: skip
PAIRS = {
    "add": [(1.0, 2.0)], "subtract": [(1.0, 2.0)], "multiply": [(1.5, -2.0)], "divide": [(1.5, -2.0)],
    "power": [(1.5, 2.5), (2.0, -1.0), (0.7, 3.0)], "modulo": [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.1)],
    "truncated_modulo": [(7.5, 2.0), (-7.5, 2.1)], "log": [(3.0, 2.0), (0.4, 7.0)], "atan2": [(1.0, 2.0), (-1.0, -0.5)],
    "greatest": [(1.0, 2.0), (3.0, 2.0)], "least": [(1.0, 2.0), (3.0, 2.0)], "coalesce": [(1.0, 2.0)],
}  # fmt: skip


def value(expression: Expr, **at: float | None) -> float:
    columns = {name: pa.array([v], pa.float64()) for name, v in at.items()}
    return lf.from_arrow(pa.table(columns)).select(expression).item()


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("order", [1, 2])
def test_function_of_one_number(name, order):
    function = call(name, x)
    for _ in range(order - 1):
        function = (
            lf.grad(function, "x")
            if name not in {"abs", "negate", "degrees", "radians"}
            else lf.grad(x * function, "x")
        )
    for at in POINTS[name]:
        expected = slope(lambda v: value(function, x=v), at)
        assert value(lf.grad(function, "x"), x=at) == pytest.approx(expected, rel=2e-9, abs=1e-9)


@pytest.mark.parametrize("name", PAIRS)
def test_function_of_two_numbers(name):
    function = call(name, x, y)
    for a, b in PAIRS[name]:
        for by, expected in (
            ("x", slope(lambda v: value(function, x=v, y=b), a)),  # noqa: B023
            ("y", slope(lambda v: value(function, x=a, y=v), b)),  # noqa: B023
        ):
            assert value(lf.grad(function, by), x=a, y=b) == pytest.approx(expected, rel=2e-9, abs=1e-9)


def test_every_rule_is_tested():
    assert set(PARTIALS) - {"only_value"} == set(POINTS) | (set(PAIRS) - {"greatest", "least", "coalesce"})
    assert set(PARTIALS) <= set(FUNCTIONS)


def gives_floats_of_floats(name):
    """Whether a function takes floats and gives one; those whose options say what they give are looked at by themselves."""
    function = FUNCTIONS[name]
    least, most = function.arity
    if name == "python_function":
        return False
    for count in range(max(least, 1), (4 if most is None else min(most, 4)) + 1):
        try:
            found = function.resolver((pa.float64(),) * count, {})
        except KeyError:
            continue  # an option of dates, lists or intervals
        if found is not None and pa.types.is_floating(found.result) and any(map(pa.types.is_floating, found.arguments)):
            return True
    return False


def test_every_function_of_floats_has_a_rule():
    smooth = {name for name in FUNCTIONS if gives_floats_of_floats(name)}
    assert len(smooth) > 40
    assert smooth - set(PARTIALS) - STEPS == {"detach", "greatest", "least", "coalesce", "polygamma"}


class TestCorners:
    """Where the function has a corner, or the formula an expression without a value."""

    def test_magnitude_at_zero(self):
        assert value(lf.grad(x.abs(), "x"), x=0.0) == 0.0

    def test_an_exponent_of_zero_that_moves(self):
        # d2/dx dy x^y is x^(y - 1) (1 + y ln x), and (1 + x)^x is 1 + x^2 - x^3 / 2 + ...
        for at in (2.0, 0.5):
            assert value(lf.grad(lf.grad(x**y, "x"), "y"), x=at, y=0.0) == 1 / at
        once = lf.grad((x + 1.0) ** x, "x")
        twice = lf.grad(once, "x")
        assert [value(e, x=0.0) for e in (once, twice, lf.grad(twice, "x"))] == [0.0, 2.0, -3.0]
        # The first derivative is 0 where no other has a value.
        assert value(lf.grad(x**y, "x"), x=0.0, y=0.0) == 0.0
        assert value(lf.grad(x**y, "x"), x=math.nan, y=0.0) == 0.0
        assert value(lf.grad(x**y, "x"), x=math.inf, y=0.0) == 0.0

    def test_powers_at_zero(self):
        assert value(lf.grad(x**2, "x"), x=0.0) == 0.0
        assert value(lf.grad(x**1, "x"), x=0.0) == 1.0
        assert value(lf.grad(x**y, "x"), x=0.0, y=0.0) == 0.0
        assert value(lf.grad(x**y, "y"), x=0.0, y=2.0) == 0.0

    def test_ties_share_evenly(self):
        highest = lf.max_horizontal(x * 3, y, lf.lit(6.0))
        assert value(lf.grad(highest, "x"), x=2.0, y=6.0) == pytest.approx(1.0)
        assert value(lf.grad(highest, "x"), x=2.0, y=1.0) == 1.5
        assert value(lf.grad(lf.min_horizontal(x, y), "x"), x=2.0, y=2.0) == 0.5

    def test_greatest_leaves_nulls_out(self):
        highest = lf.max_horizontal(x * 3, y)
        assert value(lf.grad(highest, "x"), x=2.0, y=None) == 3.0

    def test_a_branch_that_is_not_taken_gives_nothing_not_even_nan(self):
        safe = lf.when(x > 0).then(x.log() + 1 / x).otherwise(x * 2)
        assert value(lf.grad(safe, "x"), x=0.0) == 2.0
        assert value(lf.grad(safe, "x"), x=-1.0) == 2.0
        assert value(lf.grad(safe, "x"), x=2.0) == pytest.approx(0.5 - 0.25)
        assert value(lf.grad(lf.grad(safe, "x"), "x"), x=0.0) == 0.0

    def test_a_branch_that_is_not_taken_is_not_computed(self):
        n = lf.col("n")
        guarded = lf.when(n != 0).then(x * (10 // n)).otherwise(x)
        frame = lf.from_dict({"x": [1.5, 1.5], "n": [0, 5]})
        assert frame.select(lf.grad(guarded, "x")).to_dict() == {"x": [1.0, 2.0]}

    def test_a_null_has_no_derivative(self):
        assert value(lf.grad(x * x, "x"), x=None) is None
        assert value(lf.grad(x.fill_null(1.0) * 2, "x"), x=None) == 0.0
        assert value(lf.grad(x * y + y.fill_null(1.0), "x"), x=2.0, y=None) is None

    def test_clip(self):
        clipped = lf.grad(x.clip(-1.0, 1.0) * 3, "x")
        assert [value(clipped, x=v) for v in (-2.0, 0.5, 2.0)] == [0.0, 3.0, 0.0]

    def test_casts_between_floats(self):
        narrow = x.cast("float32").cast("float64") * 2
        assert value(lf.grad(narrow, "x"), x=1.0) == 2.0
        assert value(lf.grad(x.cast("decimal(10,2)").cast("float64") + x, "x"), x=1.0) == 1.0

    def test_steps_add_nothing(self):
        assert value(lf.grad(x * x.floor(), "x"), x=2.5) == 2.0
        assert value(lf.grad(x * (x > 1).cast("float64"), "x"), x=2.5) == 1.0

    def test_what_is_used_twice_is_added_up(self):
        square = x * x
        assert value(lf.grad(square * square + square, "x"), x=2.0) == 4 * 8 + 4

    def test_a_deep_chain(self):
        deep = x
        for _ in range(2000):
            deep = deep * 1.001
        assert value(lf.grad(deep, "x"), x=3.0) == pytest.approx(1.001**2000)

    def test_a_ladder_of_branches_stays_small(self):
        ladder = x
        for _ in range(40):
            ladder = lf.when(ladder > 1).then(ladder * 0.5).otherwise(ladder * 1.5)
        expected = slope(lambda v: value(ladder, x=v), 1.3, 1e-4)
        assert value(lf.grad(ladder, "x"), x=1.3) == pytest.approx(expected, rel=1e-6)

    def test_third_derivative(self):
        third = lf.grad(lf.grad(lf.grad(x.sin() * x.exp(), "x"), "x"), "x")
        assert value(third, x=0.4) == pytest.approx(math.exp(0.4) * 2 * (math.cos(0.4) - math.sin(0.4)), rel=1e-12)
