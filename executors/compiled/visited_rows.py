"""The rows that some states of groups look at, kept by a kernel as it goes: the number of each row's group, and the arguments.

States look at them again once the groups of the batch are known, or they are what is kept of the batch.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.datum import Datum, Number, kind_of
from lazyframe.executors.compiled.kinds import I64, Kind
from lazyframe.executors.compiled.outputs import NUMPY, column_of
from lazyframe.executors.compiled.program import Frame
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Value, Variable
from lazyframe.planner.types import DataType


class VisitedRows:
    """Rows as arrays.

    Args:
        name: of their places in the frame.
        types: of the arguments, which are numbers and not null.
        keyed: whether there are groups to be told.
        kept: whether they are handed out; otherwise the arrays are used for the next batch.
    """

    def __init__(self, name: str, types: Sequence[DataType], *, keyed: bool, kept: bool) -> None:
        self._name = name
        self._types = types
        self._kinds = [_kind(dtype) for dtype in types]
        self._keyed = keyed
        self._kept = kept
        self._scratch = threading.local()

    def lend(self, frame: Frame, room: int) -> list[np.ndarray]:
        """Arrays for so many rows."""
        arrays: list[np.ndarray] | None = None if self._kept else getattr(self._scratch, "arrays", None)
        if arrays is None or len(arrays[0]) < room:
            kinds = [I64] * self._keyed + self._kinds
            arrays = self._scratch.arrays = [np.empty(room, dtype=NUMPY[kind.name]) for kind in kinds]
        for name, array in zip(self._names(), arrays, strict=True):
            frame.lend(name, array)
        return arrays

    def found(self, frame: Frame, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, list[pa.Array]]:
        """The groups and the arguments of the rows of a batch, which are not used again."""
        count = frame[f"{self._name}.count"]
        if 2 * count < len(arrays[0]):
            arrays = [array[:count].copy() for array in arrays]
        groups, *columns = arrays if self._keyed else [np.zeros(count, dtype=np.int64), *arrays]
        found = [column_of(column[:count], None, dtype) for column, dtype in zip(columns, self._types, strict=True)]
        return groups[:count], found

    def write(self, cg: Function, count: Variable, group: Value | None, values: Sequence[Datum]) -> None:
        """Keep one more row."""
        place = count.get()
        if group is not None:
            cg.pointer(self._names()[0], I64)[place] = group
        for name, kind, datum in zip(self._names()[self._keyed :], self._kinds, values, strict=True):
            assert isinstance(datum, Number)
            cg.pointer(name, kind)[place] = datum.value
        count.set(place + 1)

    def tell(self, cg: Function, count: Variable) -> None:
        """Say how many there are."""
        cg.put(f"{self._name}.count", count.get())

    @contextmanager
    def each(self, cg: Function, count: Variable) -> Iterator[tuple[Value, Value | None, list[Value]]]:
        """A loop over them: the number of each, its group and its arguments."""
        with cg.for_range(0, count.get()) as number:
            group = cg.pointer(self._names()[0], I64)[number] if self._keyed else None
            names = zip(self._names()[self._keyed :], self._kinds, strict=True)
            yield number, group, [cg.pointer(name, kind)[number] for name, kind in names]

    def _names(self) -> list[str]:
        return [f"{self._name}.group"] * self._keyed + [f"{self._name}.{i}" for i in range(len(self._types))]


def can_be_visited(types: Sequence[DataType]) -> bool:
    """Whether rows of such arguments can be kept: numbers of up to 64 bits."""
    kinds = [kind_of(dtype) for dtype in types]
    return all(kind is not None and kind.bits <= 64 for kind in kinds)


def _kind(dtype: DataType) -> Kind:
    kind = kind_of(dtype)
    assert kind is not None
    return kind
