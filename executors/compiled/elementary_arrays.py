"""Kernels that compute elementary functions over whole arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from lazyframe.executors.compiled.array_kernel import ArrayKernel
from lazyframe.executors.compiled.functions.elementary import StagedLanes
from lazyframe.executors.compiled.kinds import F64
from lazyframe.executors.compiled.stage import DONE, Function
from lazyframe.executors.compiled.values import Together, Value
from lazyframe.executors.elementary import FUNCTIONS, Elementary
from lazyframe.executors.vectorized.aggregates.groups import LANES


def values_of(function: Elementary, arguments: Sequence[np.ndarray], *, is_busy: bool = False) -> np.ndarray | None:
    """The values of a function of contiguous arrays of float64; None where numpy computes them.

    Args:
        function: which.
        arguments: of one length.
        is_busy: whether numpy has computed many values of the function.
    """
    rows = len(arguments[0])
    kernel = _kernel(function.name).wanted_for(rows, is_busy=is_busy)
    if kernel is None:
        return None
    found = np.empty(rows)
    given = {f"argument{number}": array for number, array in enumerate(arguments)}
    kernel.call(found=found, rows=rows, **given)
    return found


@cache
def _kernel(name: str) -> ArrayKernel:
    return ArrayKernel(_write, FUNCTIONS[name])


def _write(cg: Function, function: Elementary) -> None:
    arguments = [cg.pointer(f"argument{number}", F64) for number in range(function.arity)]
    found = cg.pointer("found", F64)
    lanes = StagedLanes(cg)

    def put(index: Value) -> None:
        found[index] = function.compute(lanes, *[argument[index] for argument in arguments])

    together = cg.slot("rows") & -LANES
    with cg.for_range(0, together, step=LANES) as start:
        put(Together(cg, start))
    with cg.for_range(together, cg.slot("rows")) as row:
        put(row)
    cg.return_(DONE)
