"""Logistic regression over rows in memory, all of them in each step, beside PyTorch and JAX where they are installed.

All compute in 64 bits. They get the features as they like them: a matrix of rows, and we columns. What is measured is the loss with the
gradients of all parameters, whose values are others in each run; and a whole training of some steps, planning included.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import lazyframe as lf
from benchmarks.options import Options
from benchmarks.runner import OURS, Case, measure
from lazyframe import col
from lazyframe.prepared_losses import PreparedLoss
from lazyframe.walks_back import asked

_ROWS, _FEATURES, _STEPS, _RATE = 6_000_000, 8, 10, 0.5

Floats = npt.NDArray[np.float64]
Stage = Callable[[Floats], tuple[float, Floats]]
"""From weights, of which the last is the bias, to the loss and its gradient."""


class Rows(NamedTuple):
    """What is learned from.

    Args:
        features: a row each.
        labels: 0.0 or 1.0.
    """

    features: Floats
    labels: Floats


def cases(options: Options) -> Iterator[Case]:
    rows = _rows(int(_ROWS * (options.scale or 1)))
    size = f"{len(rows.labels):,} rows, {_FEATURES} features"
    for form in ("stable", "as written"):
        stages = {OURS: _ours(rows, form)}
        if importlib.util.find_spec("torch"):
            stages["torch"] = _torch(rows, form)
        if importlib.util.find_spec("jax"):
            stages["jax"] = _jax(rows, form)
        _check(stages)
        yield measure(
            f"logistic loss ({form}) and gradients, {size}",
            {name: _turns(stage) for name, stage in stages.items()},
            rounds=options.rounds or 7,
        )
        yield measure(
            f"logistic regression ({form}), {_STEPS} steps, {size}",
            {name: _fitted(rows, form) if name == OURS else _trained(stage) for name, stage in stages.items()},
            rounds=options.rounds or 3,
        )


def _rows(count: int) -> Rows:
    random = np.random.default_rng(5)
    features = random.normal(size=(count, _FEATURES))
    weights = random.normal(size=_FEATURES) / 2
    likely = 1 / (1 + np.exp(-(features @ weights + 0.3)))
    return Rows(features, (random.random(count) < likely).astype(np.float64))


def _check(stages: dict[str, Stage]) -> None:
    """All give the same, to nine digits of what is large and to 1e-10 of what is small."""
    weights = np.linspace(-0.4, 0.6, _FEATURES + 1)
    found = {name: stage(weights) for name, stage in stages.items()}
    value, gradient = found[OURS]
    for name, (other, slope) in found.items():
        np.testing.assert_allclose(value, other, rtol=1e-9, err_msg=name)
        np.testing.assert_allclose(gradient, slope, rtol=1e-9, atol=1e-10, err_msg=name)


def _turns(stage: Stage) -> Callable[[], pa.Table]:
    """Runs of a stage with other weights each."""
    weights = itertools.cycle([np.linspace(-0.4, 0.6, _FEATURES + 1) * scale for scale in (1.0, 0.5, 0.1)])

    def run() -> pa.Table:
        value, gradient = stage(next(weights))
        return pa.table({"found": [value, *gradient.tolist()]})

    return run


def _trained(stage: Stage) -> Callable[[], pa.Table]:
    def run() -> pa.Table:
        weights = np.zeros(_FEATURES + 1)
        losses = []
        for _ in range(_STEPS):
            value, gradient = stage(weights)
            losses.append(value)
            weights = weights - _RATE * gradient
        return pa.table({"found": [*losses, *weights.tolist()]})

    return run


def _loss(rows: Rows, form: str, params: Sequence[Any]) -> lf.LazyFrame:
    *weights, bias = params
    columns = {f"x{number}": np.ascontiguousarray(rows.features[:, number]) for number in range(_FEATURES)}
    frame = lf.from_arrow(pa.table({**columns, "y": rows.labels}))
    z, y = bias, col("y")
    for number, weight in enumerate(weights):
        z = z + weight * col(f"x{number}")
    if form == "stable":
        return frame.select(((-z.abs()).exp().log1p() + lf.max_horizontal(z, 0.0) - y * z).mean())
    p = 1 / (1 + (-z).exp())
    return frame.select((-(y * p.log() + (1 - y) * (1 - p).log())).mean())


def _params() -> list[Any]:
    return [lf.param(f"w{number}", 0.0) for number in range(_FEATURES)] + [lf.param("b", 0.0)]


def _ours(rows: Rows, form: str) -> Stage:
    params = _params()
    prepared = PreparedLoss(*asked(_loss(rows, form, params), params))

    def stage(weights: Floats) -> tuple[float, Floats]:
        for param, weight in zip(params, weights.tolist(), strict=True):
            param.value = weight
        value, gradients = prepared.run()
        return value, np.array(gradients)

    return stage


def _fitted(rows: Rows, form: str) -> Callable[[], pa.Table]:
    """Our own loop."""
    params = _params()
    loss = _loss(rows, form, params)

    def run() -> pa.Table:
        for param in params:
            param.value = 0.0
        history = lf.fit(loss, params, lf.optim.SGD(params, lr=_RATE), steps=_STEPS)
        return pa.table({"found": [*history.losses, *[param.value for param in params]]})

    return run


def _torch(rows: Rows, form: str) -> Stage:
    import torch

    torch.set_num_threads(os.cpu_count() or 1)
    features, labels = torch.from_numpy(rows.features), torch.from_numpy(rows.labels)
    functional = torch.nn.functional

    def stage(weights: Floats) -> tuple[float, Floats]:
        given = torch.tensor(weights, requires_grad=True)
        z = features @ given[:-1] + given[-1]
        if form == "stable":
            loss = functional.binary_cross_entropy_with_logits(z, labels)
        else:
            loss = functional.binary_cross_entropy(torch.sigmoid(z), labels)
        loss.backward()
        return loss.item(), given.grad.numpy()

    return stage


def _jax(rows: Rows, form: str) -> Stage:
    import jax

    jax.config.update("jax_enable_x64", True)
    numpy = jax.numpy
    features, labels = numpy.asarray(rows.features), numpy.asarray(rows.labels)

    def loss(weights: Any, features: Any, labels: Any) -> Any:
        z = features @ weights[:-1] + weights[-1]
        if form == "stable":
            return numpy.mean(jax.nn.softplus(z) - labels * z)
        p = jax.nn.sigmoid(z)
        return numpy.mean(-(labels * numpy.log(p) + (1 - labels) * numpy.log(1 - p)))

    both = jax.jit(jax.value_and_grad(loss))

    def stage(weights: Floats) -> tuple[float, Floats]:
        value, gradient = both(numpy.asarray(weights), features, labels)
        return float(value), np.asarray(gradient)

    return stage
