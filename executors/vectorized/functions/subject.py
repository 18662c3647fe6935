"""Kernels of functions of one column whose other arguments are nearly always constants: a pattern, a length, a format.

Such a kernel is written for constants, as Python values. Where one of them is a column after all, the rows are taken apart by
its distinct values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError, Value, broadcast
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

Run = Callable[..., pa.Array]
"""From the column, the constants, none of them null, and the `Arguments` by the name `arguments` to a column as long."""


def column(value: Value, rows: int, dtype: pa.DataType) -> pa.Array:
    """A value as a column of that many rows and of that type."""
    if rows == 0:
        return arrow.array([], dtype)
    found = broadcast(value, rows, dtype)
    return found if found.type == dtype else found.cast(dtype)


def of_columns(run: Callable[..., pa.Array]) -> Kernel:
    """A kernel from a function of columns of one length, and the `Arguments` by name."""

    def kernel(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
        constant = bool(values) and all(isinstance(value, pa.Scalar) for value in values)
        length = 1 if constant else rows
        columns = [column(value, length, t) for value, t in zip(values, arguments.types, strict=True)]
        result = run(*columns, arguments=arguments)
        return result[0] if constant else result

    return Kernel(kernel)


def of_subject(run: Run) -> Kernel:
    """A kernel from a function of a column and constants."""

    def kernel(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
        subject, *others = values
        if any(isinstance(other, pa.Scalar) and not other.is_valid for other in others):
            return arrow.scalar(None, arguments.result)
        if all(isinstance(other, pa.Scalar) for other in others):
            constants = [other.as_py() for other in others]
            if isinstance(subject, pa.Scalar):
                return run(column(subject, 1, arguments.types[0]), *constants, arguments=arguments)[0]
            return run(subject, *constants, arguments=arguments)
        return _by_distinct_constants(run, values, arguments, rows)

    return Kernel(kernel)


def _by_distinct_constants(run: Run, values: Sequence[Value], arguments: Arguments, rows: int) -> pa.Array:
    subject, *others = [column(value, rows, t) for value, t in zip(values, arguments.types, strict=True)]
    valid = np.ones(rows, dtype=bool)
    codes = np.zeros(rows, dtype=np.int64)
    for other in others:
        valid &= arrow.numpy_of(other.is_valid())
        indices = arrow.numpy_of(pc.fill_null(pc.dictionary_encode(other).indices, 0)).astype(np.int64)
        # Dense after each column, so that the product of two cannot overflow.
        codes = np.unique(codes * (int(indices.max(initial=0)) + 1) + indices, return_inverse=True)[1]
    present = np.flatnonzero(valid)
    order = present[np.argsort(codes[present], kind="stable")]
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    pieces = []
    for begin, end in zip(starts, [*starts[1:], len(order)], strict=True):
        positions = order[begin:end]
        constants = [other[int(positions[0])].as_py() for other in others]
        try:
            pieces.append(run(pc.take(subject, arrow.array(positions)), *constants, arguments=arguments))
        except KernelError as error:
            row = None if error.row is None else int(positions[error.row])
            raise KernelError(error.message, row, error.hint) from None
    if not pieces:
        return pa.nulls(rows, arguments.result)
    places = np.full(rows, -1, dtype=np.int64)
    places[order] = np.arange(len(order))
    return pc.array_take(pa.concat_arrays(pieces), arrow.array(places, mask=places < 0))


def by_row(function: Callable[..., Any]) -> Kernel:
    """A kernel from a function of Python values, called for the rows where no argument is null.

    The function may return None, and may raise `KernelError`.
    """

    def run(*columns: pa.Array, arguments: Arguments) -> pa.Array:
        found: list[Any] = []
        for row, items in enumerate(zip(*[c.to_pylist() for c in columns], strict=True)):
            if any(item is None for item in items):
                found.append(None)
                continue
            try:
                found.append(function(*items))
            except KernelError as error:
                raise KernelError(error.message, row, error.hint) from None
        return arrow.array(found, arguments.result)

    return of_columns(run)


def mapped(values: pa.Array, function: Callable[[Any], Any], dtype: pa.DataType) -> pa.Array:
    """`function` of each value that is not null, as Python values, computed once for each distinct one of them."""
    encoded = pc.dictionary_encode(values)
    entries = arrow.array(
        [None if entry is None else function(entry) for entry in encoded.dictionary.to_pylist()], dtype
    )
    return pc.array_take(entries, encoded.indices)
