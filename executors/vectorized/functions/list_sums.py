"""Sums and means of the items of lists."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions.list_items import ListItems, masked
from lazyframe.executors.vectorized.kernel import Arguments, KernelError
from lazyframe.planner import arrow
from lazyframe.planner.types import is_decimal, is_float, is_integer, type_name


def sums(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(_without_nulls(lists))
    empty = found.null | (found.lengths == 0)
    result = arguments.result
    item = lists.type.value_type
    if is_decimal(item):
        return _exactly(found, empty, lambda values: sum(values, decimal.Decimal(0)), result)
    if is_float(item):
        return masked(_reduce(found, arrow.numpy_of(found.items.cast(pa.float64()))), empty)
    width = pa.uint64() if result == pa.uint64() else pa.int64()
    totals = _integers(found, width)
    if totals is None:
        return _exactly(found, empty, sum, result)
    return masked(totals, empty).cast(result)


def means(lists: pa.Array, *, arguments: Arguments) -> pa.Array:
    found = ListItems(_without_nulls(lists))
    empty = found.null | (found.lengths == 0)
    result = arguments.result
    item = lists.type.value_type
    if is_decimal(item):
        step = decimal.Decimal(1).scaleb(-result.scale)

        def mean(values: list[Any]) -> decimal.Decimal:
            return (sum(values, decimal.Decimal(0)) / len(values)).quantize(step, decimal.ROUND_HALF_UP)

        return _exactly(found, empty, mean, result)
    if is_float(item):
        totals = _reduce(found, arrow.numpy_of(found.items.cast(pa.float64())))
    else:
        whole = _integers(found, pa.uint64() if item == pa.uint64() else pa.int64())
        if whole is None:
            return _exactly(found, empty, lambda values: sum(values) / len(values), result)
        totals = whole.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return masked(totals / np.maximum(found.lengths, 1), empty)


def _without_nulls(lists: pa.Array) -> pa.Array:
    found = ListItems(lists)
    return found.kept(arrow.numpy_of(found.items.is_valid())) if found.items.null_count else lists


def _reduce(found: ListItems, values: np.ndarray) -> np.ndarray:
    """Sums by list, from the first item to the last; 0 of empty lists."""
    totals = np.zeros(len(found.lengths), dtype=values.dtype)
    some = found.lengths > 0
    if some.any():
        with np.errstate(invalid="ignore", over="ignore"):
            totals[some] = np.add.reduceat(values, found.starts[some])
    return totals


def _integers(found: ListItems, width: pa.DataType) -> np.ndarray | None:
    """Sums of integers, or None where one may not fit."""
    items = found.items
    if not is_integer(items.type) and not pa.types.is_boolean(items.type):
        items = items.cast(pa.int64())
    values = arrow.numpy_of(items.cast(width))
    estimate = _reduce(found, np.abs(values.astype(np.float64)))
    return None if (estimate > 2.0**62).any() else _reduce(found, values)


def _exactly(
    found: ListItems, empty: np.ndarray, function: Callable[[list[Any]], Any], result: pa.DataType
) -> pa.Array:
    """By Python's numbers, which have no bounds."""
    items = found.items
    if pa.types.is_duration(items.type):
        items = items.cast(pa.int64())
    values = items.to_pylist()
    answers: list[Any] = []
    with decimal.localcontext(prec=100):
        for start, length, none in zip(found.starts.tolist(), found.lengths.tolist(), empty.tolist(), strict=True):
            answers.append(None if none else function(values[start : start + length]))
    try:
        return arrow.array(answers, pa.int64() if pa.types.is_duration(result) else result).cast(result)
    except (pa.ArrowInvalid, OverflowError):
        raise KernelError(f"the sum of a list does not fit in {type_name(result)}") from None
