"""The kernel of aggregates over the items of lists: the lists are the groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions.list_items import ListItems
from lazyframe.executors.vectorized.functions.subject import of_columns
from lazyframe.executors.vectorized.kernel import Arguments, Kernel
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.scalars import AggregateCall, Column


def _aggregate(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
    from lazyframe.executors.vectorized.aggregates import Groups, Rows, implementation

    options: dict[str, Any] = arguments.options
    if pa.types.is_null(arguments.result):
        return pa.nulls(len(lists))
    found = ListItems(lists)
    item = Column("item", lists.type.value_type, True)
    call = AggregateCall(options["aggregate"], (item,), options=options.get("with", ()))
    groups = Groups(found.rows.astype(np.intp), found.total, len(lists))
    values = implementation(call).of_all(Rows(groups, [found.items]))
    return pc.if_else(arrow.array(found.null), arrow.scalar(None, values.type), values) if found.null.any() else values


KERNELS: dict[str, Kernel] = {"list_aggregate": of_columns(_aggregate)}
