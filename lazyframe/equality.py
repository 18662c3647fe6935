"""Whether two tables hold the same rows, where null equals null and NaN equals NaN."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lazyframe.planner import arrow
from lazyframe.planner.types import is_float, is_nested


def same_rows(a: pa.Table, b: pa.Table) -> bool:
    """Whether two tables with the same columns have the same values in the same order."""
    if a.num_rows != b.num_rows:
        return False
    return all(_same(x, y) for x, y in zip(a.columns, b.columns, strict=True))


def _same(a: pa.ChunkedArray, b: pa.ChunkedArray) -> bool:
    from lazyframe.planner import arrow_compute as pc

    if a.equals(b):
        return True
    # Arrow has NaN differ from itself.
    if is_float(a.type):
        nan_in_a, nan_in_b = pc.is_nan(a), pc.is_nan(b)
        zero = arrow.scalar(0, a.type)
        return bool(nan_in_a.equals(nan_in_b) and pc.if_else(nan_in_a, zero, a).equals(pc.if_else(nan_in_b, zero, b)))
    return is_nested(a.type) and all(_alike(x.as_py(), y.as_py()) for x, y in zip(a, b, strict=True))


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_alike(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(_alike(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b or (a != a and b != b))  # noqa: PLR0124 - NaN alone differs from itself
