"""Casts to decimals that pyarrow would let wrap around past 38 digits."""

from __future__ import annotations

import pyarrow as pa

from lazyframe.executors.sources.csv_decimals import read_decimals
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import DataType, is_decimal, is_string


def cast_checked(column: pa.ChunkedArray, dtype: DataType) -> pa.ChunkedArray:
    """A column as another type, where nothing is lost.

    Raises:
        pa.ArrowInvalid: for a value that has none in the type.
    """
    if is_decimal(dtype) and is_string(column.type):
        return read_decimals(column, dtype)
    if is_decimal(dtype) and is_decimal(column.type) and dtype.scale > column.type.scale:
        greatest = pc.max(pc.abs(column)).as_py()
        if greatest is not None and greatest >= 10 ** (dtype.precision - dtype.scale):
            raise pa.ArrowInvalid(f"{greatest} has more digits than fit")
    return column.cast(dtype)
