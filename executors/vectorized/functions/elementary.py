"""Kernels of elementary functions: exponentials, logarithms, powers.

They are computed by the same operations in the same order as in kernels, so that the bits are the same. Numpy takes some 50 ns a value
for them; where rows are many, a kernel over whole arrays takes one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lazyframe.executors.compile_from import calls_for_kernels
from lazyframe.executors.vectorized.functions.integers import numpy_operand
from lazyframe.executors.vectorized.functions.layout import Run, arrow_array, elementwise, joint_validity, numpy_type
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, Value

if TYPE_CHECKING:
    from lazyframe.executors.elementary import Elementary

NAMES = (
    "exp", "expm1", "ln", "log1p", "log2", "log10", "log", "tanh", "sinh", "cosh", "asinh", "acosh", "atanh", "cbrt",
    "sin", "cos", "tan", "cot", "asin", "acos", "atan", "atan2", "degrees", "radians",
)  # fmt: skip
"""All but power, of which floats are one of the cases: see arithmetic.py. How they are computed is loaded by the first."""

_MANY_VALUES = 1_000_000
"""When numpy has computed so many values of a function, which took it some 50 ms, a kernel pays, however few come at a time."""

_WORTH_A_CALL = 200

_by_numpy: dict[str, int] = {}
"""How many values of each function numpy has computed; those of long ones count four times."""


def _of(name: str) -> Run:
    def run(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
        return column(name, values, arguments)

    return elementwise(run)


def column(name: str, values: Sequence[Value], arguments: Arguments) -> pa.Array:
    """The values of a function of floats, of which those of 32 bits are rounded from 64."""
    from lazyframe.executors.elementary import FUNCTIONS

    found = _evaluate(FUNCTIONS[name], [numpy_operand(value) for value in values])
    with np.errstate(all="ignore"):
        found = found.astype(numpy_type(arguments.result), copy=False)
    return arrow_array(found, arguments.result, joint_validity(values))


def _evaluate(function: Elementary, operands: Sequence[np.ndarray]) -> np.ndarray:
    """As float64; an operand of no dimension stands for all rows."""
    shape = np.broadcast_shapes(*[operand.shape for operand in operands])
    given = [np.ascontiguousarray(np.broadcast_to(operand, shape), np.float64) for operand in operands]
    found = _by_kernel(function, given)
    if found is None:
        from lazyframe.executors.elementary.numpy_lanes import compute

        found = compute(function, given)
    if function.limit is not None:
        _patch(found, given[0], function.limit, function.beyond)
    return found


def _by_kernel(function: Elementary, given: Sequence[np.ndarray]) -> np.ndarray | None:
    rows, before = len(given[0]), _by_numpy.get(function.name, 0)
    is_busy = before >= _MANY_VALUES and rows >= _WORTH_A_CALL
    found = None
    if is_busy or calls_for_kernels(rows):
        from lazyframe.executors.compiled.elementary_arrays import values_of

        found = values_of(function, given, is_busy=is_busy)
    if found is None:
        # Of two threads that come here at once one may not count.
        _by_numpy[function.name] = before + rows * (4 if function.is_long else 1)
    return found


def _patch(found: np.ndarray, x: np.ndarray, limit: float, beyond: Callable[[float], float] | None) -> None:
    """Where an argument is beyond a limit, the value is Python's."""
    assert beyond is not None
    size = np.abs(x)
    for row in np.flatnonzero((size > limit) & (size < np.inf)).tolist():
        found[row] = beyond(float(x[row]))


KERNELS: dict[str, Kernel] = {name: Kernel(_of(name)) for name in NAMES}
