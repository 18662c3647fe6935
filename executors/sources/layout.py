"""Bring arrays of any physical layout to the one that `Batch` promises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from lazyframe.executors.batch import Batch, concat_arrays, narrowed, single_chunk
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.schema import Field
from lazyframe.planner.types import BINARY, STRING, is_decimal

MAX_ARRAY_BYTES = 1 << 30  # offsets of strings are int32: stay far from where they end


Convert = Callable[[pa.Array, pa.DataType], pa.Array]
"""From an array and the type of its column to the array in a layout that the reader takes."""


def normalized(array: pa.Array, dtype: pa.DataType) -> pa.Array:
    """`array` as a column of `dtype`: plain, a dictionary of strings with int32 indices, or a decimal as unscaled int64.

    Raises:
        pa.ArrowInvalid: where a value does not fit `dtype`.
    """
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if isinstance(array, pa.RunEndEncodedArray):
        array = pc.run_end_decode(array)
    if isinstance(array, pa.DictionaryArray):
        if dtype in (STRING, BINARY):
            return _normalized_dictionary(array, dtype)
        array = array.dictionary_decode()
        return normalized(array, dtype)
    if array.type != dtype:
        array = _plain(array, dtype)
    if is_decimal(dtype):
        return narrowed(array)
    return array


def _plain(array: pa.Array, dtype: pa.DataType) -> pa.Array:
    if "list_view" not in str(array.type):
        return pc.cast(array, dtype)
    # pyarrow's cast from list views writes too few offsets when the items change type as well.
    plain: pa.Array = arrow.array(array.to_pylist(), dtype)
    return plain


def _normalized_dictionary(array: pa.DictionaryArray, dtype: pa.DataType) -> pa.Array:
    values = array.dictionary
    if len(values) > max(len(array), 64):
        # A slice of a long dictionary: only the values it uses are worth converting.
        return pc.cast(array.dictionary_decode(), dtype)
    indices = array.indices
    if values.null_count:
        # A null may hide behind a valid index; a reader looks at the indices only.
        indices = pc.if_else(pc.is_null(values).take(indices), arrow.scalar(None, indices.type), indices)
        values = pc.fill_null(values, pc.cast(arrow.scalar("" if dtype == STRING else b"", dtype), values.type))
    if indices.type != pa.int32():
        indices = pc.cast(indices, pa.int32())
    if values.type != dtype:
        values = pc.cast(values, dtype)
    if indices is array.indices and values is array.dictionary:
        return array
    return pa.DictionaryArray.from_arrays(indices, values, safe=False)


def _one_array(column: pa.ChunkedArray, dtype: pa.DataType, convert: Convert) -> pa.Array:
    if column.num_chunks == 1:
        return convert(column.chunk(0), dtype)
    if isinstance(column.type, pa.BaseExtensionType) or pa.types.is_dictionary(column.type):
        # Dictionaries differ from chunk to chunk, and those that hold nulls cannot be unified as they are.
        return concat_arrays([normalized(chunk, dtype) for chunk in column.chunks], dtype)
    return normalized(single_chunk(column), dtype)


def batch_of(
    columns: Mapping[str, pa.Array], fields: Iterable[Field], rows: int, convert: Convert = normalized
) -> Batch:
    """A batch of the named fields, whose arrays may have any layout."""
    return Batch({f.name: convert(columns[f.name], f.dtype) for f in fields}, rows)


def batches_of(
    table: pa.Table,
    fields: Sequence[Field],
    morsel_rows: int,
    nbytes: int | None = None,
    convert: Convert = normalized,
) -> Iterator[Batch]:
    """The rows of `table` in batches of at most `morsel_rows`, cut at the borders of chunks where that is free.

    `nbytes` are those of the fields, where the caller knows them already.
    """
    if table.num_rows <= morsel_rows and (table.nbytes if nbytes is None else nbytes) <= MAX_ARRAY_BYTES:
        if table.num_rows:
            yield Batch({f.name: _one_array(table.column(f.name), f.dtype, convert) for f in fields}, table.num_rows)
        return
    names = [f.name for f in fields]
    for piece in table.select(names).to_batches(max_chunksize=morsel_rows):
        for part in _within_bytes(piece):
            yield batch_of(dict(zip(names, part.columns, strict=True)), fields, part.num_rows, convert)


def _within_bytes(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """`batch` cut so that no part holds more bytes than an array of strings can."""
    pending = [batch]
    while pending:
        part = pending.pop()
        if part.num_rows > 1 and part.nbytes > MAX_ARRAY_BYTES:
            half = part.num_rows // 2
            pending += [part.slice(half), part.slice(0, half)]
        elif part.num_rows:
            yield part
