"""Whether a value is in a list of constants, in SQL's three-valued logic."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lazyframe.executors.batch import decoded, narrowed
from lazyframe.executors.vectorized.functions.layout import numpy_values, one_row
from lazyframe.executors.vectorized.functions.nested_order import order_key
from lazyframe.executors.vectorized.functions.unscaled import fits, unscaled, wide_array
from lazyframe.executors.vectorized.kernel import Arguments, Value
from lazyframe.planner.types import BOOL, DataType, is_decimal, is_float, is_interval, is_nested, is_null


def is_in(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    """True where the value is one of the option `values`; else null where it is null or one of those is, else false.

    Nothing is in an empty list, null neither.
    """
    (value,), (dtype,) = values, arguments.types
    members = arguments.options["values"]
    assert isinstance(members, pa.Array)
    if len(members) == 0:
        return pa.scalar(False)
    present = decoded(members, dtype).drop_null()
    if is_null(dtype) or len(present) == 0 or (isinstance(value, pa.Scalar) and not value.is_valid):
        return pa.scalar(None, BOOL)
    column = value if isinstance(value, pa.Array) else one_row(value)
    found = _over_entries(column, present, dtype)
    if members.null_count:
        found = pc.if_else(found, True, pa.scalar(None, BOOL))
    return found if isinstance(value, pa.Array) else found[0]


def _over_entries(column: pa.Array, members: pa.Array, dtype: DataType) -> pa.Array:
    if isinstance(column, pa.DictionaryArray):
        return pc.array_take(_found(column.dictionary, members, dtype), column.indices)
    return _found(column, members, dtype)


def _found(column: pa.Array, members: pa.Array, dtype: DataType) -> pa.Array:
    """Where the column's value is one of `members`, of which none is null; null where it is null."""
    if is_nested(dtype) or is_interval(dtype):
        keys = {order_key(m) for m in members.to_pylist()}
        return pa.array([None if v is None else order_key(v) in keys for v in column.to_pylist()], BOOL)
    if is_decimal(dtype):
        column = narrowed(column)
        members = _members_like(column, members, dtype)
    nan = None
    if is_float(dtype):
        # The hash tables of Arrow tell -0.0 from 0.0, and one NaN from another.
        zero = pa.scalar(0.0, dtype)
        column, members = pc.add(column, zero), pc.add(members, zero)
        if (numpy_values(members) != numpy_values(members)).any():
            nan = pc.is_nan(column)
    found = pc.is_in(column, value_set=members)
    if nan is not None:
        found = pc.or_(found, pc.fill_null(nan, False))
    if column.null_count == 0:
        return found
    return pc.if_else(column.is_valid(), found, pa.scalar(None, BOOL))


def _members_like(column: pa.Array, members: pa.Array, dtype: DataType) -> pa.Array:
    """Decimals laid out as those of the column, without those that fit no row there."""
    numbers = unscaled(members).values.tolist()
    if column.type == pa.int64():
        return pa.array([n for n in numbers if fits(n, n)], pa.int64())
    return wide_array(unscaled(members).values.astype(object), dtype, None)
