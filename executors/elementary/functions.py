"""The elementary functions by the names of the registry."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from lazyframe.executors.elementary import exponential, hyperbolic, logarithm, power, trigonometric
from lazyframe.executors.elementary.lanes import Floats


class Elementary(NamedTuple):
    """A function of floats.

    Args:
        name: in the registry.
        arity: of how many.
        compute: from lanes and its arguments to its value.
        is_long: whether it takes more than a hundred operations.
        limit: the greatest magnitude of the first argument for which `compute` is right, if there is one.
        beyond: the function of Python's for what is larger.
    """

    name: str
    arity: int
    compute: Callable[..., Floats]
    is_long: bool = False
    limit: float | None = None
    beyond: Callable[[float], float] | None = None


FUNCTIONS = {
    found.name: found
    for found in (
        Elementary("exp", 1, exponential.exp),
        Elementary("expm1", 1, exponential.expm1),
        Elementary("ln", 1, logarithm.ln),
        Elementary("log1p", 1, logarithm.log1p),
        Elementary("log2", 1, logarithm.log2, is_long=True),
        Elementary("log10", 1, logarithm.log10, is_long=True),
        Elementary("log", 2, logarithm.log, is_long=True),
        Elementary("tanh", 1, hyperbolic.tanh),
        Elementary("sinh", 1, hyperbolic.sinh, is_long=True),
        Elementary("cosh", 1, hyperbolic.cosh, is_long=True),
        Elementary("asinh", 1, hyperbolic.asinh, is_long=True),
        Elementary("acosh", 1, hyperbolic.acosh, is_long=True),
        Elementary("atanh", 1, hyperbolic.atanh, is_long=True),
        Elementary("power", 2, power.power, is_long=True),
        Elementary("cbrt", 1, power.cbrt, is_long=True),
        Elementary("sin", 1, trigonometric.sin, limit=trigonometric.MOST, beyond=math.sin),
        Elementary("cos", 1, trigonometric.cos, limit=trigonometric.MOST, beyond=math.cos),
        Elementary("tan", 1, trigonometric.tan, limit=trigonometric.MOST, beyond=math.tan),
        Elementary("cot", 1, trigonometric.cot, limit=trigonometric.MOST, beyond=lambda x: 1 / math.tan(x)),
        Elementary("asin", 1, trigonometric.asin),
        Elementary("acos", 1, trigonometric.acos),
        Elementary("atan", 1, trigonometric.atan),
        Elementary("atan2", 2, trigonometric.atan2, is_long=True),
        Elementary("degrees", 1, lambda lanes, x: x * (180 / math.pi)),
        Elementary("radians", 1, lambda lanes, x: x * (math.pi / 180)),
    )
}
