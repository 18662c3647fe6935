"""Column chunks read from a file and decoded into Arrow arrays."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.parquet import pages
from lazyframe.executors.compiled.parquet.kernels import HEADERS, Frame, frame
from lazyframe.executors.compiled.parquet.values import FORMS, NO_CODEC, SLACK, SNAPPY, Form
from lazyframe.executors.compiled.stage import DONE, FULL, is_checked

_CODECS = {"ZSTD": "zstd", "GZIP": "gzip", "BROTLI": "brotli", "LZ4": "lz4_raw"}
"""Those that pyarrow decompresses for us, page by page."""

_LARGEST = 1 << 30
_LARGEST_DICTIONARY = 1 << 20
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


def read_column(
    space: Workspace, file: Any, places: Sequence[ChunkPlace], rows: Sequence[int], column: StoredColumn
) -> list[pa.Array] | None:
    """The values of a column in some row groups, one group after the other.

    Args:
        space: of this thread.
        file: which is open, a `pa.NativeFile`.
        places: of the chunk in each row group.
        rows: of each row group.
        column: what the chunks hold.

    Returns:
        One array, or of text one a group; None where it has to be read in another way, be it that something about it is not
        known here or that it is corrupt.
    """
    form = FORMS[column.form]
    headers, values = space.frame(HEADERS), space.frame(form.name)
    if headers is None or values is None:
        return None
    reader = _ColumnReader(space, form, column, sum(rows), headers, values)
    try:
        for place, count in zip(places, rows, strict=True):
            if place.values != count or not reader.read(file, place):
                return None
        return reader.arrays()
    finally:
        space.let_go()


class _ColumnReader:
    def __init__(
        self, space: Workspace, form: Form, column: StoredColumn, rows: int, headers: Frame, values: Frame
    ) -> None:
        self._space = space
        self._form = form
        self._column = column
        self._rows = rows
        self._headers = headers
        self._values = values
        self._out = pa.allocate_buffer(rows * form.out.bytes)
        self._valid = space.array("valid", rows) if column.nullable else (None, 0)
        self._done = self._nulls = 0
        self._texts: list[pa.DictionaryArray] = []

    def read(self, file: Any, place: ChunkPlace) -> bool:
        """Decode a chunk behind those before."""
        data, address = self._space.array("chunk", place.size + SLACK)
        view = data.data[: place.size]
        file.seek(place.start)
        if file.readinto(view) != place.size:
            return False
        table = self._page_table(address, place)
        if table is None:
            return False
        if self._headers["checksums"] and not _checksums_match(view, table):
            return False
        codec = SNAPPY if place.codec == "SNAPPY" else NO_CODEC
        if place.codec in _CODECS:
            try:
                self._decompress(data, table, pa.Codec(_CODECS[place.codec]))
            except (pa.ArrowException, OSError, ValueError):
                return False
        elif codec == NO_CODEC and place.codec != "UNCOMPRESSED":
            return False
        return self._decode(table, codec)

    def _page_table(self, address: int, place: ChunkPlace) -> np.ndarray | None:
        capacity = 64
        while True:
            table, start = self._space.array("table", capacity * pages.ROW, np.int64)
            capacity = len(table) // pages.ROW
            self._headers.set(data=address, size=place.size, table=start, capacity=capacity, wanted=place.values)
            self._headers.set_length("data", place.size + SLACK)
            self._headers.set_length("table", len(table))
            status = self._headers.run()
            if status != FULL:
                break
            capacity *= 4
        if status != DONE or self._headers["values"] != place.values:
            return None
        return table[: self._headers["pages"] * pages.ROW].reshape(-1, pages.ROW)

    def _decompress(self, data: np.ndarray, table: np.ndarray, codec: pa.Codec) -> None:
        """Have the rows of a table point to pages that have been decompressed."""
        total = int(table[:, pages.UNCOMPRESSED].sum())
        if total > _LARGEST:
            raise ValueError("too large")
        arena, address = self._space.array("arena", total + SLACK)
        end = 0
        for row in table:
            start, stored, size = int(row[pages.START]), int(row[pages.COMPRESSED]), int(row[pages.UNCOMPRESSED])
            head, is_compressed = 0, True
            if row[pages.KIND] == pages.DATA_PAGE_V2:
                head, is_compressed = int(row[pages.V2_DEFINITION]), row[pages.V2_COMPRESSED] != 0
            arena[end : end + head] = data[start : start + head]
            body = data[start + head : start + stored]
            if is_compressed and size > head:
                body = np.frombuffer(codec.decompress(pa.py_buffer(body), size - head), np.uint8)
            if len(body) != size - head:
                raise ValueError("a page of another size")
            arena[end + head : end + size] = body
            row[pages.ADDRESS] = address + end
            row[pages.COMPRESSED] = size
            end += size

    def _decode(self, table: np.ndarray, codec: int) -> bool:
        form, space = self._form, self._space
        largest = self._headers["largest"]
        scratch, scratch_address = space.array("scratch", largest + SLACK)
        count = self._headers["dictionary_values"]
        if count > max(self._rows, _LARGEST_DICTIONARY):
            return False
        # Indices of as many bits as can be are looked up without a test of each.
        room = 2 << max(count - 1, 127).bit_length()
        dictionary, dictionary_address = space.array("dictionary " + form.name, room, np.dtype(f"i{form.out.bytes}"))
        text_room = largest + SLACK
        texts = [pa.allocate_buffer(4 * (count + 1)), pa.allocate_buffer(text_room)] if form.is_text else []
        left = self._rows - self._done
        values = self._values
        values.set(
            table=table.ctypes.data,
            pages=len(table),
            codec=codec,
            scratch=scratch_address,
            room=largest,
            out=self._out.address + self._done * form.out.bytes,
            rows=left,
            dictionary=dictionary_address,
            dictionary_room=count if form.is_text else room,
            width=self._column.width,
            nullable=int(self._column.nullable),
            valid=self._valid[1] + self._done,
        )
        if form.is_text:
            values.set(offsets=texts[0].address, text=texts[1].address, text_room=largest)
        for name, length in (
            ("table", table.size),
            ("scratch", len(scratch)),
            ("out", left),
            ("dictionary", len(dictionary)),
            ("valid", left),
            ("offsets", count + 1),
            ("text", text_room),
        ):
            values.set_length(name, length)
        if values.run() != DONE:
            return False
        before = self._done
        self._done += self._values["found"]
        self._nulls += self._values["nulls"]
        if form.is_text:
            found = max(self._values["dictionary_size"], 0)
            values = pa.Array.from_buffers(self._column.dtype, found, [None, *texts], null_count=0)
            try:
                values.validate(full=True)
            except (pa.ArrowInvalid, UnicodeError):
                return False
            self._texts.append(self._text(before, values))
        return True

    def _text(self, before: int, values: pa.Array) -> pa.DictionaryArray:
        rows, nulls = self._done - before, self._values["nulls"]
        start, width = before * 4, rows * 4
        data = self._out.slice(start, width)
        indices = pa.Array.from_buffers(pa.int32(), rows, [self._validity(before, rows, nulls), data], null_count=nulls)
        return pa.DictionaryArray.from_arrays(indices, values, safe=False)

    def _validity(self, start: int, rows: int, nulls: int) -> pa.Buffer | None:
        valid = self._valid[0]
        if not nulls or valid is None:
            return None
        return pa.py_buffer(np.packbits(valid[start : start + rows], bitorder="little"))

    def arrays(self) -> list[pa.Array] | None:
        if self._done != self._rows:
            return None
        if self._form.is_text:
            return list(self._texts)
        data = self._out
        if self._form.is_bits:
            data = pa.py_buffer(np.packbits(np.frombuffer(data, np.uint8, self._rows), bitorder="little"))
        buffers = [self._validity(0, self._rows, self._nulls), data]
        return [pa.Array.from_buffers(self._column.dtype, self._rows, buffers, null_count=self._nulls)]


def _checksums_match(view: memoryview, table: np.ndarray) -> bool:
    for row in table:
        start, size, wanted = int(row[pages.START]), int(row[pages.COMPRESSED]), int(row[pages.CHECKSUM])
        if wanted != pages.NO_CHECKSUM and zlib.crc32(view[start : start + size]) != wanted & 0xFFFFFFFF:
            return False
    return True
