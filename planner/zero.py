"""A value of any type, for where one is needed that is not null and means nothing."""

from __future__ import annotations

import pyarrow as pa

from lazyframe.planner.scalars import Literal
from lazyframe.planner.types import DataType, is_binary, is_list, is_map, is_null, is_string, is_struct


def zero(dtype: DataType) -> Literal:
    """0, false, the epoch, an empty text or list, or a struct of such. There is none of the type null.

    >>> zero(pa.struct([("n", pa.int8()), ("words", pa.list_(pa.string()))])).value.as_py()
    {'n': 0, 'words': []}
    """
    assert not is_null(dtype)
    return Literal(_zeros(dtype)[0])


def _zeros(dtype: DataType) -> pa.Array:
    """An array of one row whose bits are all zero, and which is valid. Making it of Python values would import pandas."""
    bits = pa.py_buffer(bytes(32))
    if is_null(dtype):
        return pa.nulls(1)
    if is_struct(dtype):
        return pa.Array.from_buffers(dtype, 1, [None], children=[_zeros(field.type) for field in dtype])
    if is_map(dtype):
        entries = pa.nulls(0, pa.struct([dtype.key_field, dtype.item_field]))
        return pa.Array.from_buffers(dtype, 1, [None, bits], children=[entries])
    if is_list(dtype):
        return pa.Array.from_buffers(dtype, 1, [None, bits], children=[pa.nulls(0, dtype.value_type)])
    if is_string(dtype) or is_binary(dtype):
        return pa.Array.from_buffers(dtype, 1, [None, bits, pa.py_buffer(b"")])
    return pa.Array.from_buffers(dtype, 1, [None, bits])
