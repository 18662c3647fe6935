"""The values of a group as one: a list, or strings joined."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import decoded
from lazyframe.executors.vectorized.aggregates.collected import holistic
from lazyframe.executors.vectorized.aggregates.groups import Rows
from lazyframe.executors.vectorized.aggregates.state import Aggregate
from lazyframe.executors.vectorized.kernel import Arguments, KernelError
from lazyframe.executors.vectorized.keys import sort_indices
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import DataType

_MOST = (1 << 31) - 1


def list_(arguments: Arguments) -> Aggregate:
    """All values in order, nulls too; null for a group without rows."""
    (dtype,) = arguments.types
    return holistic(arguments.types, lambda rows: _gathered(rows, dtype), present=())


def string_agg(arguments: Arguments) -> Aggregate:
    """The strings joined, nulls left out."""
    (dtype,) = arguments.types
    separator = str(arguments.options.get("separator", ","))
    return holistic(arguments.types, lambda rows: pc.binary_join(_gathered(rows, dtype), separator), present=(0,))


def _gathered(rows: Rows, dtype: DataType) -> pa.Array:
    groups, (column,) = rows.groups, rows.columns
    if groups.rows > _MOST:
        raise KernelError(f"a list column holds at most {_MOST} values, not {groups.rows}")
    if groups.count > 1:
        column = pc.take(column, arrow.array(sort_indices([arrow.array(groups.codes)], [False], [False])))
    sizes = groups.sizes
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    empty = sizes == 0
    return pa.ListArray.from_arrays(
        arrow.array(offsets), decoded(column, dtype), mask=arrow.array(empty) if empty.any() else None
    )
