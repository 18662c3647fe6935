"""Columns as texts that other programs read back, for CSV and JSON."""

from __future__ import annotations

import pyarrow as pa

from lazyframe.executors.vectorized.write_text import write_text
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.types import DataType, is_binary, is_float, is_list, is_map, is_struct, is_timestamp


def plain_text(column: pa.Array) -> pa.StringArray:
    """Numbers, truth values, dates and times as text; instants in UTC with a Z. Null stays null.

    A float that is whole keeps a place, as in `1.0`: it would be read back as an integer.
    """
    if is_float(column.type):
        texts = column.cast(pa.string())
        whole = pc.match_substring_regex(texts, r"^-?\d+$")
        return pc.if_else(whole, pc.binary_join_element_wise(texts, ".0", ""), texts)
    if is_timestamp(column.type) and column.type.tz is not None:
        stamps = column.cast(pa.timestamp(column.type.unit, "UTC")).cast(pa.timestamp(column.type.unit))
        return pc.binary_join_element_wise(stamps.cast(pa.string()), "Z", "")
    return column.cast(pa.string())


def sql_text(column: pa.Array) -> pa.StringArray:
    r"""Any values as SQL casts them to text; bytes that are no plain ASCII as `\x` and two digits. Null stays null."""
    if is_binary(column.type):
        return arrow.array([None if value is None else _escaped(value) for value in column.to_pylist()], pa.string())
    return write_text(column, column.type)[0]


def _escaped(value: bytes) -> str:
    r"""Bytes as SQL writes them.

    >>> print(_escaped(b"a'\xff"))
    a\x27\xFF
    """
    return "".join([chr(b) if 32 <= b < 127 and b not in b"'\"\\" else f"\\x{b:02X}" for b in value])


def holds_bytes(dtype: DataType) -> bool:
    """Whether values of a type are bytes, or hold any."""
    if is_struct(dtype):
        return any([holds_bytes(field.type) for field in dtype])
    if is_map(dtype):
        return holds_bytes(dtype.key_type) or holds_bytes(dtype.item_type)
    return holds_bytes(dtype.value_type) if is_list(dtype) else is_binary(dtype)


def content(lines: pa.StringArray) -> pa.Buffer | bytes:
    """The bytes of all strings one after the other, where they lie."""
    buffers = lines.buffers()
    if buffers[2] is None:
        return b""
    start, end = (int.from_bytes(buffers[1][4 * i : 4 * i + 4].to_pybytes(), "little") for i in _ends(lines))
    return buffers[2].slice(start, end - start)


def _ends(lines: pa.StringArray) -> tuple[int, int]:
    return lines.offset, lines.offset + len(lines)
