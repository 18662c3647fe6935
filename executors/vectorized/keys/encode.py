"""Dense integer codes of rows of keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lazyframe.executors.compile_from import calls_for_kernels
from lazyframe.executors.vectorized.keys.byte_rows import PADDED_BYTES, WORD, ByteRows, Mask
from lazyframe.executors.vectorized.keys.grouping import Positions, dense_codes, hashed_codes
from lazyframe.executors.vectorized.keys.normalise import (
    Bytes,
    Dictionary,
    Fixed,
    Form,
    ListOf,
    Record,
    Wide,
    normalise,
)
from lazyframe.planner import arrow_compute as pc

# The product of the numbers of values that columns packed into one word may have.
PACKED = 1 << 62
# Small inputs may use a table of this size, whatever their number of rows.
_SMALL_TABLE = 4096
# Up to this many strings Arrow groups faster; beyond, hashing words of all rows at once does.
ARROW_ROWS = 4096


@dataclass(frozen=True, slots=True)
class Codes:
    """Which group each row belongs to.

    Attributes:
        codes: the group of each row, 0 to count - 1 in order of first appearance.
        count: how many groups there are.
        first: the row in which each group first appears, increasing: `column.take(first)` gives the groups' keys.
    """

    codes: Positions
    count: int
    first: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Digit:
    """Values in [0, radix), of signed 64 bits up to PACKED; beyond it any 64-bit words."""

    values: npt.NDArray
    radix: int


def encode(columns: Sequence[pa.Array], n: int) -> Codes:
    """Number the distinct rows of key columns in order of first appearance.

    NULL equals NULL, NaN equals NaN, and -0.0 equals 0.0; dictionaries, views and large strings compare by value.

    Args:
        columns: key columns of any types, each of length `n`. Without any, all rows are one group.
        n: the number of rows.

    Raises:
        TypeError: if values of a column's type can't be compared.

    Examples:
        >>> encode([pa.array(["b", None, "b", "a", None])], 5).codes.tolist()
        [0, 1, 0, 2, 1]
    """
    return encode_digits([digit for column in columns for digit in digits_of(normalise(column))], n)


def encode_digits(digits: Sequence[Digit], n: int) -> Codes:
    """Number the distinct rows of digits in order of first appearance."""
    if n == 0:
        nothing = np.zeros(0, dtype=np.intp)
        return Codes(nothing, 0, nothing)
    packed = pack(digits)
    if not packed:
        return Codes(np.zeros(n, dtype=np.intp), 1, np.zeros(1, dtype=np.intp))
    if len(packed) == 1 and packed[0].radix <= max(4 * n, _SMALL_TABLE):
        codes, first = dense_codes(packed[0].values, packed[0].radix)
    else:
        codes, first = hashed_codes([digit.values for digit in packed])
    return Codes(codes, len(first), first)


def pack(digits: Sequence[Digit]) -> list[Digit]:
    """Join digits by mixed radix into as few as fit 62 bits; digits of one value vanish."""
    if len(digits) == 1:
        return [digit for digit in digits if digit.radix > 1]
    packed: list[Digit] = []
    for digit in sorted(digits, key=lambda digit: digit.radix):
        if digit.radix <= 1:
            continue
        if packed and packed[-1].radix * digit.radix <= PACKED:
            last = packed[-1]
            packed[-1] = Digit(last.values * digit.radix + digit.values, last.radix * digit.radix)
        else:
            packed.append(digit)
    return packed


def digits_of(form: Form) -> list[Digit]:
    """Digits that are equal in two rows exactly where the rows' values are."""
    match form:
        case Fixed(values, valid):
            return fixed_digits(values, valid)
        case Wide(limbs, valid):
            low, fits = form.narrow()
            if fits.all():
                return fixed_digits(low, valid)
            return [digit for limb in limbs for digit in fixed_digits(limb, valid)]
        case Bytes(rows, valid):
            if rows.longest < WORD and len(rows) > ARROW_ROWS:
                return fixed_digits(rows.packed(), valid)
            codes, first = group_bytes(rows, valid)
            return [Digit(codes, len(first))]
        case Dictionary(values, indices):
            entries = encode_digits(digits_of(values), len(values))
            return [Digit(entries.codes.take(indices), entries.count)]
        case Record(fields, valid):
            present = [] if valid is None else [Digit(valid.astype(np.int64), 2)]
            return present + [digit for field in fields for digit in digits_of(field)]
        case ListOf(lengths, elements, valid):
            codes = encode([elements], len(elements)).codes
            return digits_of(Bytes(ByteRows(code_bytes(lengths, codes, valid=valid)), valid))


def fixed_digits(values: npt.NDArray, valid: Mask | None) -> list[Digit]:
    """Digits of integers: one counted from the least where the range allows, else the whole word."""
    present = values if valid is None else values.compress(valid)
    low, high = (int(present.min()), int(present.max())) if len(present) else (0, -1)
    span = high - low + 1
    if span < PACKED:
        offsets = offsets_from(values, low).view(np.int64)
        if valid is not None:
            np.putmask(offsets, ~valid, span)
        return [Digit(offsets, span + (valid is not None))]
    words = offsets_from(values, 0)
    if valid is None:
        return [Digit(words, 1 << 64)]
    np.putmask(words, ~valid, 0)
    return [Digit(words, 1 << 64), Digit(valid.astype(np.int64), 2)]


def offsets_from(values: npt.NDArray, low: int) -> npt.NDArray[np.uint64]:
    """A new array of values - low modulo 2**64."""
    words = values.astype(np.uint64 if values.dtype == np.uint64 else np.int64)
    if low:
        words.view(np.uint64)[...] -= np.uint64(low & (1 << 64) - 1)
    return words.view(np.uint64)


def code_bytes(
    lengths: npt.NDArray[np.int64], codes: npt.NDArray, dtype: str = "<i8", valid: Mask | None = None
) -> pa.Array:
    """The codes of each list's elements as bytes, so that lists are equal exactly where these are."""
    data = codes.astype(dtype)
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    offsets *= data.dtype.itemsize
    bitmap = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    buffers = [bitmap, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_binary(), len(lengths), buffers)


def group_bytes(rows: ByteRows, valid: Mask | None) -> tuple[Positions, Positions]:
    """Codes of strings in order of first appearance, and the first row of each."""
    if calls_for_kernels(len(rows)):
        from lazyframe.executors.compiled.keys.texts import text_groups

        found = text_groups(*rows.places, rows.present if valid is None else valid)
        if found is not None:
            return found
    if rows.longest <= PADDED_BYTES and len(rows) > ARROW_ROWS:
        lengths = rows.lengths if valid is None else np.where(valid, rows.lengths, -1)
        words: list[npt.NDArray] = [rows.word(j) for j in range(-(-rows.longest // WORD))]
        if not words or lengths.min() < lengths.max():
            words.append(lengths)
        return hashed_codes(words)
    indices = pc.dictionary_encode(rows.source, null_encoding="encode").indices
    codes = np.frombuffer(indices.buffers()[1], np.int32, count=len(rows), offset=4 * indices.offset).astype(np.intp)
    latest = np.maximum.accumulate(codes)
    return codes, np.flatnonzero(np.diff(latest, prepend=-1))
