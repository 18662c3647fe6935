"""Column chunks read from a file and decoded into Arrow arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lazyframe.executors.compiled.parquet.column_reader import ColumnReader
from lazyframe.executors.compiled.parquet.kernels import HEADERS
from lazyframe.executors.compiled.parquet.text_reader import PlainTextReader
from lazyframe.executors.compiled.parquet.texts import PLAIN_TEXT
from lazyframe.executors.compiled.parquet.workspace import ChunkPlace, StoredColumn, Workspace


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
    headers, values = space.frame(HEADERS), space.frame(column.form)
    if headers is None or values is None:
        return None
    kind = PlainTextReader if column.form == PLAIN_TEXT else ColumnReader
    reader = kind(space, column, sum(rows), headers, values)
    try:
        for place, count in zip(places, rows, strict=True):
            if place.values != count or not reader.read(file, place):
                return None
        return reader.arrays()
    finally:
        space.let_go()
