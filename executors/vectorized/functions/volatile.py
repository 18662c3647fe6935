"""Kernels of functions whose value is another each time."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence

import pyarrow as pa

from lazyframe.executors.vectorized.kernel import Arguments, Kernel, Value
from lazyframe.planner import arrow


def _now(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    """Where a query runs, this is a constant already: see `planner/clock.py`."""
    return arrow.scalar(dt.datetime.now(dt.UTC), arguments.result)


def _uuid(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    return arrow.array([str(uuid.uuid4()) for _ in range(rows)], pa.string())


KERNELS: dict[str, Kernel] = {"now": Kernel(_now), "uuid": Kernel(_uuid)}
