"""The same generated expressions and plans as in `test_gradients.py`, beside PyTorch in float64, where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

import lazyframe as lf
from tests.differential.gradient_cases import FACTS, Ours, column_expression, plan
from tests.differential.test_gradients import EXPRESSIONS, PLANS, directions

torch = pytest.importorskip("torch")

TOLERANCE = {"rtol": 1e-9, "atol": 1e-9}


@pytest.mark.parametrize("seed", range(EXPRESSIONS))
def test_expression(seed):
    from tests.differential.gradient_torch import Theirs

    ours, theirs, tree = Ours(), Theirs(), column_expression(seed)
    value = ours.value(tree, None)
    slope = lf.grad(value, wrt="x")
    found = lf.DataFrame(FACTS).select(v=value, s=slope, b=lf.grad(slope, wrt="x")).to_dict()
    columns = theirs.facts()
    columns["x"].requires_grad_()
    v = theirs.value(tree, columns)
    (s,) = torch.autograd.grad(v.sum(), columns["x"], create_graph=True)
    (b,) = torch.autograd.grad(s.sum(), columns["x"], allow_unused=True) if s.requires_grad else (None,)
    for name, expected in (("v", v), ("s", s), ("b", torch.zeros(len(s)) if b is None else b)):
        np.testing.assert_allclose(found[name], expected.detach().numpy(), **TOLERANCE)


@pytest.mark.parametrize("seed", range(PLANS))
def test_plan(seed):
    from tests.differential.gradient_torch import Theirs

    ours, theirs, case = Ours(), Theirs(), plan(seed)
    loss = ours.loss(case)
    value, found = lf.value_and_grad(loss, [ours.a, ours.b, ours.w])
    _, second = lf.value_and_grad(directions(ours, loss), [ours.a, ours.b, ours.w])
    expected = theirs.loss(case)
    wanted = [theirs.a, theirs.b, theirs.w]
    first = torch.autograd.grad(expected, wanted, create_graph=True)
    weighted = first[0] * 0.3 - first[1] * 0.7 + first[2][0] + first[2][2] * 0.5
    assert value == pytest.approx(expected.item(), rel=1e-9)
    for mine, other in zip(found, first, strict=True):
        np.testing.assert_allclose(mine, other.detach().numpy(), **TOLERANCE)
    for mine, other in zip(second, torch.autograd.grad(weighted, wanted), strict=True):
        np.testing.assert_allclose(mine, other.numpy(), **TOLERANCE)
