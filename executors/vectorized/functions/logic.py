"""Kernels of three-valued logic, and of nulls."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lazyframe.executors.batch import narrowed
from lazyframe.executors.vectorized.functions.layout import elementwise
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError, Value, plain
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import DataType, is_decimal, is_null


def null_rows(value: Value) -> Value:
    """Where a value in any layout is null."""
    if isinstance(value, pa.Scalar):
        return arrow.scalar(not value.is_valid)
    if isinstance(value, pa.DictionaryArray) and value.dictionary.null_count:
        # An entry of the dictionary may be null as well.
        return pc.array_take(value.dictionary, value.indices).is_null()
    return value.is_null()


def _coalesce(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    dtype = arguments.result
    candidates: list[Value] = []
    for value in values:
        if pa.types.is_null(value.type) or (isinstance(value, pa.Scalar) and not value.is_valid):
            continue
        candidates.append(value)
        if isinstance(value, pa.Scalar) or (not isinstance(value, pa.DictionaryArray) and value.null_count == 0):
            break
    if is_null(dtype) or not candidates:
        return arrow.scalar(None, dtype)
    if len(candidates) == 1:
        return candidates[0]
    return pc.coalesce(*_alike(candidates, dtype))


def _alike(values: Sequence[Value], dtype: DataType) -> list[Value]:
    """The values in one layout."""
    if is_decimal(dtype):
        columns = [narrowed(v) for v in values if isinstance(v, pa.Array)]
        constants = [narrowed(arrow.array([v], dtype)) for v in values if isinstance(v, pa.Scalar)]
        if all(c.type == pa.int64() for c in (*columns, *constants)):
            # A constant ends the list: nothing after it is ever taken.
            return [*columns, *(c[0] for c in constants)]
    return [plain(v, dtype) for v in values]


def _only_value(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    value, count = values
    several = pc.greater(count, 1)
    found = pc.index(several, True).as_py() if isinstance(several, pa.Array) else (0 if several.as_py() else -1)
    if found >= 0:
        raise KernelError(
            "a scalar subquery gives more than one row", found, hint="add LIMIT 1, or an aggregate such as max(...)"
        )
    return value


KERNELS: dict[str, Kernel] = {
    "and": Kernel(lambda values, arguments, rows: pc.and_kleene(*values)),
    "or": Kernel(lambda values, arguments, rows: pc.or_kleene(*values)),
    "xor": Kernel(elementwise(lambda values, arguments, rows: pc.xor(*values))),
    "not": Kernel(elementwise(lambda values, arguments, rows: pc.invert(*values))),
    "is_null": Kernel(lambda values, arguments, rows: null_rows(*values), encoded=True),
    "is_not_null": Kernel(lambda values, arguments, rows: pc.invert(null_rows(*values)), encoded=True),
    "coalesce": Kernel(_coalesce, encoded=True),
    "detach": Kernel(lambda values, arguments, rows: values[0], encoded=True),
    "only_value": Kernel(_only_value, encoded=True),
}
