"""Arrow columns as numpy sees them, and back. What stands under a null is never looked at, or never matters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import decoded, validity_buffer
from lazyframe.executors.vectorized.kernel import Arguments, Value
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.graph import repeated
from lazyframe.planner.types import DataType, is_float, is_unsigned

if TYPE_CHECKING:
    # To load it takes longer than all of this package.
    import numpy.typing as npt

Run = Callable[[Sequence[Value], Arguments, int], Value]
Mask: TypeAlias = "npt.NDArray[np.bool_]"

INTERVAL_PARTS = np.dtype([("months", "<i4"), ("days", "<i4"), ("nanos", "<i8")])


def elementwise(run: Run) -> Run:
    """A kernel that gives null where an argument is null: constants are dealt with here.

    `run` then sees at least one column, and no constant that is null. Where all arguments are constants they come to it as
    columns of one row.
    """

    def constant_aware(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
        columns = 0
        for value in values:
            if pa.types.is_null(value.type) or (isinstance(value, pa.Scalar) and not value.is_valid):
                return arrow.scalar(None, arguments.result)
            columns += isinstance(value, pa.Array)
        if columns:
            return run(values, arguments, rows)
        result = run([one_row(value) for value in values], arguments, 1)
        return decoded(result, arguments.result)[0] if isinstance(result, pa.Array) else result

    return constant_aware


def one_row(value: pa.Scalar) -> pa.Array:
    """A column of one row."""
    return repeated(value)


def numpy_type(dtype: DataType) -> type[np.generic]:
    """The type of numpy's that holds the values of a type of numbers.

    Asking Arrow would import pandas, where that is installed.
    """
    return _NUMPY_TYPES[dtype]


_NUMPY_TYPES: dict[DataType, type[np.generic]] = {
    pa.int8(): np.int8, pa.int16(): np.int16, pa.int32(): np.int32, pa.int64(): np.int64,
    pa.uint8(): np.uint8, pa.uint16(): np.uint16, pa.uint32(): np.uint32, pa.uint64(): np.uint64,
    pa.float16(): np.float16, pa.float32(): np.float32, pa.float64(): np.float64,
}  # fmt: skip


def numpy_values(array: pa.Array) -> npt.NDArray:
    """The numbers under a column of fixed width, times and dates as integers; no copy."""
    kind = array.type
    sign = "f" if is_float(kind) else "u" if is_unsigned(kind) else "i"
    return buffer_values(array, np.dtype(f"{sign}{kind.bit_width // 8}"))


def interval_values(array: pa.Array) -> npt.NDArray:
    """The parts of intervals, as records."""
    return buffer_values(array, INTERVAL_PARTS)


def buffer_values(array: pa.Array, dtype: np.dtype) -> npt.NDArray:
    data = array.buffers()[1]
    if data is None or len(array) == 0:
        return np.zeros(len(array), dtype)
    return np.frombuffer(data, dtype, count=len(array), offset=array.offset * dtype.itemsize)


def number(value: pa.Scalar) -> int | float:
    """A constant as the number that stands for it in a column: a date as its days, a timestamp as its ticks."""
    return numpy_values(one_row(value))[0].item()


def arrow_array(values: npt.NDArray, dtype: pa.DataType, validity: pa.Buffer | None) -> pa.Array:
    """A column over numpy values of the type's width."""
    if values.dtype == np.bool_:
        data = arrow.array(values).buffers()[1]
    else:
        data = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(dtype, len(values), [validity, data])


def joint_validity(values: Sequence[Value]) -> pa.Buffer | None:
    """The validity bitmap of rows in which no column is null; None where that is everywhere."""
    columns = [value for value in values if isinstance(value, pa.Array) and value.null_count]
    if len(columns) < 2:
        return validity_buffer(columns[0]) if columns else None
    valid = columns[0].is_valid()
    for column in columns[1:]:
        valid = pc.and_(valid, column.is_valid())
    return valid.buffers()[1]


def valid_rows(values: Sequence[Value]) -> Mask | None:
    """In which rows no column is null; None where that is in all."""
    valid: Mask | None = None
    for value in values:
        if isinstance(value, pa.Array) and value.null_count:
            mine = arrow.numpy_of(value.is_valid())
            valid = mine if valid is None else valid & mine
    return valid


def first_row(bad: Mask | np.bool_, values: Sequence[Value]) -> int | None:
    """The first row that is `bad` and not null."""
    valid = valid_rows(values)
    found = np.flatnonzero(bad if valid is None else bad & valid)
    return int(found[0]) if len(found) else None


def at(value: Value, row: int) -> object:
    """The value at a row, for a message; timestamps of a zone in UTC."""
    scalar = value[row] if isinstance(value, pa.Array) else value
    kind = scalar.type
    if pa.types.is_duration(kind):
        return f"{number(scalar)} {kind.unit}"
    if not pa.types.is_temporal(kind) or kind == pa.month_day_nano_interval():
        return scalar.as_py()
    from lazyframe.executors.vectorized.calendar_text import calendar_text

    # Python's own dates and times have no room for all of Arrow's.
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return calendar_text(one_row(scalar).view(pa.timestamp(kind.unit)))[0].as_py() + "Z"
    return calendar_text(one_row(scalar))[0].as_py()


def bounds(value: Value) -> tuple[int, int]:
    """The least and the greatest of integers; zeros where there are none."""
    if isinstance(value, pa.Scalar):
        return value.as_py(), value.as_py()
    found = pc.min_max(value)
    low = found["min"].as_py()
    return (0, 0) if low is None else (low, found["max"].as_py())
