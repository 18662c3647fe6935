"""Optimizers beside the formulas they stand for, and `lf.fit`."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lazyframe as lf
from lazyframe.errors import EvaluationError, InvalidArgumentError, TypeMismatchError


def quadratic():
    w = lf.param("w", 1.0)
    return w, (w - 3) ** 2


class TestSgd:
    def test_plain_steps(self):
        w, loss = quadratic()
        optimizer = lf.optim.SGD([w], lr=0.1)
        expected = 1.0
        for _ in range(5):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            expected -= 0.1 * 2 * (expected - 3)
            assert w.value == pytest.approx(expected, rel=1e-15)

    @pytest.mark.parametrize("nesterov", [False, True])
    def test_momentum_and_decay(self, nesterov):
        w, loss = quadratic()
        history = lf.fit(
            loss, [w], lf.optim.SGD([w], lr=0.05, momentum=0.8, weight_decay=0.1, nesterov=nesterov), steps=6
        )
        value, speed = 1.0, 0.0
        for seen in history.losses:
            assert seen == pytest.approx((value - 3) ** 2, rel=1e-13)
            slope = 2 * (value - 3) + 0.1 * value
            speed = 0.8 * speed + slope
            value -= 0.05 * (slope + 0.8 * speed if nesterov else speed)
        assert w.value == pytest.approx(value, rel=1e-13)


def test_adam():
    w = lf.param("w", np.array([1.0, -2.0]))
    loss = (w[0] - 3) ** 2 + w[1] ** 4
    lf.fit(loss, [w], lf.optim.Adam([w], lr=0.1, betas=(0.8, 0.9), weight_decay=0.01), steps=7)
    value, m, v = np.array([1.0, -2.0]), np.zeros(2), np.zeros(2)
    for step in range(1, 8):
        g = np.array([2 * (value[0] - 3), 4 * value[1] ** 3]) + 0.01 * value
        m, v = 0.8 * m + 0.2 * g, 0.9 * v + 0.1 * g * g
        value = value - 0.1 * (m / (1 - 0.8**step)) / (np.sqrt(v / (1 - 0.9**step)) + 1e-8)
    np.testing.assert_allclose(w.value, value, rtol=1e-12)


def test_linear_regression_finds_the_least_squares():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    y = 2 * x - 1 + rng.normal(size=200) * 0.1
    w, b = lf.param("w", 0.0), lf.param("b", 0.0)
    loss = lf.from_dict({"x": x.tolist(), "y": y.tolist()}).select(((w * lf.col("x") + b - lf.col("y")) ** 2).mean())
    lf.fit(loss, [w, b], lf.optim.SGD([w, b], lr=0.3), steps=100)
    assert [w.value, b.value] == pytest.approx(np.polyfit(x, y, 1).tolist(), rel=1e-8)


def test_a_loss_that_becomes_nan():
    w = lf.param("w", 1.0)
    frame = lf.from_dict({"x": [1.0, 4.0]})
    loss = frame.with_columns(p=(w * lf.col("x")).log()).select(lf.col("p").sum())
    with pytest.raises(EvaluationError) as caught:
        lf.fit(loss, [w], lf.optim.SGD([w], lr=10.0), steps=5)
    text = str(caught.value)
    assert "the loss became nan in step 2, with w = -19.0; it began in the column 'p'" in text
    assert ".log()" in text
    assert math.isfinite(w.value)


def test_an_optimizer_of_other_parameters():
    """Those that fit() has no gradients of would move by ones that are left over, and those that it lacks would stay."""
    v, w = lf.param("v", 1.0), lf.param("w", 1.0)
    with pytest.raises(InvalidArgumentError, match="the optimizer has not 'w'"):
        lf.fit(w * w, [w], lf.optim.SGD([v]), steps=1)
    (v * v).backward()
    with pytest.raises(InvalidArgumentError, match="the optimizer has 'v' as well"):
        lf.fit(w * w, [w], lf.optim.SGD([w, v]), steps=1)
    assert (v.value, w.value) == (1.0, 1.0)


def test_refusals():
    w, n, free = lf.param("w", 1.0), lf.param("n", 1), lf.param("free")
    with pytest.raises(TypeMismatchError, match="int64"):
        lf.optim.SGD([n])
    with pytest.raises(InvalidArgumentError, match="no value to start from"):
        lf.optim.Adam([free])
    with pytest.raises(InvalidArgumentError, match="is none"):
        lf.optim.SGD([lf.col("x")])
    with pytest.raises(InvalidArgumentError, match="0 or more"):
        lf.optim.SGD([w], lr=-1.0)
    for rate in (None, "0.1", math.inf, math.nan):
        with pytest.raises(InvalidArgumentError, match="lr is a number of 0 or more"):
            lf.optim.SGD([w], lr=rate)
    with pytest.raises(InvalidArgumentError, match="betas are two numbers"):
        lf.optim.Adam([w], betas=(0.9, "0.99"))
    with pytest.raises(InvalidArgumentError, match="at least one"):
        lf.optim.SGD([])
    with pytest.raises(InvalidArgumentError, match=r"lf\.optim\.SGD or"):
        lf.fit(w * w, [w], 0.1, steps=1)
