"""Which columns of a Parquet file kernels of our own decode, and the bytes and places that they are given.

Kernels know flat columns of integers, floats, booleans, dates, timestamps, decimals of at most 18 digits, and strings,
with dictionaries or without. They come out in the layouts of batches (`executors/batch.py`), so that nothing is converted afterwards. All
else, and every chunk that a kernel calls unsuited, is read by pyarrow, which also says what is wrong with a corrupt one.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lazyframe.planner.schema import Field
from lazyframe.planner.types import BINARY, STRING, is_decimal, is_timestamp

if TYPE_CHECKING:
    from lazyframe.executors.compiled.parquet.workspace import ChunkPlace, StoredColumn, Workspace
    from lazyframe.executors.sources.parquet_metadata import Footer

_WORTH_LOADING = 32 << 20
"""A scan of fewer bytes does not load LLVM."""

_MOST_ROWS = 1 << 20
"""Larger row groups are read batch by batch."""

_FORMS = {
    pa.bool_(): ("BOOLEAN", "bits"),
    pa.int8(): ("INT32", "four bytes, one kept"),
    pa.uint8(): ("INT32", "four bytes, one kept"),
    pa.int16(): ("INT32", "four bytes, two kept"),
    pa.uint16(): ("INT32", "four bytes, two kept"),
    pa.int32(): ("INT32", "four bytes"),
    pa.uint32(): ("INT32", "four bytes"),
    pa.date32(): ("INT32", "four bytes"),
    pa.float32(): ("FLOAT", "four bytes"),
    pa.int64(): ("INT64", "eight bytes"),
    pa.uint64(): ("INT64", "eight bytes"),
    pa.float64(): ("DOUBLE", "eight bytes"),
}
"""For each type how its values are stored, and how they are read then."""

_UNITS = {"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}

_own = threading.local()


class ChunkDecoder:
    """Decodes columns of one file, where that pays.

    Args:
        footer: of the file.
        fields: the columns that are wanted of it.
        nbytes: how many stored bytes the whole scan reads.
    """

    def __init__(self, footer: Footer, fields: Sequence[Field], nbytes: int) -> None:
        self._footer = footer
        self._columns: dict[str, tuple[int, StoredColumn]] = {}
        if footer.file.filesystem is None and fields and _is_worth_it(nbytes):
            for field in fields:
                found = _stored_column(footer, field)
                if found is not None:
                    self._columns[field.name] = found
            _have_compiled(column.form for _, column in self._columns.values())

    def reads(self, name: str) -> bool:
        return name in self._columns

    def column(self, file: Any, groups: Sequence[int], name: str) -> list[pa.Array] | None:
        """A column of some row groups as it stands in batches; None where it has to be read in another way."""
        from lazyframe.executors.compiled.parquet.chunk import read_column

        footer = self._footer
        rows = [footer.groups[group] for group in groups]
        if sum(rows) > _MOST_ROWS:
            return None
        leaf, column = self._columns[name]
        places = [place for group in groups if (place := chunk_place(footer, group, leaf)) is not None]
        if len(places) < len(groups):
            return None
        return read_column(_workspace(), file, places, rows, column)


def chunk_place(footer: Footer, group: int, leaf: int) -> ChunkPlace | None:
    """Where a column chunk lies; None where its metadata do not say where."""
    key = (group, leaf)
    if key not in footer.places:
        footer.places[key] = _place(footer, group, leaf)
    return footer.places[key]


def _place(footer: Footer, group: int, leaf: int) -> ChunkPlace | None:
    from lazyframe.executors.compiled.parquet.workspace import ChunkPlace

    chunk = footer.metadata.row_group(group).column(leaf)
    start, dictionary = chunk.data_page_offset, chunk.dictionary_page_offset
    if dictionary is not None and 0 < dictionary < start:
        start = dictionary
    size = chunk.total_compressed_size
    if chunk.file_path or start < 4 or size <= 0 or start + size > footer.file.size:
        return None
    if chunk.physical_type != footer.metadata.schema.column(leaf).physical_type:
        return None
    return ChunkPlace(start, size, chunk.num_values, chunk.compression)


def _have_compiled(forms: Iterable[str]) -> None:
    from lazyframe.executors.compiled.parquet.kernels import ask_for

    needed = set(forms)
    if needed:
        ask_for(sorted(needed))


def _workspace() -> Workspace:
    from lazyframe.executors.compiled.parquet.workspace import Workspace

    held: Workspace | None = getattr(_own, "workspace", None)
    if held is None:
        held = _own.workspace = Workspace()
    return held


def _is_worth_it(nbytes: int) -> bool:
    if nbytes < _WORTH_LOADING and "llvmlite.binding" not in sys.modules:
        return False
    from lazyframe.executors.compiled.machine import why_not

    return why_not() is None


def _stored_column(footer: Footer, field: Field) -> tuple[int, StoredColumn] | None:
    """The leaf of a column and how its values are stored; None where no kernel reads it."""
    from lazyframe.executors.compiled.parquet.workspace import StoredColumn

    leaves = footer.leaves.get(field.name, [])
    if field.name in footer.paths or len(leaves) != 1 or not footer.groups:
        return None
    stored = footer.metadata.schema.column(leaves[0])
    dtype = footer.arrow_schema.field(field.name).type
    if stored.max_repetition_level != 0 or stored.max_definition_level > 1 or stored.path != field.name:
        return None
    physical, nullable = stored.physical_type, stored.max_definition_level == 1
    made: StoredColumn | None = None
    stored_as, form = _FORMS.get(dtype, (None, ""))
    if stored_as == physical and dtype == field.dtype:
        made = StoredColumn(form, dtype, nullable)
    elif is_timestamp(dtype) and dtype == field.dtype and physical == "INT64" and _unit(stored) == dtype.unit:
        made = StoredColumn("eight bytes", dtype, nullable)
    elif is_decimal(dtype) and dtype == field.dtype and dtype.precision <= 18:
        form, width = _decimal_form(physical, stored.length)
        if form and (stored.precision, stored.scale) == (dtype.precision, dtype.scale):
            made = StoredColumn(form, pa.int64(), nullable, width)
    elif field.dtype in (STRING, BINARY) and physical == "BYTE_ARRAY":
        form = "text" if field.name in footer.dictionary_columns else "plain text"
        made = StoredColumn(form, field.dtype, nullable)
    return None if made is None else (leaves[0], made)


def _decimal_form(physical: str, length: int) -> tuple[str, int]:
    if physical == "FIXED_LEN_BYTE_ARRAY":
        return ("big-endian", length) if 1 <= length <= 8 else ("", 0)
    return {"INT32": "four bytes, widened", "INT64": "eight bytes"}.get(physical, ""), 0


def _unit(stored: Any) -> str | None:
    """The unit of a timestamp."""
    try:
        said = json.loads(stored.logical_type.to_json())
    except (ValueError, AttributeError):
        return None
    return _UNITS.get(said.get("timeUnit", ""))
