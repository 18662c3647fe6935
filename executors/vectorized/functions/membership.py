"""Whether a value is in a list of constants, in SQL's three-valued logic."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import decoded, narrowed
from lazyframe.executors.vectorized.functions.layout import Mask, arrow_array, joint_validity, numpy_values, one_row
from lazyframe.executors.vectorized.functions.nested_order import order_key
from lazyframe.executors.vectorized.functions.unscaled import fits, unscaled, wide_array
from lazyframe.executors.vectorized.kernel import Arguments, Value
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import (
    BOOL,
    DATE,
    DataType,
    is_decimal,
    is_float,
    is_integer,
    is_interval,
    is_nested,
    is_null,
)

if TYPE_CHECKING:
    # To load it takes longer than all of this package.
    import numpy.typing as npt

_FEW = 8
_MANY, _FAR, _KEPT = 1_000, 1 << 24, 4
"""A list of so many integers that lie no further apart is a table of truth values; of so many lists it is kept."""

_tables: OrderedDict[int, tuple[pa.Array, tuple[int, Mask] | None]] = OrderedDict()
_lock = threading.Lock()


def is_in(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    """True where the value is one of the option `values`; else null where it is null or one of those is, else false.

    Nothing is in an empty list, null neither.
    """
    (value,), (dtype,) = values, arguments.types
    members = arguments.options["values"]
    assert isinstance(members, pa.Array)
    if len(members) == 0:
        return arrow.scalar(False)
    present = decoded(members, dtype)
    if present.null_count:
        present = pc.drop_null(present)
    if is_null(dtype) or len(present) == 0 or (isinstance(value, pa.Scalar) and not value.is_valid):
        return arrow.scalar(None, BOOL)
    column = value if isinstance(value, pa.Array) else one_row(value)
    found = _over_entries(column, present, dtype, is_kept=present is members)
    if members.null_count:
        found = pc.if_else(found, True, arrow.scalar(None, BOOL))
    return found if isinstance(value, pa.Array) else found[0]


def _over_entries(column: pa.Array, members: pa.Array, dtype: DataType, *, is_kept: bool) -> pa.Array:
    if isinstance(column, pa.DictionaryArray):
        return pc.array_take(_found(column.dictionary, members, dtype, is_kept=is_kept), column.indices)
    return _found(column, members, dtype, is_kept=is_kept)


def _found(column: pa.Array, members: pa.Array, dtype: DataType, *, is_kept: bool) -> pa.Array:
    """Where the column's value is one of `members`, of which none is null; null where it is null.

    Where `is_kept`, the members are the same array for the next batch.
    """
    if is_nested(dtype) or is_interval(dtype):
        keys = {order_key(m) for m in members.to_pylist()}
        return arrow.array([None if v is None else order_key(v) in keys for v in column.to_pylist()], BOOL)
    if is_decimal(dtype):
        column = narrowed(column)
        members = _members_like(column, members, dtype)
    if is_integer(dtype) and is_kept and len(members) >= _MANY and (table := _table_of(members)):
        return _looked_up(column, *table)
    if len(members) <= _FEW and (is_integer(column.type) or dtype == DATE):
        # So many comparisons take less than to look each value up.
        return reduce(pc.or_, [pc.equal(column, member) for member in members])
    nan = None
    if is_float(dtype):
        # The hash tables of Arrow tell -0.0 from 0.0, and one NaN from another.
        zero = arrow.scalar(0.0, dtype)
        column, members = pc.add(column, zero), pc.add(members, zero)
        if (numpy_values(members) != numpy_values(members)).any():
            nan = pc.is_nan(column)
    found = pc.is_in(column, value_set=members)
    if nan is not None:
        found = pc.or_(found, pc.fill_null(nan, False))
    if column.null_count == 0:
        return found
    return pc.if_else(column.is_valid(), found, arrow.scalar(None, BOOL))


def _table_of(members: pa.Array) -> tuple[int, Mask] | None:
    """The least member, and for each integer from there to the greatest whether it is one; None where they lie far apart.

    Arrow builds a hash table for each batch anew; this is kept for the next.
    """
    with _lock:
        held = _tables.get(id(members))
        if held is None:
            numbers = numpy_values(members)
            least, greatest = int(numbers.min()), int(numbers.max())
            found = None
            if greatest - least < _FAR:
                found = least, np.zeros(greatest - least + 1, dtype=bool)
                found[1][_places(numbers, least)] = True
            # The members are held with it, so that no others get their place in memory.
            held = _tables[id(members)] = members, found
            while len(_tables) > _KEPT:
                _tables.popitem(last=False)
        return held[1]


def _looked_up(column: pa.Array, least: int, table: Mask) -> pa.Array:
    numbers = numpy_values(column)
    first, last = numbers.dtype.type(least), numbers.dtype.type(least + len(table) - 1)
    inside = (numbers >= first) & (numbers <= last)
    places = _places(np.where(inside, numbers, first), least)
    return arrow_array(inside & table[places], BOOL, joint_validity([column]))


def _places(numbers: npt.NDArray, least: int) -> npt.NDArray:
    """How far the numbers lie from the least of them, which may be further than their own type reaches."""
    if numbers.dtype.kind == "u":
        return numbers - numbers.dtype.type(least)
    return numbers.astype(np.int64) - least


def _members_like(column: pa.Array, members: pa.Array, dtype: DataType) -> pa.Array:
    """Decimals laid out as those of the column, without those that fit no row there."""
    numbers = unscaled(members).values.tolist()
    if column.type == pa.int64():
        return arrow.array([n for n in numbers if fits(n, n)], pa.int64())
    return wide_array(unscaled(members).values.astype(object), dtype, None)
