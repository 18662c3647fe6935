"""Keys of groups in a kernel: each is some words of a group's record."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.accumulators import numbers_in, value_in_words
from lazyframe.executors.compiled.datum import Datum, Number, Text, is_text, kind_of
from lazyframe.executors.compiled.gather import gathered
from lazyframe.executors.compiled.kinds import F64, I32, I64, I128, POINTER
from lazyframe.executors.compiled.outputs import column_of
from lazyframe.executors.compiled.stage import Function, Pointer, Value
from lazyframe.executors.compiled.texts import texts_equal
from lazyframe.planner.types import DataType, is_float


class NumberKey:
    """A key that is a number."""

    is_text = False

    def __init__(self, dtype: DataType) -> None:
        self._dtype = dtype
        kind = kind_of(dtype)
        assert kind is not None
        self._kind = kind
        self.words = 2 if kind is I128 else 1

    def words_of(self, cg: Function, datum: Datum) -> list[Value]:
        """The words by which equal keys are equal."""
        assert isinstance(datum, Number)
        value = datum.value
        if is_float(self._dtype):
            # One zero, and one NaN.
            value = cg.choose(value == 0.0, cg.lift(0.0, value.kind), value)
            bits = value.bits_as(I64 if value.kind is F64 else I32)
            blank = 0x7FF8 << 48 if value.kind is F64 else 0x7FC0 << 16
            return [cg.choose(value.is_nan(), cg.lift(blank, bits.kind), bits).to(I64)]
        return value_in_words(cg, value)

    def column(self, words: np.ndarray, valid: np.ndarray | None, batch: Batch) -> pa.Array:
        """The key column, from the words of all groups."""
        return column_of(numbers_in(words, self._kind), valid, self._dtype)


class TextKey:
    """A key that is a string: its length and first bytes in one word, its address in the other.

    Two strings are equal where the first words are and, if they are longer than those tell, their bytes.
    """

    words = 2
    is_text = True

    def __init__(self, dtype: DataType) -> None:
        self._dtype = dtype

    def words_of(self, cg: Function, datum: Datum) -> list[Value]:
        assert isinstance(datum, Text)
        return [text_word(cg, datum), datum.address.to(I64)]

    def column(self, words: np.ndarray, valid: np.ndarray | None, batch: Batch) -> pa.Array:
        sizes = words[:, 0] >> 32
        return gathered(np.ascontiguousarray(words[:, 1]), np.ascontiguousarray(sizes), valid, self._dtype)


GroupKey = NumberKey | TextKey


def text_word(cg: Function, text: Text) -> Value:
    """The length of a string in the upper half of a word, a hash of its bytes in the lower half."""
    return cg.local("text_word", I64, [POINTER, I64], _text_word, text.address, text.length)


def _text_word(cg: Function, address: Pointer, length: Value) -> Value:
    hashed = cg.variable(I64, 0)
    words = length >> 3
    many = address.of(I64)
    with cg.for_range(0, words) as i:
        hashed.set(mixed(cg, hashed.get() ^ many[i]))
    rest = cg.variable(I64, 0)
    with cg.for_range(words << 3, length) as i:
        rest.set((rest.get() << 8) | address[i].to(I64))
    found = mixed(cg, hashed.get() ^ rest.get())
    return (length << 32) | (found & 0xFFFFFFFF)


def mixed(cg: Function, word: Value) -> Value:
    product = word * -0x61C8864680B583EB
    return product ^ product.shifted_right(32)


def key_of(dtype: DataType) -> GroupKey:
    return TextKey(dtype) if is_text(dtype) else NumberKey(dtype)


def same_key(cg: Function, key: GroupKey, words: Sequence[Value], record: Pointer) -> Value:
    """Whether a key, as words, is that of a record, whose first word is the key's."""
    if isinstance(key, TextKey):
        word = record[0]
        a = Text(key._dtype, _address(words[1]), words[0] >> 32)
        b = Text(key._dtype, _address(record[1]), word >> 32)
        return cg.both_lazily(words[0] == word, lambda: texts_equal(cg, a, b))
    same = words[0] == record[0]
    for place in range(1, key.words):
        same = cg.both(same, words[place] == record[place])
    return same


def _address(word: Value) -> Pointer:
    found = word.to(POINTER)
    assert isinstance(found, Pointer)
    return found
