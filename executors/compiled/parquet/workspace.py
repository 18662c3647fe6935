"""What is decoded, and the memory that a thread does it in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.parquet.kernels import Frame, frame
from lazyframe.executors.compiled.stage import is_checked

_KEPT_BYTES = 32 << 20


class ChunkPlace(NamedTuple):
    """Where a column chunk lies in a file: its first byte, how many bytes and values it has, and its codec."""

    start: int
    size: int
    values: int
    codec: str


class StoredColumn(NamedTuple):
    """A column that can be decoded.

    Args:
        form: of its values.
        dtype: of the array that is made; of text, of its dictionary.
        nullable: whether it has definition levels, of which there is one.
        width: bytes a value, where the form leaves it open.
    """

    form: str
    dtype: pa.DataType
    nullable: bool
    width: int = 0


class Workspace:
    """The memory that one thread reads and decodes in, kept from one chunk to the next."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[np.ndarray, int]] = {}
        self._frames: dict[tuple[str, bool], Frame] = {}

    def array(self, name: str, size: int, dtype: Any = np.uint8) -> tuple[np.ndarray, int]:
        """An array with room for at least so many elements, and its address; what stands in it is of no meaning."""
        held = self._held.get(name)
        if held is None or len(held[0]) < size or held[0].dtype != dtype:
            made = np.empty(max(size + size // 4, 1024), dtype)
            held = self._held[name] = (made, made.ctypes.data)
        return held

    def let_go(self) -> None:
        """Keep no array that is larger than most chunks need."""
        large = [name for name, (array, _) in self._held.items() if array.nbytes > _KEPT_BYTES]
        for name in large:
            del self._held[name]

    def frame(self, name: str) -> Frame | None:
        """The frame of a kernel; None where it is not there yet."""
        key = (name, is_checked())
        found = self._frames.get(key)
        if found is None:
            found = frame(name)
            if found is not None:
                self._frames[key] = found
        return found
