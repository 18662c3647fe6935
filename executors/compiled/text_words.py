"""Strings as two words of 64 bits: short ones whole, long ones by a hash and where they lie.

The upper half of the first word is the length. Of at most 12 bytes, the rest holds all of them: the first four, and the last
eight, which may overlap. Of more, the lower half of the first word is a hash of the bytes and the second word their address.
So short strings are equal exactly where both words are, and words outlive the memory that short strings were read from.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cache
from threading import Lock

import numpy as np
import pyarrow as pa

from lazyframe.executors.compiled.array_kernel import LoadedKernel, compiled_at_once
from lazyframe.executors.compiled.datum import Text
from lazyframe.executors.compiled.gather import text_array
from lazyframe.executors.compiled.hashing import SPREAD, mixed
from lazyframe.executors.compiled.kinds import BOOL, I32, I64, POINTER, U8, U32, U64
from lazyframe.executors.compiled.layouts import place_of
from lazyframe.executors.compiled.stage import DONE, Function
from lazyframe.executors.compiled.texts import texts_equal
from lazyframe.executors.compiled.values import Pointer, Value
from lazyframe.planner.types import STRING, DataType

WORDS = 2
_INLINE = 12


def text_words(cg: Function, text: Text) -> list[Value]:
    """A string as words."""
    if text.code is not None and text.entries is not None:
        # Those of a dictionary's entries are computed once.
        words = cg.pointer(entry_words_place(text.entries), I64)
        return [words[text.code * WORDS], words[text.code * WORDS + 1]]
    # Written where it is used: a call for each of the words would take longer than what it does.
    address, length = text.address, text.length
    low, second = cg.variable(I64, 0), cg.variable(I64, 0)
    with cg.if_(length >= 4) as some:
        with cg.if_(length > _INLINE) as branch:
            low.set(cg.local("bytes_hash", I64, [POINTER, I64], _hash, address, length))
            second.set(address.to(I64))
        with branch.otherwise():
            low.set(address.unaligned(0, U32).to(I64))
            with cg.if_(length >= 8) as longer:
                second.set(address.unaligned(length - 8, I64))
            with longer.otherwise():
                second.set(address.unaligned(length - 4, U32).to(I64))
    with some.otherwise(), cg.if_(length > 0):
        middle = address[length >> 1].to(I64) << 8
        low.set(address[0].to(I64) | middle | (address[length - 1].to(I64) << 16))
    return [(length << 32) | low.get(), second.get()]


def entry_words_place(column: str) -> str:
    """The name in the frame of the words of a dictionary's entries."""
    return f"{column}.words"


def _hash(cg: Function, address: Pointer, length: Value) -> Value:
    """32 bits of hash of more than 8 bytes; the last word may overlap the one before."""
    hashed = cg.variable(U64, 0)
    words = address.of(U64)
    with cg.for_range(0, (length - 1) >> 3) as i:
        hashed.set(mixed(hashed.get() ^ words[i]))
    last = mixed(hashed.get() ^ address.unaligned(length - 8, U64))
    return last.to(I64).shifted_right(32)


def text_word(cg: Function, words: list[Value]) -> Value:
    """One word of a string's, which is equal for equal strings and hardly for others: it does not tell where a long one lies."""
    first, second = words
    return first ^ (cg.choose(is_long(first), cg.lift(0, I64), second) * SPREAD)


def is_long(first: Value) -> Value:
    """Whether a string, by its first word, lies elsewhere."""
    return first >= (_INLINE + 1) << 32


def same_texts(cg: Function, a: list[Value], b: list[Value]) -> Value:
    """Whether two strings, as words, are equal."""
    first, second = a[0] == b[0], a[1] == b[1]
    result = cg.variable(BOOL, first & second)
    with cg.if_(first & ~second & is_long(a[0])):
        result.set(texts_equal(cg, text_of_long(cg, a), text_of_long(cg, b)))
    return result.get()


def text_of_long(cg: Function, words: list[Value], dtype: DataType = STRING) -> Text:
    """A long string from its words."""
    size = words[0].shifted_right(32)
    return Text(dtype, Pointer(cg, words[1].to(POINTER).ref, U8, size if cg.module.checked else None), size)


def texts_of(first: np.ndarray, second: np.ndarray, valid: np.ndarray | None, dtype: DataType) -> pa.Array:
    """An array of strings from their words; `valid` holds 0 where there is no value, whose words are 0."""
    given = {"first": np.ascontiguousarray(first), "second": np.ascontiguousarray(second)}
    return text_array(first >> np.int64(32), valid, dtype, _writing(), given)


@cache
def _writing() -> LoadedKernel:
    return compiled_at_once(_write)


def _write(cg: Function) -> None:
    first, second, offsets = (cg.pointer(name, I64) for name in ("first", "second", "offsets"))
    data = cg.pointer("data", U8)
    with cg.for_range(0, cg.slot("rows")) as row:
        words = [first[row], second[row]]
        size = words[0].shifted_right(32)
        place = data.at(offsets[row])
        with cg.if_(is_long(words[0])) as branch:
            place.copy(text_of_long(cg, words).address, size)
        with branch.otherwise():
            with cg.if_(size >= 4) as longer:
                place.set_unaligned(0, words[0].to(U32))
                with cg.if_(size >= 8) as eight:
                    place.set_unaligned(size - 8, words[1])
                with eight.otherwise():
                    place.set_unaligned(size - 4, words[1].to(U32))
            with longer.otherwise(), cg.if_(size > 0):
                place[size - 1] = (words[0] >> 16).to(U8)
                place[size >> 1] = (words[0] >> 8).to(U8)
                place[0] = words[0].to(U8)
    cg.return_(DONE)


_MOST_DICTIONARIES = 64


class EntryWords:
    """The words of the entries of dictionaries, which the batches of one table have in common."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[int, ...], tuple[pa.Array, np.ndarray]] = OrderedDict()
        self._lock = Lock()

    def of(self, dictionary: pa.Array) -> np.ndarray:
        """Those of a dictionary of strings, two for each entry."""
        if not len(dictionary):
            # All codes are null, and read as 0.
            return np.zeros(WORDS, dtype=np.int64)
        key = place_of(dictionary)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key][1]
        _, offsets, data = dictionary.buffers()
        words = np.empty(WORDS * len(dictionary), dtype=np.int64)
        starts = np.frombuffer(offsets, dtype=np.int32)[dictionary.offset :]
        data_ = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, dtype=np.uint8)
        _reading().call(starts=starts, bytes=data_, words=words, rows=len(dictionary))
        with self._lock:
            # The dictionary is kept, so that its address remains its own.
            self._known[key] = dictionary, words
            if len(self._known) > _MOST_DICTIONARIES:
                self._known.popitem(last=False)
        return words


@cache
def _reading() -> LoadedKernel:
    return compiled_at_once(_write_words)


def _write_words(cg: Function) -> None:
    starts, data, words = cg.pointer("starts", I32), cg.pointer("bytes", U8), cg.pointer("words", I64)
    with cg.for_range(0, cg.slot("rows")) as row:
        start = starts[row].to(I64)
        text = Text(STRING, data.at(start), starts[row + 1].to(I64) - start)
        for place, word in enumerate(text_words(cg, text)):
            words[row * WORDS + place] = word
    cg.return_(DONE)
