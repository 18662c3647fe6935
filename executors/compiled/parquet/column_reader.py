"""Reading the chunks of a column one behind the other into one array."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.parquet import pages
from lazyframe.executors.compiled.parquet.kernels import Frame
from lazyframe.executors.compiled.parquet.values import FORMS, NO_CODEC, SLACK, SNAPPY
from lazyframe.executors.compiled.parquet.workspace import ChunkPlace, StoredColumn, Workspace
from lazyframe.executors.compiled.stage import DONE, FULL

_CODECS = {"ZSTD": "zstd", "GZIP": "gzip", "BROTLI": "brotli", "LZ4": "lz4_raw"}
"""Those that pyarrow decompresses for us, page by page."""

LARGEST = 1 << 30
LARGEST_DICTIONARY = 1 << 20


class ColumnReader:
    """Decodes what a `StoredColumn` describes.

    Args:
        space: of this thread.
        column: what the chunks hold.
        rows: of all of them.
        headers: the kernel that walks over pages.
        values: the kernel for the column's form.
    """

    def __init__(self, space: Workspace, column: StoredColumn, rows: int, headers: Frame, values: Frame) -> None:
        self._space = space
        self._column = column
        self._rows = rows
        self._headers = headers
        self._values = values
        self._valid = space.array("valid", rows) if column.nullable else (None, 0)
        self._done = self._nulls = 0
        self._begin()

    def _begin(self) -> None:
        self._form = FORMS[self._column.form]
        self._out = pa.allocate_buffer(self._rows * self._form.out.bytes)
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
        return self._decode(table, codec, place)

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
        if total > LARGEST:
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

    def _decode(self, table: np.ndarray, codec: int, place: ChunkPlace) -> bool:
        """Run the kernel for the column's form over the pages of a chunk."""
        form, values = self._form, self._values
        count = self._headers["dictionary_values"]
        if count > max(self._rows, LARGEST_DICTIONARY):
            return False
        # Indices of as many bits as can be are looked up without a test of each.
        room = 2 << max(count - 1, 127).bit_length()
        kind = np.dtype(f"i{form.out.bytes}")
        dictionary, address = self._space.array("dictionary " + form.name, room, kind)
        left = self._rows - self._done
        self._set_pages(table, codec, left)
        values.set(
            out=self._out.address + self._done * form.out.bytes,
            dictionary=address,
            dictionary_room=count if form.is_text else room,
            width=self._column.width,
        )
        values.set_length("out", left)
        values.set_length("dictionary", len(dictionary))
        texts = self._set_texts(count) if form.is_text else []
        if values.run() != DONE:
            return False
        before = self._done
        self._done += values["found"]
        self._nulls += values["nulls"]
        if form.is_text:
            dictionary_size = max(values["dictionary_size"], 0)
            different = pa.Array.from_buffers(self._column.dtype, dictionary_size, [None, *texts], null_count=0)
            try:
                different.validate(full=True)
            except (pa.ArrowInvalid, UnicodeError):
                return False
            self._texts.append(self._text(before, different))
        return True

    def _set_pages(self, table: np.ndarray, codec: int, rows: int) -> None:
        """Tell the kernel of the pages, and of the memory that those of every form need."""
        largest = self._headers["largest"]
        scratch, address = self._space.array("scratch", largest + SLACK)
        values = self._values
        values.set(
            table=table.ctypes.data,
            pages=len(table),
            codec=codec,
            scratch=address,
            room=largest,
            rows=rows,
            nullable=int(self._column.nullable),
            valid=self._valid[1] + self._done,
        )
        for name, length in (("table", table.size), ("scratch", len(scratch)), ("valid", rows)):
            values.set_length(name, length)

    def _set_texts(self, count: int) -> list[pa.Buffer]:
        """The offsets and the bytes of so many strings of a dictionary, which the kernel writes."""
        largest = self._headers["largest"]
        made = [pa.allocate_buffer(4 * (count + 1)), pa.allocate_buffer(largest + SLACK)]
        self._values.set(offsets=made[0].address, text=made[1].address, text_room=largest)
        self._values.set_length("offsets", count + 1)
        self._values.set_length("text", largest + SLACK)
        return made

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
