"""Reading the chunks of a column of strings, most of which are in no dictionary."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.parquet import pages
from lazyframe.executors.compiled.parquet.column_reader import LARGEST_DICTIONARY, ColumnReader
from lazyframe.executors.compiled.parquet.values import PLAIN, SLACK
from lazyframe.executors.compiled.parquet.workspace import ChunkPlace
from lazyframe.executors.compiled.stage import DONE, FULL

_MOST_BYTES = 64 << 20
"""Of more bytes in a chunk not all rows should be in memory at once."""


class PlainTextReader(ColumnReader):
    """Makes one array a chunk."""

    def _begin(self) -> None:
        self._arrays: list[pa.Array] = []

    def _decode(self, table: np.ndarray, codec: int, place: ChunkPlace) -> bool:
        values, rows = self._values, place.values
        count = self._headers["dictionary_values"]
        if count > max(self._rows, LARGEST_DICTIONARY):
            return False
        self._set_pages(table, codec, rows)
        texts = self._set_texts(count)
        codes, address = self._space.array("codes", rows, np.int32)
        offsets = pa.allocate_buffer(4 * (rows + 1))
        values.set(out=offsets.address, dictionary=0, dictionary_room=count, codes=address)
        values.set_length("out", rows + 1)
        values.set_length("codes", len(codes))
        room = _expected_bytes(table, count, rows)
        while room <= _MOST_BYTES:
            data = pa.allocate_buffer(room + SLACK)
            values.set(data=data.address, data_room=room)
            values.set_length("data", room + SLACK)
            status = values.run()
            if status == FULL:
                room *= 2
                continue
            if status != DONE or values["found"] != rows:
                return False
            validity = self._validity(self._done, rows, values["nulls"])
            buffers = [validity, offsets, data.slice(0, values["data_size"])]
            self._arrays.append(pa.Array.from_buffers(self._column.dtype, rows, buffers, null_count=values["nulls"]))
            self._done += rows
            return True
        del texts
        return False

    def arrays(self) -> list[pa.Array] | None:
        return self._arrays


def _expected_bytes(table: np.ndarray, count: int, rows: int) -> int:
    """About how many bytes the strings take: those of plain pages as they are, those of others as in the dictionary."""
    encodings = np.where(
        table[:, pages.KIND] == pages.DATA_PAGE_V2, table[:, pages.V2_ENCODING], table[:, pages.ENCODING]
    )
    is_data = table[:, pages.KIND] != pages.DICTIONARY_PAGE
    is_plain = is_data & (encodings == PLAIN)
    plain = int(table[is_plain, pages.UNCOMPRESSED].sum())
    coded = min(int(table[is_data & ~is_plain, pages.VALUES].sum()), rows)
    stored = int(table[~is_data, pages.UNCOMPRESSED].sum())
    return plain + coded * (stored // max(count, 1) + 1) + 1024
