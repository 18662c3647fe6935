"""Hashes of rows: the same in every run, and the same for values that are equal, however they are laid out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from lazyframe.executors.vectorized.functions.layout import arrow_array, one_row
from lazyframe.executors.vectorized.kernel import Arguments, Value
from lazyframe.executors.vectorized.keys.hashing import mix_words
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

if TYPE_CHECKING:
    # To load it takes longer than all of this package.
    import numpy.typing as npt

Words: TypeAlias = "npt.NDArray[np.uint64]"

_NULL = np.uint64(0x9AE16A3B2F90404F)
_STEP = 0xC2B2AE3D27D4EB4F
# Independent functions for what must not be mixed up: values, high limbs, bytes, fields, lists.
_VALUE, _LIMB, _BYTES, _FIELDS, _LIST, _ROW = range(6)


def hash_rows(values: Sequence[Value], arguments: Arguments, rows: int) -> Value:
    """A hash of each row's arguments."""
    hashes = [_hash(v if isinstance(v, pa.Array) else one_row(v)) for v in values]
    length = rows if any(isinstance(v, pa.Array) for v in values) else 1
    mixed = mix_words([np.broadcast_to(h, length).copy() for h in hashes], _ROW)
    column = arrow_array(mixed, pa.uint64(), None)
    return column if any(isinstance(v, pa.Array) for v in values) else column[0]


def _hash(column: pa.Array) -> Words:
    if column.type in (pa.float16(), pa.float32()):
        column = column.cast(pa.float64())
    return _hash_form(normalise(column))


def _hash_form(form: Form) -> Words:
    match form:
        case Fixed(values, valid):
            hashes = mix_words([values.astype(np.int64)], _VALUE)
        case Wide(_, valid):
            low, narrow = form.narrow()
            hashes = mix_words([low], _VALUE)
            if not narrow.all():
                high = mix_words([limb.view(np.int64) for limb in form.limbs[:-1]], _LIMB)
                hashes = np.where(narrow, hashes, hashes ^ high)
        case Bytes(rows, valid):
            hashes = mix_words([rows.hashes()], _BYTES)
        case Dictionary(values, indices):
            return _hash_form(values).take(indices)
        case Record(fields, valid, length):
            words = [np.zeros(length, dtype=np.uint64), *(_hash_form(field) for field in fields)]
            hashes = mix_words(words, _FIELDS)
        case ListOf(lengths, elements, valid):
            hashes = _hash_lists(lengths, _hash(elements))
    return hashes if valid is None else np.where(valid, hashes, _NULL)


def _hash_lists(lengths: npt.NDArray[np.int64], elements: Words) -> Words:
    """Of each list, from the hashes of all elements in a row: their order counts."""
    ends = np.cumsum(lengths)
    starts = ends - lengths
    position = np.arange(len(elements), dtype=np.int64) - np.repeat(starts, lengths)
    placed = mix_words([elements ^ (position.view(np.uint64) * np.uint64(_STEP))], _LIST)
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(placed, dtype=np.uint64)])
    return mix_words([lengths, total[ends] - total[starts]], _LIST)
