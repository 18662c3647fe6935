"""Derivatives by differences: Richardson's extrapolation of central ones, which is good to some 1e-9."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import lazyframe as lf


def slope(value: Callable[[float], float], at: float, step: float = 1e-2) -> float:
    """The derivative of a function at a place."""
    table: list[list[float]] = []
    for row in range(5):
        h = step / 2**row
        found = [(value(at + h) - value(at - h)) / (2 * h)]
        for k, before in enumerate(table[-1] if table else []):
            found.append(found[k] + (found[k] - before) / (4 ** (k + 1) - 1))
        table.append(found)
    return table[-1][-1]


def slopes(loss: lf.LazyFrame, parameter: Any, step: float = 1e-2) -> Any:
    """The gradient of a loss by a parameter: a number, or an array of its shape."""

    def run(given: Any) -> float:
        return float(loss.collect(**{parameter.label: given}).item())

    if not parameter.shape:
        return slope(run, parameter.value, step)
    found = np.zeros(parameter.shape)
    for place in np.ndindex(*parameter.shape):

        def moved(value: float, place: tuple[int, ...] = place) -> float:
            changed = parameter.value.copy()
            changed[place] = value
            return run(changed)

        found[place] = slope(moved, parameter.value[place], step)
    return found
