"""What aggregates need that are functions of all rows of a group at once: the rows, kept as the vectorized state keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.datum import Datum
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.taken import Taken
from lazyframe.executors.compiled.values import Pointer, Value
from lazyframe.planner.types import DataType


class CollectRows:
    """A state that is not in the record of a group: `visits.py` keeps the rows."""

    words = total_words = end_words = 0
    is_branchless = False

    def begin(self, cg: Function, record: Pointer) -> None:
        """Nothing, as everything below."""

    begin_total = begin

    def update(self, cg: Function, record: Pointer, arguments: Sequence[Datum], taken: Taken) -> None: ...

    def add(self, cg: Function, total: Pointer, record: Pointer, same_batch: Callable[[], Value]) -> None: ...

    def end(self, cg: Function, total: Pointer) -> list[Value]:
        return []

    def read(self, words: Sequence[np.ndarray]) -> object:
        raise AssertionError("rows are read from where they were kept")

    def columns(self, state: Any) -> list[tuple[DataType, pa.Array]]:
        return []

    def load(self, cg: Function, record: Pointer, columns: Sequence[Datum]) -> None: ...
