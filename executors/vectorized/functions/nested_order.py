"""Lists, structs and maps compared as values: element by element, a null inside as the greatest."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from lazyframe.executors.vectorized.kernel import Value
from lazyframe.planner import arrow

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip


def compare_nested(name: str, a: Value, b: Value) -> pa.Array:
    rows = len(a) if isinstance(a, pa.Array) else len(b)
    test = _OPERATORS[name]
    pairs = zip(_values(a, rows), _values(b, rows), strict=True)
    return arrow.array(
        [None if x is None or y is None else test(order_key(x), order_key(y)) for x, y in pairs], pa.bool_()
    )


def _values(value: Value, rows: int) -> list[Any]:
    return value.to_pylist() if isinstance(value, pa.Array) else [value.as_py()] * rows


def order_key(value: Any) -> Any:
    """A Python object that compares and hashes as the value shall."""
    if value is None:
        return (1,)
    if isinstance(value, dict):
        return (0, tuple(order_key(v) for v in value.values()))
    if isinstance(value, list | tuple):
        return (0, tuple(order_key(v) for v in value))
    if isinstance(value, float):
        return (0, value != value, 0.0 if value != value else value)  # noqa: PLR0124
    return (0, value)
