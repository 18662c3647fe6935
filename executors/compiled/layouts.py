"""How columns of a batch lie in memory, and how kernels read them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.datum import Datum, Number, Text, is_text, kind_of
from lazyframe.executors.compiled.kinds import BOOL, I8, I16, I32, I64, I128, POINTER, U8, U16, Kind
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.values import Pointer, Together, Value
from lazyframe.executors.vectorized.aggregates.groups import LANES
from lazyframe.planner.types import DataType, is_decimal

FIXED, BITS, WIDE, TEXT, LARGE, VIEW, CODED = "fixed", "bits", "wide", "text", "large", "view", "coded"

_VIEW_BYTES, _INLINE_BYTES = 16, 12
"""Of a string view; and how many bytes of a string may stand in it."""


class Layout(NamedTuple):
    """The form of a column's array.

    Args:
        form: `fixed` numbers of one width; `bits`, booleans; `wide`, decimals of 16 bytes; `text`, strings behind 32-bit
            offsets; `large`, behind 64-bit offsets; `view`, string views; `coded`, a dictionary of strings.
        dtype: the column's type.
        nullable: whether the array may hold nulls.
        stored: the kind of the numbers, or of the codes, as they stand in memory; None where there are none.
    """

    form: str
    dtype: DataType
    nullable: bool
    stored: Kind | None = None

    @property
    def key(self) -> str:
        """What tells it from others."""
        stored = "" if self.stored is None else f" {self.stored.name}"
        return f"{self.form}{stored} {self.dtype}{' null' if self.nullable else ''}"


def layout_of(array: pa.Array, dtype: DataType) -> Layout | None:
    """The layout of a column, which may be that of a batch or of Arrow data from elsewhere; None where kernels do not read it."""
    nullable = array.null_count > 0
    if is_text(dtype):
        return _layout_of_text(array, dtype, nullable)
    kind, found = kind_of(dtype), array.type
    if kind is None:
        return None
    if is_decimal(dtype):
        if found == dtype:
            return Layout(WIDE, dtype, nullable)
        stored = I64 if found == pa.int64() else _DECIMALS.get(found.id)
        if stored is None or (found != pa.int64() and (found.precision, found.scale) != (dtype.precision, dtype.scale)):
            return None
        return Layout(FIXED, dtype, nullable, stored)
    if found != dtype:
        return None
    return Layout(BITS, dtype, nullable) if kind is BOOL else Layout(FIXED, dtype, nullable, kind)


_DECIMALS = {pa.decimal32(1).id: I32, pa.decimal64(1).id: I64} if hasattr(pa, "decimal32") else {}
_CODES = {pa.int8(): I8, pa.int16(): I16, pa.int32(): I32, pa.uint8(): U8, pa.uint16(): U16}


def _layout_of_text(array: pa.Array, dtype: DataType, nullable: bool) -> Layout | None:
    found = array.type
    if found == dtype:
        return Layout(TEXT, dtype, nullable)
    if isinstance(array, pa.DictionaryArray):
        codes = _CODES.get(found.index_type)
        if codes is None or found.value_type != dtype or array.dictionary.null_count:
            return None
        return Layout(CODED, dtype, nullable, codes)
    of_strings = dtype == pa.string()
    if found == (pa.large_string() if of_strings else pa.large_binary()):
        return Layout(LARGE, dtype, nullable)
    if found == (pa.string_view() if of_strings else pa.binary_view()):
        return Layout(VIEW, dtype, nullable)
    return None


def stage_column(cg: Function, name: str, layout: Layout, row: Value) -> Datum:
    """The value of a column in a row. `name` is that of its places in the frame."""
    valid = None
    if layout.nullable:
        valid = stage_bit(cg, f"{name}.valid", row)
    dtype, stored = layout.dtype, layout.stored
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
            assert stored is not None
            return Number(dtype, cg.pointer(f"{name}.values", stored)[row].to(kind), valid)
        case "text":
            return _text(cg, name, dtype, row, valid, I32)
        case "large":
            return _text(cg, name, dtype, row, valid, I64)
        case "view":
            return _view(cg, name, dtype, row, valid)
    assert stored is not None
    code = cg.pointer(f"{name}.codes", stored)[row].to(I64)
    if valid is not None:
        # What stands at a null need not be a code.
        code = cg.choose(valid, code, cg.lift(0, I64))
    found = _text(cg, name, dtype, code, None, I32)
    return Text(dtype, found.address, found.length, valid, code)


def _text(cg: Function, name: str, dtype: DataType, row: Value, valid: Value | None, of_offsets: Kind) -> Text:
    offsets = cg.pointer(f"{name}.offsets", of_offsets)
    start, stop = offsets[row].to(I64), offsets[row + 1].to(I64)
    data = cg.pointer(f"{name}.bytes", U8).at(start)
    return Text(dtype, data, stop - start, valid)


def _view(cg: Function, name: str, dtype: DataType, row: Value, valid: Value | None) -> Text:
    """A string view: its length, and behind it the string, or its first bytes, the number of a buffer and a place there."""
    views = cg.pointer(f"{name}.views", U8)
    here = row * _VIEW_BYTES
    length = views.unaligned(here, I32).to(I64)
    if valid is not None:
        # What stands at a null need not be a view.
        length = cg.choose(valid, length, cg.lift(0, I64))
    is_long = length > _INLINE_BYTES
    buffer = cg.choose(is_long, views.unaligned(here + 8, I32).to(I64), cg.lift(0, I64))
    place = views.unaligned(here + 12, I32).to(I64)
    elsewhere = cg.pointer(f"{name}.buffers", I64)[buffer] + place
    address = cg.choose(is_long, elsewhere, views.to(I64) + here + 4).to(POINTER)
    return Text(dtype, Pointer(cg, address.ref, U8, length if cg.module.checked else None), length, valid)


def stage_bit(cg: Function, name: str, row: Value) -> Value:
    """A bit of a bitmap, which may begin within a byte; or those of several rows."""
    bits, offset = cg.pointer(name, U8), cg.slot(f"{name}.offset")
    if isinstance(row, Together):
        # They may lie in two bytes; the second is the first again where they do not.
        place = row.start + offset
        low, high = bits[place >> 3].to(U16), bits[(place + (LANES - 1)) >> 3].to(U16)
        return ((low | (high << 8)) >> (place & 7).to(U16)).to(U8).flags()
    place = row + offset
    return (bits[place >> 3] >> (place & 7).to(U8)).to(BOOL)


class Places(Protocol):
    """Where addresses and numbers for a kernel are put: its frame."""

    def point(self, name: str, address: int, count: int) -> None:
        """Put the address of so many elements at a place."""
        ...

    def lend(self, name: str, array: np.ndarray) -> np.ndarray:
        """Put the address of an array at a place, and keep the array."""
        ...

    def keep(self, array: pa.Array) -> None:
        """Have an array live as long as addresses of its buffers may be used."""
        ...

    def __setitem__(self, name: str, number: int) -> None:
        """Put a number at a place."""
        ...


def bind_column(name: str, layout: Layout, array: pa.Array, places: Places) -> None:
    """Put where a column lies into the frame, which does not keep it.

    Args:
        name: that of its places in the frame.
        layout: that of the array, or one that a kernel was made for; the array may have fewer nulls.
        array: the column.
        places: the frame.
    """
    rows, offset, form = len(array), array.offset, layout.form
    buffers = array.buffers()
    if layout.nullable:
        bitmap = buffers[0]
        if bitmap is None:
            places.point(f"{name}.valid", _ones(rows), (rows + 7) // 8)
            places[f"{name}.valid.offset"] = 0
        else:
            places.point(f"{name}.valid", bitmap.address, bitmap.size)
            places[f"{name}.valid.offset"] = offset
    match form:
        case "text" | "large":
            _bind_text(name, array, buffers, places, 4 if form == TEXT else 8)
        case "view":
            views = buffers[1]
            places.point(f"{name}.views", views.address + _VIEW_BYTES * offset if views else 0, _VIEW_BYTES * rows)
            addresses = [buffer.address if buffer else 0 for buffer in buffers[2:]]
            places.lend(f"{name}.buffers", np.array(addresses or [0], dtype=np.int64))
        case "coded":
            codes = buffers[1]
            assert layout.stored is not None
            places.point(f"{name}.codes", codes.address + layout.stored.bytes * offset if codes else 0, rows)
            entries = array.dictionary
            if len(entries):
                _bind_text(name, entries, entries.buffers(), places, 4)
            else:
                places.point(f"{name}.offsets", _NO_ENTRIES.ctypes.data, 2)
                places.point(f"{name}.bytes", _NO_ENTRIES.ctypes.data, 0)
        case "bits":
            values = buffers[1]
            places.point(f"{name}.values", values.address if values else 0, values.size if values else 0)
            places[f"{name}.values.offset"] = offset
        case _:
            width = 16 if form == "wide" else _width(array.type)
            values = buffers[1]
            kind: Kind | None = kind_of(layout.dtype)
            count = rows * 2 if form == "wide" and kind is I64 else rows
            places.point(f"{name}.values", values.address + width * offset if values else 0, count)


def _bind_text(name: str, array: pa.Array, buffers: list[pa.Buffer | None], places: Places, width: int) -> None:
    offsets, data = buffers[1], buffers[2]
    places.point(f"{name}.offsets", offsets.address + width * array.offset if offsets else 0, len(array) + 1)
    places.point(f"{name}.bytes", data.address if data else 0, data.size if data else 0)


def _width(dtype: DataType) -> int:
    return dtype.bit_width // 8


_NO_ENTRIES = np.zeros(2, dtype=np.int32)
"""The offsets of a dictionary of one empty string, for one that has no entries: all its codes are null."""

_all_ones = np.full(1 << 15, 255, dtype=np.uint8)


def _ones(rows: int) -> int:
    """The address of a bitmap of ones, for a batch without nulls."""
    global _all_ones  # noqa: PLW0603 - it only grows, and old ones stay where somebody reads them
    ones = _all_ones
    if rows > 8 * len(ones):
        _kept.append(ones)
        ones = _all_ones = np.full((rows + 7) // 8, 255, dtype=np.uint8)
        _kept.append(ones)
    return address_of(ones)


_kept: list[np.ndarray] = []


def place_of(array: pa.Array) -> tuple[int, ...]:
    """Where an array lies, which none that lives at the same time and is another shares: some of its buffers may be others' too."""
    return array.offset, len(array), *[buffer.address if buffer else 0 for buffer in array.buffers()]


def address_of(array: np.ndarray) -> int:
    """The address of an array's first element. NumPy itself takes several times as long to say it."""
    address: int = pa.py_buffer(array).address
    return address
