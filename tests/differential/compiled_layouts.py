"""The same column as other memory: chunks, slices, dictionaries, views, buffers at odd addresses, anything below nulls."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_INDEX_TYPES = (pa.int8(), pa.int16(), pa.int32(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32())


def laid_out(random: Random, column: pa.Array) -> pa.ChunkedArray:
    """The column in a random layout."""
    form, dtype = _form(random, column.type)
    pieces = _pieces(random, column)
    return pa.chunked_array([_reshaped(random, piece, form, dtype) for piece in pieces], dtype)


def _form(random: Random, dtype: pa.DataType) -> tuple[str, pa.DataType]:
    if str(dtype) in ("string", "binary"):
        form = random.choice(["plain", "plain", "dictionary", "dictionary", "large", "view"])
    else:
        form = random.choice(["plain"] * 8 + ["dictionary"])
    if form == "large":
        return form, pa.large_string() if dtype == pa.string() else pa.large_binary()
    if form == "view":
        return form, pa.string_view() if dtype == pa.string() else pa.binary_view()
    if form == "dictionary" and not str(dtype).startswith("duration"):
        return form, pa.dictionary(random.choice(_INDEX_TYPES), dtype)
    return "plain", dtype


def _pieces(random: Random, column: pa.Array) -> list[pa.Array]:
    rows = len(column)
    borders = sorted(random.randint(0, rows) for _ in range(random.choice([0, 0, 1, 1, 2, 4])))
    starts = [0, *borders]
    return [column.slice(start, end - start) for start, end in zip(starts, [*borders, rows], strict=True)]


def _reshaped(random: Random, piece: pa.Array, form: str, dtype: pa.DataType) -> pa.Array:
    """A chunk in its form, behind rows that do not belong to it."""
    front = random.choice([0, 0, 1, 3, 8, 13])
    if front and len(piece):
        before = piece.take(pa.array([random.randrange(len(piece)) for _ in range(front)]))
        whole = pa.concat_arrays([before, piece, before])
        found = _formed(random, whole, form, dtype).slice(front, len(piece))
    else:
        found = _formed(random, pa.concat_arrays([piece]), form, dtype)
    assert len(found) == len(piece)
    return found


def _formed(random: Random, array: pa.Array, form: str, dtype: pa.DataType) -> pa.Array:
    if form == "dictionary":
        return _dictionary(random, array, dtype)
    if form != "plain":
        return array.cast(dtype)
    if random.random() < 0.4:
        array = _anything_below_nulls(random, array)
    if random.random() < 0.3:
        array = at_odd_address(array, random.choice([1, 2, 3, 5]))
    if array.null_count == 0 and random.random() < 0.3:
        array = _with_bitmap(array)
    return array


def _dictionary(random: Random, array: pa.Array, dtype: pa.DataType) -> pa.Array:
    """Codes of entries, of which some are equal, some are null and some are not used."""
    distinct = pc.unique(array.drop_null()) if len(array) else array
    entries = pa.concat_arrays([distinct, distinct.slice(0, 3)]) if random.random() < 0.5 else distinct
    if random.random() < 0.4:
        entries = pa.concat_arrays([entries, pa.nulls(1, array.type), entries.slice(0, 1)])
    room = 127 if dtype.index_type == pa.int8() else 255 if dtype.index_type == pa.uint8() else 30_000
    if len(entries) > room:
        dtype = pa.dictionary(dtype.index_type, array.type)
        if len(distinct) > room:
            # Too many for so narrow codes: most rows get another value, which all readers of the column see.
            distinct = distinct.slice(0, room)
        entries = distinct
    valid = np.asarray(array.is_valid())
    found = pc.index_in(array, distinct).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    twins = len(entries) - len(distinct)
    for row in np.flatnonzero(valid)[: len(array) // 2]:
        same = found[row] + len(distinct)
        if found[row] < min(3, twins) and same < len(entries) and entries[int(same)].equals(array[int(row)]):
            found[row] = same
    null_entries = np.flatnonzero(~np.asarray(entries.is_valid()))
    mask = ~valid
    if len(null_entries) and mask.any():
        behind = mask & (np.arange(len(array)) % 2 == 0)
        found[behind] = null_entries[0]
        mask &= ~behind
    indices = pa.array(found, pa.int64(), mask=mask).cast(dtype.index_type)
    if random.random() < 0.5:
        indices = _anything_below_nulls(random, indices)
    return pa.DictionaryArray.from_arrays(indices, entries, safe=False)


def _anything_below_nulls(random: Random, array: pa.Array) -> pa.Array:
    """The same values, with bytes of any kind where there is none."""
    buffers = array.buffers()
    if array.null_count == 0 or len(buffers) != 2 or array.type.bit_width % 8 or array.offset:
        return array
    width = array.type.bit_width // 8
    words = np.frombuffer(buffers[1], np.uint8)[: len(array) * width].reshape(-1, width).copy()
    nulls = ~np.asarray(array.is_valid())
    words[nulls] = np.random.default_rng(random.getrandbits(32)).integers(0, 256, (nulls.sum(), width), dtype=np.uint8)
    return pa.Array.from_buffers(array.type, len(array), [buffers[0], pa.py_buffer(words)])


def _with_bitmap(array: pa.Array) -> pa.Array:
    """The same with a bitmap that marks no null."""
    ones = pa.py_buffer(b"\xff" * ((len(array) + array.offset) // 8 + 1))
    return pa.Array.from_buffers(array.type, len(array), [ones, *array.buffers()[1:]], offset=array.offset)


def at_odd_address(array: pa.Array, shift: int) -> pa.Array:
    """The same in buffers that begin at addresses which no width divides."""

    def moved(buffer: pa.Buffer | None) -> pa.Buffer | None:
        if buffer is None:
            return None
        return pa.py_buffer(bytes(shift) + buffer.to_pybytes() + bytes(8)).slice(shift, buffer.size)

    buffers = [moved(buffer) for buffer in array.buffers()]
    return pa.Array.from_buffers(array.type, len(array), buffers, offset=array.offset)
