"""A batch: some rows of a relation, as Arrow arrays of one length.

A column's array may be laid out in another way than its type says where that saves work, and every reader of a column must
be ready for it (`decoded` gives the plain form):

* a `string` or `binary` column may be dictionary-encoded (`pa.DictionaryArray` with int32 indices);
* a `decimal` column may be an `int64` array of its unscaled values.

All other columns have exactly the type of the schema.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.compile_from import calls_for_kernels
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.errors import UnsupportedError
from lazyframe.planner.schema import Schema
from lazyframe.planner.types import is_decimal, type_name


class Batch:
    """Named columns of one length. Never changed after it is made.

    Attributes:
        bindings: what kernels found out about where the columns lie, which is kept by a source that gives them again.
    """

    __slots__ = ("bindings", "columns", "length")

    def __init__(self, columns: dict[str, pa.Array], length: int, bindings: dict[str, Any] | None = None) -> None:
        self.columns = columns
        self.length = length
        self.bindings = bindings

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, name: str) -> pa.Array:
        return self.columns[name]

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self.columns.values())

    def select(self, names: Iterable[str]) -> Batch:
        return Batch({name: self.columns[name] for name in names}, self.length)

    def slice(self, offset: int, length: int | None = None) -> Batch:
        size = max(self.length - offset, 0) if length is None else min(length, max(self.length - offset, 0))
        return Batch({name: column.slice(offset, size) for name, column in self.columns.items()}, size)

    def filter(self, mask: pa.BooleanArray) -> Batch:
        """The rows where `mask` is true; null counts as false."""
        kept = mask.true_count
        if kept == self.length:
            return self
        if kept == 0:
            return self.slice(0, 0)
        return Batch({name: pc.array_filter(column, mask) for name, column in self.columns.items()}, kept)

    def take(self, indices: pa.Array | np.ndarray) -> Batch:
        """The rows at `indices`, in that order; a null index gives a row of nulls."""
        return Batch({name: take(column, indices) for name, column in self.columns.items()}, len(indices))

    def to_arrow(self, schema: Schema) -> pa.RecordBatch:
        """The batch in plain layout, with the types and names that `schema` promises."""
        arrays = [decoded(self.columns[field.name], field.dtype) for field in schema]
        if not arrays:
            return empty_columns(self.length)
        return pa.RecordBatch.from_arrays(arrays, schema=schema.to_arrow())


def take(column: pa.Array, indices: pa.Array | np.ndarray) -> pa.Array:
    """The values of an array at `indices`, in that order; a null index gives a null."""
    if calls_for_kernels(len(indices)) and (isinstance(indices, np.ndarray) or not indices.null_count):
        from lazyframe.executors.compiled.take import taken

        rows = arrow.numpy_of(indices) if isinstance(indices, pa.Array) else indices
        # Kernels do not look whether there is such a row.
        is_safe = rows.dtype == np.int64 and int(rows.view(np.uint64).max()) < len(column)
        found = taken(column, rows) if is_safe else None
        if found is not None:
            return found
    return pc.array_take(column, indices if isinstance(indices, pa.Array) else arrow.array(indices))


def empty_columns(rows: int) -> pa.RecordBatch:
    """A record batch of no columns that still knows how many rows it has."""
    filler = pa.RecordBatch.from_arrays([pa.nulls(rows)], ["_"])
    return filler.select([])


def decoded(array: pa.Array, dtype: pa.DataType) -> pa.Array:
    """`array` in the plain layout of `dtype`."""
    if array.type == dtype:
        return array
    if isinstance(array, pa.DictionaryArray):
        return decoded(pc.dictionary_decode(array), dtype)
    if is_decimal(dtype) and array.type == pa.int64():
        return decimal_from_unscaled(array, dtype)
    return array.cast(dtype)


def decimal_from_unscaled(array: pa.Int64Array, dtype: pa.DataType) -> pa.Array:
    """A decimal128 array of the unscaled values in `array`."""
    low = unscaled_values(array)
    words = np.empty((len(array), 2), dtype=np.int64)
    words[:, 0] = low
    words[:, 1] = low >> 63
    return pa.Array.from_buffers(dtype, len(array), [validity_buffer(array), pa.py_buffer(words)])


def unscaled_values(array: pa.Int64Array) -> np.ndarray:
    """The int64 values under an array, whatever stands where it is null."""
    data = array.buffers()[1]
    if data is None:
        return np.zeros(len(array), dtype=np.int64)
    return np.frombuffer(data, dtype=np.int64)[array.offset : array.offset + len(array)]


def validity_buffer(array: pa.Array) -> pa.Buffer | None:
    """The validity bitmap of `array` starting at its first row, or None where nothing is null."""
    if array.null_count == 0:
        return None
    bitmap = array.buffers()[0]
    if array.offset == 0:
        return bitmap
    return array.is_valid().buffers()[1] if array.offset % 8 else bitmap.slice(array.offset // 8)


def narrowed(array: pa.Array) -> pa.Array:
    """A decimal128 array as int64 unscaled values where all of them fit, else as it is."""
    if not is_decimal(array.type) or array.type.bit_width != 128:
        return array
    words = np.frombuffer(array.buffers()[1], dtype=np.int64).reshape(-1, 2)[array.offset : array.offset + len(array)]
    low = np.ascontiguousarray(words[:, 0])
    if array.type.precision > 18:
        fits = words[:, 1] == (low >> 63)
        if array.null_count:
            fits |= ~arrow.numpy_of(array.is_valid())
        if not fits.all():
            return array
    return pa.Array.from_buffers(pa.int64(), len(array), [validity_buffer(array), pa.py_buffer(low)])


def single_chunk(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    if isinstance(column, pa.Array):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    if column.num_chunks == 0:
        return arrow.array([], column.type)
    # Dictionaries are made one. `unify_dictionaries` would do so too, but crashes where no code stands below a null.
    return pa.concat_arrays(column.chunks)


def concat(batches: list[Batch], schema: Schema) -> Batch:
    """All rows of `batches` in order, as one batch."""
    if len(batches) == 1:
        return batches[0]
    length = sum(batch.length for batch in batches)
    columns = {field.name: concat_arrays([b.columns[field.name] for b in batches], field.dtype) for field in schema}
    return Batch(columns, length)


def concat_arrays(arrays: list[pa.Array], dtype: pa.DataType) -> pa.Array:
    """One array of the values of all, which may be laid out in different ways."""
    if not arrays:
        return arrow.array([], dtype)
    if len(arrays) == 1:
        return arrays[0]
    whole = _rejoined(arrays)
    if whole is not None:
        return whole
    kinds = {array.type for array in arrays}
    try:
        if len(kinds) > 1:
            return pa.concat_arrays([decoded(array, dtype) for array in arrays])
        if pa.types.is_dictionary(arrays[0].type):
            return single_chunk(pa.chunked_array(arrays))
        return pa.concat_arrays(arrays)
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        # The offsets of Arrow's strings and lists are of 32 bits.
        raise UnsupportedError(
            f"a column of {type_name(dtype)} holds more than 2 GiB where all rows are needed at once",
            hint="sort, join or collect fewer columns or rows at a time; collect_batches() and sinks stream",
        ) from error


_TEXTS = (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())


def _rejoined(arrays: list[pa.Array]) -> pa.Array | None:
    """The array that was cut into these, one behind the other, without copying it; None where they are no such pieces."""
    first = arrays[0]
    # What has children, a dictionary or any number of buffers is left to Arrow.
    if not (pa.types.is_primitive(first.type) or pa.types.is_decimal(first.type) or first.type in _TEXTS):
        return None
    stop = first.offset + len(first)
    if any([array.type != first.type for array in arrays]) or arrays[1].offset != stop:
        return None
    buffers = first.buffers()
    places = [None if buffer is None else (buffer.address, buffer.size) for buffer in buffers]
    for array in arrays[1:]:
        if array.offset != stop:
            return None
        stop += len(array)
        if [None if buffer is None else (buffer.address, buffer.size) for buffer in array.buffers()] != places:
            return None
    return pa.Array.from_buffers(first.type, stop - first.offset, buffers, offset=first.offset)
