"""Keys of a join in kernels: several of small ranges as one number, or any as words that are hashed and values that are compared."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.constants import Constants
from lazyframe.executors.compiled.datum import Datum, Number, Text, kind_of
from lazyframe.executors.compiled.group_keys import NumberKey, text_word
from lazyframe.executors.compiled.hashing import hash_words
from lazyframe.executors.compiled.kinds import I64, I128, U64
from lazyframe.executors.compiled.layouts import BITS, CODED, TEXT, WIDE, Layout, stage_column
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.texts import texts_equal
from lazyframe.executors.compiled.values import Value
from lazyframe.planner import arrow
from lazyframe.planner.types import is_float

_MOST_NUMBERS = 1 << 62
_MOST_BITS = 1 << 22
_RARE = 0.25


class PackedKeys:
    """Keys that are integers, or stand for integers, of ranges whose product fits in a word: together they are one number.

    Args:
        least: the least value of each key.
        sizes: how many numbers each key has a place for.
        null_at: of each key, the number that stands for null, where null is equal to itself.
        values: those of each key that are not null.
    """

    def __init__(
        self,
        least: Sequence[int],
        sizes: Sequence[int],
        null_at: Sequence[int | None],
        values: Sequence[np.ndarray],
    ) -> None:
        self._values = values
        self._least = least
        self._sizes = sizes
        self._null_at = null_at
        self.count = 1
        self._weights = []
        for size in sizes:
            self._weights.append(self.count)
            self.count *= max(size, 1)
        if 0 in sizes:
            self.count = 0

    def bind(self, name: str, constants: Constants) -> None:
        for number, (least, size, weight) in enumerate(zip(self._least, self._sizes, self._weights, strict=True)):
            null_at = self._null_at[number]
            constants.put(f"{name}.least{number}", least)
            constants.put(f"{name}.size{number}", size if null_at is None else null_at)
            constants.put(f"{name}.weight{number}", weight)

    def rarest(self) -> tuple[int, np.ndarray] | None:
        """The key of which the fewest of its numbers are there, and a bit for each of these; None where many of each are."""
        found: tuple[int, np.ndarray] | None = None
        least = _RARE
        for place, (values, size) in enumerate(zip(self._values, self._sizes, strict=True)):
            if size > _MOST_BITS or self._null_at[place] is not None:
                continue
            there = np.zeros((size | 63) + 1, dtype=bool)
            unsigned = values.dtype == np.uint64
            digits = (
                values - np.uint64(self._least[place]) if unsigned else values.astype(np.int64) - self._least[place]
            )
            there[digits.astype(np.int64, copy=False)] = True
            share = np.count_nonzero(there) / size
            if share < least:
                least = share
                found = place, np.packbits(there, bitorder="little").view(np.int64)
        return found

    def digit_is_there(self, cg: Function, name: str, keys: Sequence[Datum], place: int) -> Value:
        """Whether the bit of one key of a row, which has a number, is set in the bits of `rarest`."""
        key = keys[place]
        assert isinstance(key, Number)
        digit = key.value.to(I64) - cg.slot(f"{name}.least{place}")
        bits = cg.pointer(f"{name}.rarest", I64)[digit.shifted_right(6)]
        return (bits.shifted_right(digit & 63) & 1) != 0

    def number(self, cg: Function, name: str, keys: Sequence[Datum]) -> tuple[Value, Value]:
        """The number of a row's keys, and whether it has one: anything else is among no keys of the table."""
        found: Value | None = None
        within: Value | None = None
        for place, key in enumerate(keys):
            assert isinstance(key, Number)
            size = cg.slot(f"{name}.size{place}")
            digit = key.value.to(I64) - cg.slot(f"{name}.least{place}")
            inside = digit.to(U64) < size.to(U64)
            if key.valid is not None:
                if self._null_at[place] is not None:
                    digit = cg.choose(key.valid, digit, size)
                    inside = cg.either(~key.valid, inside)
                else:
                    inside = cg.both(key.valid, inside)
            if place:
                digit = digit * cg.slot(f"{name}.weight{place}")
            found = digit if found is None else found + digit
            within = cg.both(within, inside)
        assert found is not None
        assert within is not None
        return found, within

    @property
    def key(self) -> Hashable:
        """What code depends on, besides the types of the keys."""
        return "packed", tuple([null_at is not None for null_at in self._null_at])


def packed(arrays: Sequence[pa.Array], layouts: Sequence[Layout], *, nulls_equal: bool) -> PackedKeys | None:
    """How keys become one number; None where they do not."""
    least: list[int] = []
    sizes: list[int] = []
    null_at: list[int | None] = []
    values: list[np.ndarray] = []
    total = 1
    for array, layout in zip(arrays, layouts, strict=True):
        numbers = _integers(array, layout)
        if numbers is None:
            return None
        low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, -1)
        size = high - low + 1
        values.append(numbers)
        least.append(low)
        null_at.append(size if nulls_equal else None)
        sizes.append(size + nulls_equal)
        total *= max(sizes[-1], 1)
    return PackedKeys(least, sizes, null_at, values) if total < _MOST_NUMBERS else None


def _integers(array: pa.Array, layout: Layout) -> np.ndarray | None:
    """The integers that a column's values are, or stand for, in any order; None where they are none."""
    kind = kind_of(layout.dtype)
    if layout.form in (TEXT, CODED) or kind is None or kind is I128 or is_float(layout.dtype):
        return None
    if layout.form == BITS:
        return np.arange(2)
    buffer = array.buffers()[1]
    if buffer is None or not len(array):
        return np.zeros(0, dtype=np.int64)
    if layout.form == WIDE:
        numbers = np.frombuffer(buffer, dtype=np.int64)[2 * array.offset :: 2][: len(array)]
    else:
        width = array.type.bit_width // 8
        sign = "i" if kind.signed else "u"
        numbers = np.frombuffer(buffer, dtype=f"{sign}{width}", count=array.offset + len(array))[array.offset :]
    return numbers[arrow.numpy_of(array.is_valid())] if array.null_count else numbers


class ComparedKeys:
    """Keys of any types: a hash finds the row of the build side that may have them, and its values are compared."""

    def __init__(self, arrays: Sequence[pa.Array], layouts: Sequence[Layout], *, nulls_equal: bool) -> None:
        self._arrays = arrays
        self._layouts = layouts
        self._nulls_equal = nulls_equal

    def bind(self, name: str, constants: Constants) -> None:
        for number, (array, layout) in enumerate(zip(self._arrays, self._layouts, strict=True)):
            constants.column(f"{name}.key{number}", layout, array)

    def hash(self, cg: Function, keys: Sequence[Datum]) -> tuple[Value, Value]:
        """The hash of a row's keys, and whether they can be found at all."""
        words: list[Value] = []
        known: Value | None = None
        for key in keys:
            own = [text_word(cg, key)] if isinstance(key, Text) else NumberKey(key.dtype).words_of(cg, key)
            if key.valid is not None:
                if self._nulls_equal:
                    own = [cg.choose(key.valid, word, cg.lift(0, I64)) for word in own]
                else:
                    known = cg.both(known, key.valid)
            words.extend(own)
        return hash_words(cg, words).to(I64), cg.truth(True) if known is None else known

    def equal(self, cg: Function, name: str, keys: Sequence[Datum], row: Value) -> Value:
        """Whether a row of the build side has these keys."""
        same = cg.truth(True)
        for number, (key, layout) in enumerate(zip(keys, self._layouts, strict=True)):
            same = cg.both_lazily(same, partial(self._same, cg, f"{name}.key{number}", layout, key, row))
        return same

    def _same(self, cg: Function, place: str, layout: Layout, key: Datum, row: Value) -> Value:
        other = stage_column(cg, place, layout, row)
        if isinstance(key, Text):
            assert isinstance(other, Text)
            same = texts_equal(cg, key, other)
        else:
            assert isinstance(other, Number)
            same = cg.truth(True)
            form = NumberKey(key.dtype)
            for a, b in zip(form.words_of(cg, key), form.words_of(cg, other), strict=True):
                same = cg.both(same, a == b)
        if not self._nulls_equal or (key.valid is None and other.valid is None):
            # Rows of the build side with a null are in no table.
            return same
        a, b = (cg.truth(True) if d.valid is None else d.valid for d in (key, other))
        return cg.choose(cg.both(a, b), same, cg.both(~a, ~b))

    @property
    def key(self) -> Hashable:
        """What code depends on, besides the types of the keys."""
        return "compared", tuple(self._layouts), self._nulls_equal
