"""Central moments within a kernel: as `vectorized/aggregates/moments.py` computes them, operation by operation.

Distances are from the mean of a batch, which is known when all of its rows have been seen: so a group's rows are kept, and looked at
twice more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.datum import Datum, Number
from lazyframe.executors.compiled.kinds import F64, I64
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.taken import Taken
from lazyframe.executors.compiled.values import Pointer, Value
from lazyframe.executors.vectorized.aggregates.groups import LANES
from lazyframe.executors.vectorized.aggregates.moments import ROUNDING, Comoments, Moments, Pairs, Powers
from lazyframe.planner import arrow
from lazyframe.planner.types import FLOAT64, DataType

VISITS = 2
"""So often the rows of a batch are looked at again."""


class CentralMoments:
    """Of each group: its size, of each argument the mean as origin and rest, sums of products of distances from it.

    Args:
        state: the vectorized state.
        keyed: whether there are keys; otherwise each eighth of the rows is added up by itself, as `Groups.sum_of_rows` does.
    """

    is_branchless = False

    def __init__(self, state: Moments | Comoments, *, keyed: bool) -> None:
        self._order = state.order if isinstance(state, Moments) else 2
        self.arguments = 1 if isinstance(state, Moments) else 2
        self._sums = 1 + 2 * self.arguments
        self._products = self._order - 1 if self.arguments == 1 else 3
        self.total_words = self.end_words = self._sums + self._products
        # Behind what is kept of a batch is what is added up by eighths.
        self._lanes = 1 if keyed else LANES
        self.words = self.total_words + (0 if keyed else LANES * max(self.arguments, self._products))

    def begin(self, cg: Function, record: Pointer) -> None:
        numbers = record.of(F64)
        for place in range(self.words):
            numbers[place] = 0.0

    begin_total = begin

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum], taken: Taken) -> None:
        numbers = record.of(F64)
        lane = numbers[0].to(I64) & (LANES - 1) if self._lanes > 1 else None
        numbers[0] = numbers[0] + 1.0
        for i, datum in enumerate(arguments):
            assert isinstance(datum, Number)
            self._add(cg, record, i, 1 + 2 * i, lane, datum.value)

    def settle(self, cg: Function, record: Pointer, visit: int) -> None:
        """What is done with a record before its rows are looked at for the `visit`th time, and after the last."""
        if visit == 0:
            for i in range(self.arguments):
                self._mean(cg, record, i, 1 + 2 * i)
        elif visit == 1:
            for i in range(self.arguments):
                self._mean(cg, record, i, 2 + 2 * i)
        else:
            for i in range(self._products):
                self._collect(cg, record, i, self._sums + i)

    def revisit(self, cg: Function, record: Pointer, values: Sequence[Value], visit: int, number: Value) -> None:
        """Look at a row again; `number` is its place among those of this state."""
        numbers = record.of(F64)
        lane = number & (LANES - 1) if self._lanes > 1 else None
        if visit == 0:
            for i, value in enumerate(values):
                self._add(cg, record, i, 2 + 2 * i, lane, value - numbers[1 + 2 * i])
            return
        distances = []
        for i, value in enumerate(values):
            origin, rest = numbers[1 + 2 * i], numbers[2 + 2 * i]
            distances.append(_unless_rounding(cg, (value - origin) - rest, origin))
        for i, product in enumerate(self._products_of(distances)):
            self._add(cg, record, i, self._sums + i, lane, product)

    def _products_of(self, distances: Sequence[Value]) -> list[Value]:
        if len(distances) == 2:
            x, y = distances
            return [x * x, x * y, y * y]
        (distance,) = distances
        powers = [distance * distance]
        while len(powers) < self._products:
            powers.append(powers[-1] * distance)
        return powers

    def _add(self, cg: Function, record: Pointer, i: int, place: int, lane: Value | None, value: Value) -> None:
        numbers = record.of(F64)
        at = cg.lift(place, I64) if lane is None else lane + (self.total_words + LANES * i)
        numbers[at] = numbers[at] + value

    def _collect(self, cg: Function, record: Pointer, i: int, place: int) -> None:
        """Put the sum of the eighths of the rows at its place; what comes next begins with nothing."""
        if self._lanes == 1:
            return
        numbers = record.of(F64)
        lanes = [self.total_words + LANES * i + lane for lane in range(LANES)]
        a, b, c, d, e, f, g, h = (numbers[lane] for lane in lanes)
        numbers[place] = ((a + b) + (c + d)) + ((e + f) + (g + h))
        for lane in lanes:
            numbers[lane] = 0.0

    def _mean(self, cg: Function, record: Pointer, i: int, place: int) -> None:
        self._collect(cg, record, i, place)
        numbers = record.of(F64)
        numbers[place] = numbers[place].quotient(numbers[0])

    def add(self, cg: Function, total: Pointer, record: Pointer, same_batch: Callable[[], Value]) -> None:
        # A group has one record of a batch: `CompiledAggregation` looks for equal keys wherever there are moments.
        own, more = total.of(F64), record.of(F64)
        with cg.if_(more[0] > 0.0):
            with cg.if_(own[0] == 0.0) as first:
                for place in range(self.total_words):
                    own[place] = more[place]
            with first.otherwise():
                self._join(cg, own, more)

    def _join(self, cg: Function, own: Pointer, more: Pointer) -> None:
        n, m = own[0], more[0]
        below, above = [], []
        for i in range(self.arguments):
            origin, rest = own[1 + 2 * i], own[2 + 2 * i]
            apart = ((more[1 + 2 * i] - origin) + more[2 + 2 * i]) - rest
            apart = _unless_rounding(cg, apart, origin)
            step = apart * m.quotient(n + m)
            below.append(step)
            above.append(apart - step)
            own[2 + 2 * i] = rest + step
        before = [own[self._sums + i] for i in range(self._products)]
        after = [more[self._sums + i] for i in range(self._products)]
        if self.arguments == 2:
            for i, (x, y) in enumerate(((0, 0), (0, 1), (1, 1))):
                by, by_more = n * (below[x] * below[y]), m * (above[x] * above[y])
                own[self._sums + i] = (before[i] + by) + (after[i] + by_more)
        else:
            for i, (a, b) in enumerate(zip(_shifted(n, -below[0], before), _shifted(m, above[0], after), strict=True)):
                own[self._sums + i] = a + b
        own[0] = n + m

    def end(self, cg: Function, total: Pointer) -> list[Value]:
        return [total[place] for place in range(self.total_words)]

    def read(self, words: Sequence[np.ndarray]) -> Powers | Pairs:
        numbers = [word.view(np.float64) for word in words[: self.total_words]]
        if self.arguments == 2:
            return Pairs(*numbers)
        size, origin, rest, *sums = numbers
        return Powers(size, origin, rest, tuple(sums))

    def columns(self, state: Any) -> list[tuple[DataType, pa.Array]]:
        numbers = state if self.arguments == 2 else [*state[:3], *state.sums]
        return [(FLOAT64, arrow.array(column)) for column in numbers]

    def load(self, cg: Function, record: Pointer, columns: Sequence[Datum]) -> None:
        numbers = record.of(F64)
        for place, datum in enumerate(columns):
            assert isinstance(datum, Number)
            numbers[place] = datum.value


def _unless_rounding(cg: Function, distance: Value, origin: Value) -> Value:
    far, whole = cg.intrinsic("llvm.fabs", F64, distance), cg.intrinsic("llvm.fabs", F64, origin)
    return cg.choose(far < whole * ROUNDING, cg.lift(0.0, F64), distance)


def _shifted(size: Value, shift: Value, sums: Sequence[Value]) -> list[Value]:
    square = shift * shift
    found = [sums[0] + size * square]
    if len(sums) > 1:
        found.append((sums[1] + shift * 3.0 * sums[0]) + size * square * shift)
    if len(sums) > 2:
        found.append(((sums[2] + shift * 4.0 * sums[1]) + square * 6.0 * sums[0]) + size * square * square)
    return found
