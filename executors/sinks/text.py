"""Columns as texts that other programs read back, for CSV and JSON."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from lazyframe.planner.types import is_float, is_timestamp


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


def content(lines: pa.StringArray) -> pa.Buffer | bytes:
    """The bytes of all strings one after the other, where they lie."""
    buffers = lines.buffers()
    if buffers[2] is None:
        return b""
    start, end = (int.from_bytes(buffers[1][4 * i : 4 * i + 4].to_pybytes(), "little") for i in _ends(lines))
    return buffers[2].slice(start, end - start)


def _ends(lines: pa.StringArray) -> tuple[int, int]:
    return lines.offset, lines.offset + len(lines)
