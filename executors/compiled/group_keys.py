"""Keys of groups in a kernel: each is some words of a group's record."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.accumulators import numbers_in, value_in_words
from lazyframe.executors.compiled.datum import Datum, Number, Text, is_text, kind_of
from lazyframe.executors.compiled.kinds import F64, I32, I64, I128
from lazyframe.executors.compiled.outputs import column_of
from lazyframe.executors.compiled.stage import Function
from lazyframe.executors.compiled.text_words import WORDS, same_texts, text_words, texts_of
from lazyframe.executors.compiled.text_words import text_word as word_of
from lazyframe.executors.compiled.values import Pointer, Value
from lazyframe.planner.types import DataType, is_float


class NumberKey:
    """A key that is a number; of equal floats one stands for all.

    Attributes:
        is_half: whether half a word holds it.
    """

    is_text = False

    def __init__(self, dtype: DataType) -> None:
        self._dtype = dtype
        kind = kind_of(dtype)
        assert kind is not None
        self._kind = kind
        self.words = 2 if kind is I128 else 1
        self.is_half = kind.bits <= 32

    def words_of(self, cg: Function, datum: Datum) -> list[Value]:
        """The words by which equal keys are equal."""
        assert isinstance(datum, Number)
        if is_float(self._dtype):
            return [equal_float(cg, datum.value)]
        return value_in_words(cg, datum.value)

    def hashed(self, cg: Function, words: Sequence[Value]) -> list[Value]:
        return list(words)

    def same(self, cg: Function, words: Sequence[Value], record: Pointer) -> Value:
        """Whether a key, as words, is that of a record, which begins with the key's."""
        same = words[0] == record[0]
        for place in range(1, self.words):
            same = cg.both(same, words[place] == record[place])
        return same

    def column(self, words: Sequence[np.ndarray], valid: np.ndarray | None) -> pa.Array:
        """The key column, from the words of all groups."""
        return column_of(numbers_in(words, self._kind), valid, self._dtype)


class FloatKey:
    """A key that is a float: a word that is the same for both zeros and for all that is no number, and the float itself."""

    words = 2
    is_text = is_half = False

    def __init__(self, dtype: DataType) -> None:
        self._dtype = dtype
        kind = kind_of(dtype)
        assert kind is not None
        self._kind = kind

    def words_of(self, cg: Function, datum: Datum) -> list[Value]:
        assert isinstance(datum, Number)
        return [equal_float(cg, datum.value), *value_in_words(cg, datum.value)]

    def hashed(self, cg: Function, words: Sequence[Value]) -> list[Value]:
        return [words[0]]

    def same(self, cg: Function, words: Sequence[Value], record: Pointer) -> Value:
        return words[0] == record[0]

    def column(self, words: Sequence[np.ndarray], valid: np.ndarray | None) -> pa.Array:
        """The key column: of equal keys the one that came first."""
        return column_of(numbers_in(words[1:], self._kind), valid, self._dtype)


def equal_float(cg: Function, value: Value) -> Value:
    """A word that is equal for equal floats: there is one zero, and one NaN."""
    value = cg.choose(value == 0.0, cg.lift(0.0, value.kind), value)
    bits = value.bits_as(I64 if value.kind is F64 else I32)
    blank = 0x7FF8 << 48 if value.kind is F64 else 0x7FC0 << 16
    return cg.choose(value.is_nan(), cg.lift(blank, bits.kind), bits).to(I64)


class TextKey:
    """A key that is a string."""

    words = WORDS
    is_text = True
    is_half = False

    def __init__(self, dtype: DataType) -> None:
        self._dtype = dtype

    def words_of(self, cg: Function, datum: Datum) -> list[Value]:
        assert isinstance(datum, Text)
        return text_words(cg, datum)

    def hashed(self, cg: Function, words: Sequence[Value]) -> list[Value]:
        return [word_of(cg, list(words))]

    def same(self, cg: Function, words: Sequence[Value], record: Pointer) -> Value:
        return same_texts(cg, list(words), [record[0], record[1]])

    def column(self, words: Sequence[np.ndarray], valid: np.ndarray | None) -> pa.Array:
        return texts_of(words[0], words[1], valid, self._dtype)


def text_word(cg: Function, text: Text) -> Value:
    """A word that is equal for equal strings, and hardly for others."""
    return word_of(cg, text_words(cg, text))


GroupKey = NumberKey | FloatKey | TextKey


def key_of(dtype: DataType) -> GroupKey:
    if is_text(dtype):
        return TextKey(dtype)
    return FloatKey(dtype) if is_float(dtype) else NumberKey(dtype)
