"""Cut a large CSV file into ranges of lines, so that several workers parse it."""

from __future__ import annotations

import io

import pyarrow as pa

from lazyframe.executors.sources.csv_text import CsvDialect
from lazyframe.executors.sources.files import DataFile, compression_of, open_file, reading

RANGE_BYTES = 16 << 20
_LARGEST_BYTES = 8 << 30  # beyond, looking for quotes would delay the first row of a query that wants only a few
_LONGEST_LINE = 1 << 20
_PLAIN_ENCODINGS = {"utf-8", "utf8", "ascii", "latin-1", "latin1", "iso-8859-1"}


def line_ranges(file: DataFile, header_lines: int, dialect: CsvDialect) -> list[tuple[int, int]]:
    """Where parts of a file begin and end, in bytes; none where it cannot be cut safely, or is small.

    Where a record ends is known without reading all before it only if no newline stands within quotes. So a file is cut
    only where it holds no quote at all, which is seen at the speed of memory.
    """
    if (
        file.filesystem is not None
        or file.content is not None
        or not 2 * RANGE_BYTES <= file.size <= _LARGEST_BYTES
        or compression_of(file.path) is not None
        or dialect.comment is not None
        or dialect.escape_char is not None
        or dialect.ragged == "null"
        or dialect.encoding.lower() not in _PLAIN_ENCODINGS
    ):
        return []
    with open_file(file) as opened, reading(file):
        if dialect.quote_char is not None and _holds(opened, dialect.quote_char.encode()):
            return []
        opened.seek(0)
        head = opened.read(_LONGEST_LINE)
        start = 0
        for _ in range(header_lines):
            start = head.find(b"\n", start) + 1
            if start == 0:
                return []
        bounds = [start]
        while bounds[-1] + 2 * RANGE_BYTES <= file.size:
            opened.seek(bounds[-1] + RANGE_BYTES)
            rest = opened.read(_LONGEST_LINE)
            newline = rest.find(b"\n")
            if newline < 0:
                return []
            bounds.append(bounds[-1] + RANGE_BYTES + newline + 1)
    return list(zip(bounds, [*bounds[1:], file.size], strict=True))


def _holds(opened: pa.NativeFile, byte: bytes) -> bool:
    while block := opened.read(4 << 20):
        if byte in block:
            return True
    return False


class ByteRange(io.RawIOBase):
    """The bytes of a file from one place to another."""

    def __init__(self, source: pa.NativeFile, start: int, end: int) -> None:
        self._source = source
        source.seek(start)
        self._left = end - start

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content: bytes = self._source.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(content)
        return content
