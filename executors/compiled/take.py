"""Rows of Arrow arrays in any order: values of fixed width, and strings."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.compiled.array_kernel import ArrayKernel, LoadedKernel, prefetch
from lazyframe.executors.compiled.kinds import BOOL, I8, I16, I32, I64, I128, U8, U64, Kind
from lazyframe.executors.compiled.stage import DONE, FULL, Function
from lazyframe.executors.compiled.values import Pointer, Value

_KINDS = {8: I8, 16: I16, 32: I32, 64: I64, 128: I128}
_AHEAD = 16
_SLACK = 8
"""So many bytes behind a string may be written, before the next one is."""

_MOST_BYTES = (1 << 31) - 1


def taken(column: pa.Array, rows: npt.NDArray[np.int64]) -> pa.Array | None:
    """The given rows of an array, in that order, which must all exist; None where Arrow brings them together.

    Args:
        column: any array.
        rows: their numbers, from 0.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        indices = taken(column.indices, rows)
        return None if indices is None else _coded(indices, column)
    if kind in (pa.string(), pa.binary()):
        return _strings(column, rows)
    if (pa.types.is_primitive(kind) or pa.types.is_decimal(kind)) and kind.bit_width in _KINDS:
        return _fixed(column, rows)
    return None


def _coded(indices: pa.Array, column: pa.DictionaryArray) -> pa.Array:
    return pa.DictionaryArray.from_arrays(indices, column.dictionary, ordered=column.type.ordered, safe=False)


def _fixed(column: pa.Array, rows: npt.NDArray[np.int64]) -> pa.Array | None:
    width = column.type.bit_width // 8
    has_nulls = column.null_count > 0
    kernel = _fixed_kernel(width * 8, has_nulls).wanted_for(len(rows))
    if kernel is None or not len(column):
        return None
    validity, data = column.buffers()
    values = np.empty(len(rows) * width, dtype=np.uint8)
    source = np.frombuffer(data, np.uint8)[column.offset * width :]
    present = _run(kernel, column, rows, validity, has_nulls, source=source, out=values)
    return pa.Array.from_buffers(column.type, len(rows), [present, pa.py_buffer(values)])


def _strings(column: pa.Array, rows: npt.NDArray[np.int64]) -> pa.Array | None:
    has_nulls = column.null_count > 0
    places, copy = _places_kernel(has_nulls).wanted_for(len(rows)), _copy_kernel.wanted_for(len(rows))
    if places is None or copy is None or not len(column):
        return None
    validity, bounds, data = column.buffers()
    n = len(rows)
    offsets = np.frombuffer(bounds, np.int32, count=len(column) + 1, offset=4 * column.offset)
    found, starts = np.empty(n + 1, dtype=np.int32), np.empty(n, dtype=np.int32)
    present = _run(places, column, rows, validity, has_nulls, offsets=offsets, found=found, starts=starts)
    if present is _TOO_LONG:
        return None
    total = int(found[n])
    values = np.empty(total + _SLACK, dtype=np.uint8)
    source = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(_SLACK, dtype=np.uint8)
    copy.call(found=found, starts=starts, source=source, out=values, rows=n, size=len(source))
    return pa.Array.from_buffers(column.type, n, [present, pa.py_buffer(found), pa.py_buffer(values).slice(0, total)])


_TOO_LONG = object()


def _run(
    kernel: LoadedKernel,
    column: pa.Array,
    rows: npt.NDArray[np.int64],
    validity: pa.Buffer | None,
    has_nulls: bool,
    **given: np.ndarray,
) -> object:
    """Call a kernel that also says where there are values, as a bitmap; None where there always are."""
    present = np.empty(len(rows) if has_nulls else 0, dtype=np.bool_)
    if has_nulls:
        assert validity is not None
        given["bits"], given["present"] = np.frombuffer(validity, np.uint8), present
    call = kernel.call(**given, chosen=np.ascontiguousarray(rows), rows=len(rows), offset=column.offset)
    if call.status == FULL:
        return _TOO_LONG
    return pa.py_buffer(np.packbits(present, bitorder="little")) if has_nulls else None


@cache
def _fixed_kernel(bits: int, has_nulls: bool) -> ArrayKernel:
    return ArrayKernel(_write_fixed, _KINDS[bits], has_nulls)


@cache
def _places_kernel(has_nulls: bool) -> ArrayKernel:
    return ArrayKernel(_write_places, has_nulls)


def _write_fixed(cg: Function, kind: Kind, has_nulls: bool) -> None:
    source, out = cg.pointer("source", U8).of(kind), cg.pointer("out", U8).of(kind)
    chosen, rows = cg.pointer("chosen", I64), cg.slot("rows")
    last = rows - 1
    with cg.for_range(0, rows) as number:
        ahead = number + _AHEAD
        prefetch(cg, source, chosen[cg.choose(ahead < last, ahead, last)])
        row = chosen[number]
        out[number] = source[row]
        if has_nulls:
            _write_presence(cg, number, row)
    cg.return_(DONE)


def _write_presence(cg: Function, number: Value, row: Value) -> Value:
    bits, present = cg.pointer("bits", U8), cg.pointer("present", BOOL)
    place = row + cg.slot("offset")
    is_there = ((bits[place.shifted_right(3)] >> (place & 7).to(U8)) & 1) != 0
    present[number] = is_there
    return is_there


def _write_places(cg: Function, has_nulls: bool) -> None:
    offsets, chosen, rows = cg.pointer("offsets", I32), cg.pointer("chosen", I64), cg.slot("rows")
    found, starts = cg.pointer("found", I32), cg.pointer("starts", I32)
    last = rows - 1
    total = cg.variable(I64, 0)
    with cg.for_range(0, rows) as number:
        ahead = number + _AHEAD
        prefetch(cg, offsets, chosen[cg.choose(ahead < last, ahead, last)])
        row = chosen[number]
        start = offsets[row]
        length = (offsets[row + 1] - start).to(I64)
        if has_nulls:
            length = cg.choose(_write_presence(cg, number, row), length, cg.lift(0, I64))
        starts[number] = start
        found[number] = total.get().to(I32)
        total.add(length)
        with cg.if_(total.get() > _MOST_BYTES):
            cg.return_(FULL)
    found[rows] = total.get().to(I32)
    cg.return_(DONE)


def _write_copy(cg: Function) -> None:
    found, starts, rows = cg.pointer("found", I32), cg.pointer("starts", I32), cg.slot("rows")
    source, out, size = cg.pointer("source", U8), cg.pointer("out", U8), cg.slot("size")
    last = rows - 1
    with cg.for_range(0, rows) as number:
        ahead = number + _AHEAD
        prefetch(cg, source, starts[cg.choose(ahead < last, ahead, last)].to(I64))
        start, to = starts[number].to(I64), found[number].to(I64)
        length = found[number + 1].to(I64) - to
        _copy(cg, source, start, out, to, length, size)
    cg.return_(DONE)


def _copy(cg: Function, source: Pointer, start: Value, out: Pointer, to: Value, length: Value, size: Value) -> None:
    """Copy a string, eight bytes at a time, up to seven of which may be written behind it."""
    with cg.if_(((length + 7) & ~7) <= size - start) as inside, cg.for_range(0, length, step=8) as at:
        out.set_unaligned(to + at, source.unaligned(start + at, U64))
    with inside.otherwise(), cg.for_range(0, length) as at:
        out[to + at] = source[start + at]


_copy_kernel = ArrayKernel(_write_copy)
