"""How columns of a batch lie in memory, and how kernels read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.datum import Datum, Number, Text, is_text, kind_of
from lazyframe.executors.compiled.kinds import BOOL, I32, I64, I128, U8, Kind
from lazyframe.executors.compiled.stage import Function, Value
from lazyframe.planner.types import DataType, is_decimal

FIXED, BITS, WIDE, TEXT, CODED = "fixed", "bits", "wide", "text", "coded"


class Layout(NamedTuple):
    """The form of a column's array.

    Args:
        form: `fixed` numbers of one width; `bits`, booleans; `wide`, decimals of 16 bytes; `text`, strings behind 32-bit
            offsets; `coded`, a dictionary of strings with 32-bit codes.
        dtype: the column's type.
        nullable: whether the array may hold nulls.
    """

    form: str
    dtype: DataType
    nullable: bool

    @property
    def key(self) -> str:
        """What tells it from others."""
        return f"{self.form} {self.dtype}{' null' if self.nullable else ''}"


def layout_of(array: pa.Array, dtype: DataType) -> Layout | None:
    """The layout of a column; None where kernels do not read it."""
    nullable = array.null_count > 0
    found = array.type
    if is_text(dtype):
        if found == dtype:
            return Layout(TEXT, dtype, nullable)
        if isinstance(array, pa.DictionaryArray) and found.index_type == pa.int32() and found.value_type == dtype:
            return None if array.dictionary.null_count else Layout(CODED, dtype, nullable)
        return None
    kind = kind_of(dtype)
    if kind is None:
        return None
    if kind is BOOL:
        return Layout(BITS, dtype, nullable)
    if is_decimal(dtype):
        return Layout(FIXED if found == pa.int64() else WIDE, dtype, nullable)
    return Layout(FIXED, dtype, nullable)


def stage_column(cg: Function, name: str, layout: Layout, row: Value) -> Datum:
    """The value of a column in a row. `name` is that of its places in the frame."""
    valid = None
    if layout.nullable:
        valid = stage_bit(cg, f"{name}.valid", row)
    dtype = layout.dtype
    match layout.form:
        case "bits":
            return Number(dtype, stage_bit(cg, f"{name}.values", row), valid)
        case "wide":
            kind = kind_of(dtype)
            assert kind is not None
            words = cg.pointer(f"{name}.values", kind if kind is I128 else I64)
            return Number(dtype, words[row] if kind is I128 else words[row * 2], valid)
        case "fixed":
            kind = kind_of(dtype)
            assert kind is not None
            if is_decimal(dtype):
                return Number(dtype, cg.pointer(f"{name}.values", I64)[row].to(kind), valid)
            return Number(dtype, cg.pointer(f"{name}.values", kind)[row], valid)
        case "text":
            return _text(cg, name, dtype, row, valid)
    code = cg.pointer(f"{name}.codes", I32)[row].to(I64)
    if valid is not None:
        # What stands at a null need not be a code.
        code = cg.choose(valid, code, cg.lift(0, I64))
    found = _text(cg, name, dtype, code, None)
    return Text(dtype, found.address, found.length, valid, code)


def _text(cg: Function, name: str, dtype: DataType, row: Value, valid: Value | None) -> Text:
    offsets = cg.pointer(f"{name}.offsets", I32)
    start, stop = offsets[row].to(I64), offsets[row + 1].to(I64)
    data = cg.pointer(f"{name}.bytes", U8).at(start)
    return Text(dtype, data, stop - start, valid)


def stage_bit(cg: Function, name: str, row: Value) -> Value:
    """A bit of a bitmap, which may begin within a byte."""
    place = row + cg.slot(f"{name}.offset")
    byte = cg.pointer(name, U8)[place >> 3]
    return (byte >> (place & 7).to(U8)).to(BOOL)


Bind = Callable[[str, int, int], None]
"""Puts an address into the frame, with the number of elements behind it, under a name."""


def bind_column(name: str, layout: Layout, array: pa.Array, pointer: Bind, number: Callable[[str, int], None]) -> None:
    """Put where a column lies into the frame.

    Args:
        name: that of its places in the frame.
        layout: the one that the kernel was made for; the array may have fewer nulls.
        array: the column.
        pointer: takes a name, an address and how many elements there are.
        number: takes a name and a number.
    """
    rows, offset, form = len(array), array.offset, layout.form
    buffers = array.buffers()
    if layout.nullable:
        bitmap = buffers[0]
        if bitmap is None:
            pointer(f"{name}.valid", _ones(rows), (rows + 7) // 8)
            number(f"{name}.valid.offset", 0)
        else:
            pointer(f"{name}.valid", bitmap.address, bitmap.size)
            number(f"{name}.valid.offset", offset)
    match form:
        case "text":
            _bind_text(name, array, buffers, pointer)
        case "coded":
            codes = buffers[1]
            pointer(f"{name}.codes", codes.address + 4 * offset if codes else 0, rows)
            entries = array.dictionary
            if len(entries):
                _bind_text(name, entries, entries.buffers(), pointer)
            else:
                pointer(f"{name}.offsets", _NO_ENTRIES.ctypes.data, 2)
                pointer(f"{name}.bytes", _NO_ENTRIES.ctypes.data, 0)
        case "bits":
            values = buffers[1]
            pointer(f"{name}.values", values.address if values else 0, values.size if values else 0)
            number(f"{name}.values.offset", offset)
        case _:
            width = 16 if form == "wide" else _width(array.type)
            values = buffers[1]
            kind: Kind | None = kind_of(layout.dtype)
            count = rows * 2 if form == "wide" and kind is I64 else rows
            pointer(f"{name}.values", values.address + width * offset if values else 0, count)


def _bind_text(name: str, array: pa.Array, buffers: list[pa.Buffer | None], pointer: Bind) -> None:
    offsets, data = buffers[1], buffers[2]
    pointer(f"{name}.offsets", offsets.address + 4 * array.offset if offsets else 0, len(array) + 1)
    pointer(f"{name}.bytes", data.address if data else 0, data.size if data else 0)


def _width(dtype: DataType) -> int:
    return dtype.bit_width // 8


_NO_ENTRIES = np.zeros(2, dtype=np.int32)
"""The offsets of a dictionary of one empty string, for one that has no entries: all its codes are null."""

_all_ones = np.full(1 << 15, 255, dtype=np.uint8)


def _ones(rows: int) -> int:
    """The address of a bitmap of ones, for a batch without nulls."""
    global _all_ones  # noqa: PLW0603 - it only grows, and old ones stay where somebody reads them
    if rows > 8 * len(_all_ones):
        _kept.append(_all_ones)
        _all_ones = np.full((rows + 7) // 8, 255, dtype=np.uint8)
    return int(_all_ones.ctypes.data)


_kept: list[np.ndarray] = []
