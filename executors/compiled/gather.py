"""Strings from wherever they lie into one array."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.array_kernel import LoadedKernel, compiled_at_once
from lazyframe.executors.compiled.kinds import I64, POINTER, U8
from lazyframe.executors.compiled.stage import DONE, Function
from lazyframe.executors.compiled.values import Pointer
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
    return text_array(sizes, valid, dtype, _copying(), {"addresses": addresses, "sizes": sizes})


def text_array(
    sizes: np.ndarray,
    valid: np.ndarray | None,
    dtype: DataType,
    writing: LoadedKernel,
    given: Mapping[str, np.ndarray],
) -> pa.Array:
    """An array of strings whose bytes a kernel writes.

    Args:
        sizes: in bytes.
        valid: 0 where there is no value; None where there always is.
        dtype: string or binary.
        writing: puts the bytes of all `rows` at their `offsets` into `data`.
        given: what else it is given.
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
    writing.call(**given, offsets=offsets, data=data, rows=rows)
    bitmap = None
    if valid is not None and not valid.all():
        bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    narrow = offsets.astype(np.int32)
    return pa.Array.from_buffers(dtype, rows, [bitmap, pa.py_buffer(narrow), pa.py_buffer(data)])


@cache
def _copying() -> LoadedKernel:
    return compiled_at_once(_write)


def _write(cg: Function) -> None:
    addresses, sizes, offsets = (cg.pointer(name, I64) for name in ("addresses", "sizes", "offsets"))
    data = cg.pointer("data", U8)
    with cg.for_range(0, cg.slot("rows")) as row:
        size = sizes[row]
        with cg.if_(size > 0):
            data.at(offsets[row]).copy(Pointer(cg, addresses[row].to(POINTER).ref, U8), size)
    cg.return_(DONE)
