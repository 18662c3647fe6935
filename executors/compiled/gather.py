"""Strings from wherever they lie into one array."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.kinds import I64, U8
from lazyframe.executors.compiled.machine import Kernel, compile_kernel
from lazyframe.executors.compiled.stage import DONE, Module
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.types import DataType

_MOST_BYTES = (1 << 31) - 1


def gathered(addresses: np.ndarray, sizes: np.ndarray, valid: np.ndarray | None, dtype: DataType) -> pa.Array:
    """An array of strings, given where each begins and how long it is.

    Args:
        addresses: of the first bytes.
        sizes: in bytes.
        valid: 0 where there is no value; None where there always is.
        dtype: string or binary.
    """
    rows = len(sizes)
    offsets = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    total = int(offsets[-1])
    if total > _MOST_BYTES:
        raise UnsupportedError(
            "a column of strings holds more than 2 GiB where all rows are needed at once",
            hint="use fewer columns or rows at a time; collect_batches() and sinks stream",
        )
    data = np.empty(total, dtype=np.uint8)
    kernel, slots = _copying()
    frame = np.zeros(len(slots), dtype=np.int64)
    held = (addresses, sizes, offsets)
    for name, array in zip(("addresses", "sizes", "offsets"), held, strict=True):
        frame[slots[name]] = array.ctypes.data
        if f"{name}.length" in slots:
            frame[slots[f"{name}.length"]] = len(array)
    frame[slots["data"]] = data.ctypes.data
    if "data.length" in slots:
        frame[slots["data.length"]] = total
    frame[slots["rows"]] = rows
    status = kernel(int(frame.ctypes.data))
    assert status == DONE, "strings were copied outside of their array"
    bitmap = None
    if valid is not None and not valid.all():
        bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    narrow = offsets.astype(np.int32)
    return pa.Array.from_buffers(dtype, rows, [bitmap, pa.py_buffer(narrow), pa.py_buffer(data)])


@cache
def _copying() -> tuple[Kernel, dict[str, int]]:
    module = Module()
    cg = module.kernel()
    addresses, sizes, offsets = (cg.pointer(name, I64) for name in ("addresses", "sizes", "offsets"))
    data = cg.pointer("data", U8)
    with cg.for_range(0, cg.slot("rows")) as row:
        size = sizes[row]
        with cg.if_(size > 0):
            cg.copy(data.at(offsets[row]), addresses[row].to(data.kind), size)
    cg.return_(DONE)
    return compile_kernel(module.text()), module.slots
