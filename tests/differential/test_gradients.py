"""Generated expressions and plans: their derivatives, and those of these, beside differences."""

from __future__ import annotations

import numpy as np
import pytest

import lazyframe as lf
from lazyframe import col
from tests.differences import slopes
from tests.differential.gradient_cases import FACTS, Ours, column_expression, plan

EXPRESSIONS, PLANS = 200, 60


def directions(ours, loss):
    """A number whose gradient are second derivatives: a sum of the first, each with a weight."""
    first = lf.grad(loss, [ours.a, ours.b, ours.w])
    return first.select(s=col("a") * 0.3 - col("b") * 0.7 + col("w").list.get(0) + col("w").list.get(2) * 0.5)


@pytest.mark.parametrize("seed", range(EXPRESSIONS))
def test_expression(seed):
    ours = Ours()
    value = ours.value(column_expression(seed), None)
    slope = lf.grad(value, wrt="x")
    bend = lf.grad(slope, wrt="x")
    # By a parameter that is 0 and added to the column.
    h = lf.param("h", 0.0)
    row = lf.DataFrame(FACTS).slice(seed % 7, 1).with_columns(x=col("x") + h)
    found = row.select(s=slope, b=bend).to_dicts()[0]
    assert found["s"] == pytest.approx(slopes(row.select(value), h, 2e-3), rel=1e-6, abs=1e-6)
    assert found["b"] == pytest.approx(slopes(row.select(slope), h, 2e-3), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(PLANS))
def test_plan(seed):
    ours = Ours()
    loss = ours.loss(plan(seed))
    value, found = lf.value_and_grad(loss, [ours.a, ours.b, ours.w])
    assert value == pytest.approx(loss.item(), rel=1e-12)
    for parameter, gradient in zip((ours.a, ours.b, ours.w), found, strict=True):
        np.testing.assert_allclose(gradient, slopes(loss, parameter, 2e-4), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(0, PLANS, 6))
def test_second_derivatives_of_a_plan(seed):
    ours = Ours()
    total = directions(ours, ours.loss(plan(seed)))
    _, (found,) = lf.value_and_grad(total, [ours.a])
    assert found == pytest.approx(slopes(total, ours.a, 2e-4), rel=1e-6, abs=1e-6)
