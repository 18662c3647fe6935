"""Kernels of functions of byte strings."""

from __future__ import annotations

import pyarrow as pa

from lazyframe.executors.vectorized.functions.subject import by_row, mapped, of_columns
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError


def _slice(data: bytes, start: int, length: int | None = None) -> bytes:
    if length is None:
        return data[start:]
    if length < 0:
        raise KernelError(f"a slice cannot be {length} bytes long")
    stop = start + length
    return data[start:] if start < 0 <= stop else data[start:stop]


def _decode(values: pa.Array, *, arguments: Arguments) -> pa.Array:
    strict = arguments.options.get("strict", True)

    def of_one(data: bytes) -> str | None:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            if not strict:
                return None
            raise KernelError(f"not UTF-8: {data[:40]!r} ({error.reason} at byte {error.start})") from None

    return mapped(values, of_one, pa.string())


KERNELS: dict[str, Kernel] = {
    "binary_slice": by_row(_slice),
    "decode_utf8": of_columns(_decode),
}
