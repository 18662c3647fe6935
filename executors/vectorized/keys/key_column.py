"""One column of a join key: fitted to the build side, it maps both sides' values to the same digits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lazyframe.executors.vectorized.keys.byte_rows import WORD, ByteRows, Mask
from lazyframe.executors.vectorized.keys.encode import PACKED, code_bytes, group_bytes, offsets_from
from lazyframe.executors.vectorized.keys.hash_table import HashTable
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


@dataclass(frozen=True, slots=True)
class Located:
    """Rows by their digits; where `known` is False no build row has the value, and the digits mean nothing."""

    digits: tuple[npt.NDArray, ...]
    known: Mask | None


class KeyColumn(Protocol):
    """What maps values of a column to digits."""

    radices: tuple[int, ...]

    def locate(self, form: Form) -> Located:
        """Digits of values, of the build side or another."""
        ...


def fit(form: Form, *, nulls_equal: bool) -> KeyColumn:
    """Fit a key column to the build side's values.

    Args:
        form: all values of the build side.
        nulls_equal: whether a null is a value that equals itself; else it is never known.
    """
    match form:
        case Fixed(values, valid):
            return FixedColumn(values, valid, nulls_equal=nulls_equal)
        case Wide():
            return WideColumn(form, nulls_equal=nulls_equal)
        case Bytes(rows, valid):
            if rows.longest < WORD:
                return ShortBytesColumn(rows, valid, nulls_equal=nulls_equal)
            return BytesColumn(rows, valid, nulls_equal=nulls_equal)
        case Dictionary(values, _):
            return fit(values, nulls_equal=nulls_equal)
        case Record():
            return RecordColumn(form, nulls_equal=nulls_equal)
        case ListOf():
            return ListColumn(form, nulls_equal=nulls_equal)


def locate(column: KeyColumn, form: Form) -> Located:
    """Digits of values; of a dictionary's values only once."""
    if not isinstance(form, Dictionary):
        return column.locate(form)
    entries = column.locate(form.values)
    known = None if entries.known is None else entries.known.take(form.indices)
    return Located(tuple(digit.take(form.indices) for digit in entries.digits), known)


class FixedColumn:
    """Integers by their distance from the build side's least, or as words where they reach too far."""

    def __init__(self, values: npt.NDArray, valid: Mask | None, *, nulls_equal: bool) -> None:
        present = values if valid is None else values.compress(valid)
        self._dtype = values.dtype
        self._low, high = (int(present.min()), int(present.max())) if len(present) else (0, -1)
        self._null = valid is not None and nulls_equal
        self._span = high - self._low + 1
        self._whole = self._span >= PACKED
        if self._whole:
            self._low = 0
            self.radices: tuple[int, ...] = (1 << 64, 2) if self._null else (1 << 64,)
        else:
            self.radices = (self._span + self._null,)

    def locate(self, form: Form) -> Located:
        """Digits of integers; a null has one of its own, or is unknown."""
        if isinstance(form, Wide):
            # Decimals are laid out as their values allow, which may be narrower on the build side.
            low, fits = form.narrow()
            located = self.locate(Fixed(low, form.valid))
            return located if fits.all() else Located(located.digits, both(located.known, fits))
        assert isinstance(form, Fixed)
        assert form.values.dtype == self._dtype, "both sides' keys must be of one logical type"
        words = offsets_from(form.values, self._low)
        if self._whole:
            known = None
            present = np.ones(len(words), dtype=np.int64) if form.valid is None else form.valid.astype(np.int64)
            if form.valid is not None:
                np.putmask(words, ~form.valid, 0)
                known = None if self._null else form.valid
            return Located((words, present) if self._null else (words,), known)
        known = words < np.uint64(self._span)
        if form.valid is not None:
            known &= form.valid
            if self._null:
                np.putmask(words, ~form.valid, self._span)
                known |= ~form.valid
        return Located((words.view(np.int64),), None if known.all() else known)


class WideColumn:
    """Integers of several limbs, as one where all of the build side's fit in 64 bits."""

    def __init__(self, form: Wide, *, nulls_equal: bool) -> None:
        low, fits = form.narrow()
        self._narrow = bool(fits.all())
        limbs = (low,) if self._narrow else form.limbs
        self._limbs = [FixedColumn(limb, form.valid, nulls_equal=nulls_equal) for limb in limbs]
        self.radices = tuple(radix for limb in self._limbs for radix in limb.radices)

    def locate(self, form: Form) -> Located:
        """Digits of each limb."""
        if self._narrow:
            return self._limbs[0].locate(form)
        if isinstance(form, Fixed):
            form = form.widen(len(self._limbs))
        assert isinstance(form, Wide)
        parts = [limb.locate(Fixed(v, form.valid)) for limb, v in zip(self._limbs, form.limbs, strict=True)]
        return _join(parts)


class ShortBytesColumn:
    """Strings of at most 7 bytes, as integers."""

    def __init__(self, rows: ByteRows, valid: Mask | None, *, nulls_equal: bool) -> None:
        self._packed = FixedColumn(rows.packed(), valid, nulls_equal=nulls_equal)
        self.radices = self._packed.radices

    def locate(self, form: Form) -> Located:
        """Digits of the strings that are short enough to be known."""
        assert isinstance(form, Bytes)
        located = self._packed.locate(Fixed(form.rows.packed(), form.valid))
        short = form.rows.lengths < WORD
        return located if short.all() else Located(located.digits, both(located.known, short))


class BytesColumn:
    """Strings by their code in a hash table of the distinct ones."""

    def __init__(self, rows: ByteRows, valid: Mask | None, *, nulls_equal: bool) -> None:
        present = rows if valid is None else rows.take(np.flatnonzero(valid))
        _, first = group_bytes(present, None)
        self._rows = present if len(first) == len(present) else present.take(first)
        self._table = HashTable([self._rows.hashes()])
        self._null = valid is not None and nulls_equal
        self.radices: tuple[int, ...] = (len(first) + self._null,)

    def locate(self, form: Form) -> Located:
        """Codes of the strings that are in the table."""
        assert isinstance(form, Bytes)
        rows = form.rows
        codes = self._table.lookup([rows.hashes()], lambda mine, theirs: self._rows.equal(mine, rows, theirs))
        if form.valid is not None:
            np.putmask(codes, ~form.valid, self.radices[0] - 1 if self._null else -1)
        known = codes >= 0
        return Located((codes,), None if known.all() else known)


class RecordColumn:
    """Structs field by field; a null inside equals a null."""

    def __init__(self, form: Record, *, nulls_equal: bool) -> None:
        self._presence = FixedColumn(*_presence(form.valid, len(form)), nulls_equal=nulls_equal)
        self._fields = [fit(field, nulls_equal=True) for field in form.fields]
        radices = [radix for field in self._fields for radix in field.radices]
        self.radices = (*self._presence.radices, *radices)

    def locate(self, form: Form) -> Located:
        """Digits of presence and of every field."""
        assert isinstance(form, Record)
        presence = self._presence.locate(Fixed(*_presence(form.valid, len(form))))
        fields = [locate(column, field) for column, field in zip(self._fields, form.fields, strict=True)]
        return _join([presence, *fields])


class ListColumn:
    """Lists by the digits of their elements; a null inside equals a null."""

    def __init__(self, form: ListOf, *, nulls_equal: bool) -> None:
        elements = normalise(form.elements)
        self._elements = fit(elements, nulls_equal=True)
        located = locate(self._elements, elements)
        self._lists = BytesColumn(_list_bytes(form, located), form.valid, nulls_equal=nulls_equal)
        self.radices: tuple[int, ...] = self._lists.radices

    def locate(self, form: Form) -> Located:
        """Codes of the lists of which every element and the whole are known."""
        assert isinstance(form, ListOf)
        elements = locate(self._elements, normalise(form.elements))
        located = self._lists.locate(Bytes(_list_bytes(form, elements), form.valid))
        if elements.known is None:
            return located
        unknown = np.concatenate(([0], np.cumsum(~elements.known)))
        ends = np.cumsum(form.lengths)
        whole = unknown.take(ends) == unknown.take(ends - form.lengths)
        return Located(located.digits, both(located.known, whole))


def both(left: Mask | None, right: Mask | None) -> Mask | None:
    """Where two masks are both True; None is True everywhere."""
    if left is None or right is None:
        return right if left is None else left
    return left & right


def _join(parts: list[Located]) -> Located:
    known = reduce(both, (part.known for part in parts))
    return Located(tuple(digit for part in parts for digit in part.digits), known)


def _presence(valid: Mask | None, n: int) -> tuple[npt.NDArray, Mask | None]:
    return np.zeros(n, dtype=np.int64), valid


def _list_bytes(form: ListOf, elements: Located) -> ByteRows:
    """Each list as the digits of its elements; the digits of unknown elements mean nothing."""
    digits = [digit.view(np.int64) for digit in elements.digits]
    flat = digits[0] if len(digits) == 1 else np.stack(digits, axis=1).reshape(-1)
    return ByteRows(code_bytes(form.lengths * len(digits), flat))
