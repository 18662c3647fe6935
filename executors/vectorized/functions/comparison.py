"""Kernels of comparison, all in one total order."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lazyframe.executors.batch import decoded, narrowed
from lazyframe.executors.vectorized.functions.layout import elementwise, one_row
from lazyframe.executors.vectorized.functions.logic import null_rows
from lazyframe.executors.vectorized.functions.membership import is_in
from lazyframe.executors.vectorized.functions.total_order import compare
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, Value, broadcast, plain
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import DataType, is_decimal, is_null


def _comparison(name: str) -> Kernel:
    def run(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
        return compare(name, *values, *arguments.types)

    return Kernel(elementwise(run), encoded=True)


_equal = _comparison("equal").run


def _equal_missing(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    a, b = values
    equal = _equal(values, arguments, rows)
    if isinstance(equal, pa.Array) and equal.null_count == 0:
        return equal
    # Where the answer is null so is one of the two: then they are the same if the other is as well.
    return pc.coalesce(equal, pc.and_(null_rows(a), null_rows(b)))


def _not_equal_missing(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    return pc.invert(_equal_missing(values, arguments, rows))


def _extreme(name: str, values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    """The first of the values that are before (`less`) or after (`greater`) all others; nulls don't count."""
    dtype = arguments.result
    candidates = [v for v in values if not (isinstance(v, pa.Scalar) and not v.is_valid)]
    if is_null(dtype) or not candidates:
        return arrow.scalar(None, dtype)
    if all(isinstance(v, pa.Scalar) for v in candidates):
        column = _extreme(name, [one_row(v) for v in candidates], arguments, 1)
        return decoded(broadcast(column, 1, dtype), dtype)[0]
    best, *others = _alike(candidates, dtype, rows)
    for other in others:
        ahead = compare(name, other, best, dtype, dtype)
        if ahead.null_count:
            ahead = pc.coalesce(ahead, best.is_null())
        best = pc.if_else(ahead, other, best)
    return best


def _alike(values: Sequence[Value], dtype: DataType, rows: int) -> list[pa.Array]:
    """The values as columns in one layout."""
    columns = [broadcast(v, rows, dtype) for v in values]
    if is_decimal(dtype):
        narrow = [narrowed(c) for c in columns]
        if all(c.type == pa.int64() for c in narrow):
            return narrow
    return [plain(c, dtype) for c in columns]


KERNELS: dict[str, Kernel] = {
    name: _comparison(name) for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
} | {
    "equal_missing": Kernel(_equal_missing, encoded=True),
    "not_equal_missing": Kernel(_not_equal_missing, encoded=True),
    "is_in": Kernel(is_in, encoded=True),
    "least": Kernel(lambda values, arguments, rows: _extreme("less", values, arguments, rows), encoded=True),
    "greatest": Kernel(lambda values, arguments, rows: _extreme("greater", values, arguments, rows), encoded=True),
}
