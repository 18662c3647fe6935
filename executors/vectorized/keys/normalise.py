"""Key columns reduced to a few forms in which equality and order are the engine's own.

Every Arrow type becomes one of six forms. NaN has one bit pattern and is the greatest float, -0.0 is 0.0, and what a
string, dictionary or list is physically made of no longer shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.vectorized.keys.byte_rows import ByteRows, Ints, Mask
from lazyframe.executors.vectorized.keys.grouping import dense_codes
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc

IntArray: TypeAlias = npt.NDArray[np.integer]

_WORD = np.dtype("i8")


@dataclass(frozen=True, slots=True)
class Fixed:
    """Integers that compare as the column's values do; `valid` is None where nothing is null."""

    values: IntArray
    valid: Mask | None

    def __len__(self) -> int:
        return len(self.values)

    def widen(self, limbs: int) -> Wide:
        """The same integers, of 64 bits and signed, as so many limbs."""
        sign = self.values >> np.int64(63)
        high = [sign] + [sign.view(np.uint64)] * (limbs - 2)
        return Wide((*high, self.values.view(np.uint64)), self.valid)


@dataclass(frozen=True, slots=True)
class Wide:
    """Integers of more than 64 bits: the highest limb is signed, the others are not."""

    limbs: tuple[IntArray, ...]
    valid: Mask | None

    def __len__(self) -> int:
        return len(self.limbs[0])

    def narrow(self) -> tuple[Ints, Mask]:
        """The lowest 64 bits as signed integers, and where (nulls included) these are the whole value."""
        low = self.limbs[-1].view(np.int64)
        sign = low >> np.int64(63)
        fits = np.ones(len(low), dtype=np.bool_)
        for limb in self.limbs[:-1]:
            fits &= limb.view(np.int64) == sign
        return low, fits if self.valid is None else fits | ~self.valid


@dataclass(frozen=True, slots=True)
class Bytes:
    """Strings and binaries, compared byte by byte; the nulls are those of the rows' array."""

    rows: ByteRows
    valid: Mask | None

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Positions in `values`, which may repeat values and hold nulls; every position is valid."""

    values: Form
    indices: npt.NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.indices)


@dataclass(frozen=True, slots=True)
class Record:
    """A struct: fields in order, null where the struct is."""

    fields: tuple[Form, ...]
    valid: Mask | None
    length: int

    def __len__(self) -> int:
        return self.length


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list or map: row after row of `elements`, of which row i takes the next `lengths[i]`."""

    lengths: Ints
    elements: pa.Array
    valid: Mask | None

    def __len__(self) -> int:
        return len(self.lengths)


Form: TypeAlias = Fixed | Wide | Bytes | Dictionary | Record | ListOf


def normalise(column: pa.Array) -> Form:
    """Bring a key column into one of the forms.

    Args:
        column: an array of any type but union; slices are respected.

    Raises:
        TypeError: if values of the column's type can't be compared.
    """
    return _normaliser(column.type)(column)


@lru_cache(maxsize=1024)
def _normaliser(kind: pa.DataType) -> Callable[[pa.Array], Form]:
    """How columns of a type are brought into their form: found once, since a type answers one question after the other."""
    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return lambda column: normalise(column.storage)
    if types.is_null(kind):
        return lambda column: Fixed(np.zeros(len(column), dtype=np.int8), np.zeros(len(column), dtype=np.bool_))
    if types.is_dictionary(kind):
        return _dictionary
    if types.is_run_end_encoded(kind):
        return lambda column: normalise(pc.run_end_decode(column))
    if types.is_map(kind):
        entry = pa.struct([pa.field("key", kind.key_type), pa.field("value", kind.item_type)])
        return lambda column: normalise(column.cast(pa.list_(entry)))
    if types.is_boolean(kind):
        return lambda column: Fixed(_bits(column.buffers()[1], column.offset, len(column)), validity(column))
    if _is_bytes(kind):
        return lambda column: Bytes(ByteRows(column), validity(column))
    if types.is_floating(kind):
        width = np.dtype(f"f{kind.bit_width // 8}")
        return lambda column: Fixed(_ordered_floats(_buffer_values(column, width)), validity(column))
    if types.is_decimal(kind) and kind.bit_width > 64:
        return lambda column: _wide(column, kind.bit_width // 64)
    if kind == pa.month_day_nano_interval():
        return _interval
    if types.is_struct(kind):
        return lambda column: Record(tuple(map(normalise, column.flatten())), validity(column), len(column))
    if _is_list(kind):
        return _list
    if types.is_primitive(kind) or types.is_decimal(kind):
        integers = _integer_dtype(kind)
        return lambda column: Fixed(_buffer_values(column, integers), validity(column))
    raise TypeError(f"values of type {kind} can't be compared, so they can't be keys")


def _wide(column: pa.Array, words: int) -> Wide:
    matrix = _buffer_values(column, _WORD, words)
    low = [np.ascontiguousarray(matrix[:, k]).view(np.uint64) for k in range(words - 1)]
    return Wide((np.ascontiguousarray(matrix[:, words - 1]), *reversed(low)), validity(column))


def _interval(column: pa.Array) -> Record:
    valid = validity(column)
    matrix = _buffer_values(column, np.dtype("i4"), 4)
    nanos = np.ascontiguousarray(matrix[:, 2:]).view(np.int64).reshape(-1)
    parts = (np.ascontiguousarray(matrix[:, 0]), np.ascontiguousarray(matrix[:, 1]), nanos)
    return Record(tuple(Fixed(part, valid) for part in parts), valid, len(column))


def _list(column: pa.Array) -> ListOf:
    lengths = pc.fill_null(pc.list_value_length(column), 0)
    return ListOf(arrow.numpy_of(lengths).astype(np.int64), column.flatten(), validity(column))


def validity(column: pa.Array) -> Mask | None:
    """Where a column is not null; None where that is everywhere."""
    if column.null_count == 0:
        return None
    bitmap = column.buffers()[0]
    if bitmap is None:
        return arrow.numpy_of(column.is_valid())
    return _bits(bitmap, column.offset, len(column)).view(np.bool_)


def _bits(bitmap: pa.Buffer, offset: int, n: int) -> npt.NDArray[np.uint8]:
    if n == 0:
        return np.zeros(0, dtype=np.uint8)
    packed = np.frombuffer(bitmap, np.uint8, count=(offset + n + 7) // 8 - offset // 8, offset=offset // 8)
    return np.unpackbits(packed, bitorder="little")[offset % 8 : offset % 8 + n]


def _buffer_values(column: pa.Array, item: np.dtype, per_row: int = 1) -> npt.NDArray:
    """The fixed-width values of a column as numpy sees them; two-dimensional where a row takes several."""
    n = len(column)
    if n == 0:
        flat = np.empty(0, dtype=item)
    else:
        flat = np.frombuffer(
            column.buffers()[1], item, count=n * per_row, offset=column.offset * per_row * item.itemsize
        )
    return flat if per_row == 1 else flat.reshape(n, per_row)


def _integer_dtype(kind: pa.DataType) -> np.dtype:
    return np.dtype(f"{'u' if pa.types.is_unsigned_integer(kind) else 'i'}{kind.bit_width // 8}")


def _ordered_floats(floats: npt.NDArray[np.floating]) -> IntArray:
    """Signed integers in the total order of floats: -0.0 is 0.0, every NaN is the same and the greatest."""
    floats = floats + floats.dtype.type(0)  # turns -0.0 into 0.0
    nans = np.isnan(floats)
    if nans.any():
        floats[nans] = np.nan
    width = floats.dtype.itemsize
    bits = floats.view(f"i{width}")
    # Negative floats grow away from zero as their bits grow: flip all but the sign.
    flip = bits >> bits.dtype.type(8 * width - 1)
    flip &= np.iinfo(bits.dtype).max
    flip ^= bits
    return flip


def _dictionary(column: pa.DictionaryArray) -> Form:
    values = column.dictionary
    if pa.types.is_nested(values.type):
        return normalise(column.dictionary_decode())
    if pa.types.is_string_view(values.type):
        values = values.cast(pa.large_string())
    elif pa.types.is_binary_view(values.type):
        values = values.cast(pa.large_binary())
    positions = column.indices
    indices = _buffer_values(positions, _integer_dtype(positions.type)).astype(np.intp)
    valid = validity(positions)
    if valid is not None:
        nulls = np.flatnonzero(arrow.numpy_of(values.is_null()))
        if len(nulls):
            null_position = int(nulls[0])
        else:
            null_position = len(values)
            values = pa.concat_arrays([values, pa.nulls(1, values.type)])
        np.putmask(indices, ~valid, null_position)
    if len(values) > 2 * len(indices) + 64:
        codes, first = dense_codes(indices, len(values))
        values, indices = pc.take(values, arrow.array(indices.take(first))), codes
    return Dictionary(normalise(values), indices)


def _is_bytes(kind: pa.DataType) -> bool:
    types = pa.types
    return (
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_binary_view(kind)
        or (types.is_fixed_size_binary(kind) and not types.is_decimal(kind))
    )


def _is_list(kind: pa.DataType) -> bool:
    types = pa.types
    return (
        types.is_list(kind)
        or types.is_large_list(kind)
        or types.is_fixed_size_list(kind)
        or types.is_list_view(kind)
        or types.is_large_list_view(kind)
    )
