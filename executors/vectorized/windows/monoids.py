"""What values of neighbouring rows are joined by: an associative operation with a neutral value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.aggregates.groups import Groups, Rows, taken
from lazyframe.executors.vectorized.aggregates.state import Numbering, State
from lazyframe.planner import arrow

Positions = npt.NDArray[np.intp]
Columns = tuple[npt.NDArray, ...]
"""Values of several parts: one array a part."""


class Monoid(Protocol):
    """An operation on vectors of values, each of which stands for a run of rows."""

    def empty(self, count: int) -> Any:
        """So many values of no rows."""
        ...

    def take(self, values: Any, at: Positions) -> Any: ...

    def append(self, values: Any, at: Positions, more: Any) -> Any:
        """The values, where those `at` are joined with `more`, whose rows come after. `values` may be changed."""
        ...

    def prepend(self, values: Any, at: Positions, more: Any) -> Any:
        """As `append`, where the rows of `more` come before."""
        ...


class Join(NamedTuple):
    """A monoid of values that are columns of numbers.

    Args:
        combine: joins two vectors of values, the first of which stands for the rows before.
        neutral: of each part, its type and the value for no rows.
    """

    combine: Callable[[Columns, Columns], Columns]
    neutral: tuple[tuple[Any, Any], ...]

    def empty(self, count: int) -> Columns:
        return tuple([np.full(count, value, dtype=dtype) for dtype, value in self.neutral])

    def take(self, values: Columns, at: Positions) -> Columns:
        return tuple([part.take(at) for part in values])

    def append(self, values: Columns, at: Positions, more: Columns) -> Columns:
        return self._put(values, at, self.combine(self.take(values, at), more))

    def prepend(self, values: Columns, at: Positions, more: Columns) -> Columns:
        return self._put(values, at, self.combine(more, self.take(values, at)))

    def _put(self, values: Columns, at: Positions, found: Columns) -> Columns:
        for part, new in zip(values, found, strict=True):
            part[at] = new
        return values


def _add(a: Columns, b: Columns) -> Columns:
    with np.errstate(all="ignore"):
        return (a[0] + b[0],)


FLOAT_SUM = Join(_add, ((np.float64, 0.0),))

_GREATEST = np.iinfo(np.int64).max
LEAST = Join(lambda a, b: (np.minimum(a[0], b[0]),), ((np.int64, _GREATEST),))
"""The least of numbers below 2**63 - 1, which stands for none."""


def _join_moments(a: Columns, b: Columns) -> Columns:
    """Sizes, means and sums of squared distances from them (Chan, Golub and LeVeque 1979).

    A mean is the sum of two floats: the rounding of one would be felt far from 0.
    """
    size_a, mean_a, rest_a, squares_a = a
    size_b, mean_b, rest_b, squares_b = b
    with np.errstate(all="ignore"):
        size = size_a + size_b
        away = (mean_b - mean_a) + (rest_b - rest_a)
        share = size_b / np.maximum(size, 1.0)
        step = away * share
        mean = mean_a + step
        taken_over = mean - mean_a
        rest = rest_a + ((mean_a - (mean - taken_over)) + (step - taken_over))
        return size, mean, rest, squares_a + squares_b + away * away * (size_a * share)


MOMENTS = Join(_join_moments, ((np.float64, 0.0),) * 4)


class OfState:
    """The states of an aggregate, merged as those of groups are."""

    __slots__ = ("_none", "_state")

    def __init__(self, state: State, types: tuple[pa.DataType, ...]) -> None:
        self._state = state
        self._none = [arrow.array([], dtype) for dtype in types]

    def leaves(self, columns: list[pa.Array]) -> Any:
        """The state of each row by itself."""
        count = len(columns[0])
        return self._state.start(Rows(Groups(np.arange(count), count, count), columns))

    def empty(self, count: int) -> Any:
        nothing = np.zeros(0, dtype=np.intp)
        return self._state.start(Rows(Groups(nothing, 0, count), self._none))

    def take(self, values: Any, at: Positions) -> Any:
        return _taken(values, at)

    def append(self, values: Any, at: Positions, more: Any) -> Any:
        return self._merge([values, more], at)

    def prepend(self, values: Any, at: Positions, more: Any) -> Any:
        return self._merge([more, values], at)

    def _merge(self, parts: list[Any], at: Positions) -> Any:
        sizes = [_count(part) for part in parts]
        total = max(sizes)
        numbers = [at if size < total else np.arange(total) for size in sizes]
        if sizes[0] == sizes[1]:
            numbers = [np.arange(total)] * 2
            assert np.array_equal(at, numbers[0])
        groups = Groups(np.concatenate(numbers), sum(sizes), total)
        return self._state.merge(parts, Numbering(numbers, groups))


def _taken(values: Any, at: Positions) -> Any:
    if isinstance(values, np.ndarray):
        return values.take(at)
    if isinstance(values, pa.Array):
        return taken(values, at)
    items = [_taken(item, at) for item in values]
    if isinstance(values, list):
        return items
    return tuple(items) if type(values) is tuple else type(values)(*items)


def _count(values: Any) -> int:
    return len(values) if isinstance(values, (np.ndarray, pa.Array)) else _count(values[0])
