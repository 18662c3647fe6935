"""Strings of bytes as they lie in an Arrow array: their codes in order of first appearance, and words that sort as they do."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from lazyframe.executors.compiled.array_kernel import ArrayKernel
from lazyframe.executors.compiled.hashing import SPREAD, mixed
from lazyframe.executors.compiled.keys.grouping import MOST_ROWS, Groups, grouped, rehashing, write_groups
from lazyframe.executors.compiled.kinds import BOOL, I32, I64, POINTER, U8, U64
from lazyframe.executors.compiled.stage import DONE, Function
from lazyframe.executors.compiled.values import Pointer, Value

_RECORD = 3


def text_groups(
    offsets: npt.NDArray[np.signedinteger], data: npt.NDArray[np.uint8], valid: npt.NDArray[np.bool_] | None
) -> Groups | None:
    """Codes of strings; None where numpy and Arrow do it.

    Args:
        offsets: where each begins, and at last where the last ends, of 32 or 64 bits.
        data: the bytes that they count in.
        valid: false where there is no string: these rows are one group. None where there always is one.
    """
    n = len(offsets) - 1
    if n > MOST_ROWS:
        return None
    kernel = _texts(offsets.dtype == np.int64, valid is not None).wanted_for(n)
    rehash = rehashing(_RECORD).wanted_for(n)
    if kernel is None or rehash is None:
        return None
    given: dict[str, np.ndarray] = {"offsets": np.ascontiguousarray(offsets), "data": data}
    if valid is not None:
        given["valid"] = np.ascontiguousarray(valid)
    return grouped(kernel, rehash, n, _RECORD, given)


def ordered_words(
    offsets: npt.NDArray[np.signedinteger],
    data: npt.NDArray[np.uint8],
    valid: npt.NDArray[np.bool_] | None,
    rows: npt.NDArray[np.int64] | None,
    skipped: int,
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]] | None:
    """Eight bytes of each string as a word that sorts as they do, and how many bytes are left there, at most 9.

    Args:
        offsets, data, valid: as for `text_groups`; where there is no string there are no bytes.
        rows: which strings; None for all.
        skipped: how many bytes come before.
    """
    n = len(offsets) - 1 if rows is None else len(rows)
    kernel = _words(offsets.dtype == np.int64, valid is not None, rows is not None).wanted_for(n)
    if kernel is None:
        return None
    given: dict[str, np.ndarray] = {"offsets": np.ascontiguousarray(offsets), "data": data}
    if valid is not None:
        given["valid"] = np.ascontiguousarray(valid)
    if rows is not None:
        given["chosen"] = np.ascontiguousarray(rows)
    words, left = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.int64)
    kernel.call(**given, words=words, left=left, rows=n, strings=len(offsets) - 1, skipped=skipped)
    return words, left


@cache
def _words(is_wide: bool, is_nullable: bool, is_chosen: bool) -> ArrayKernel:
    return ArrayKernel(_write_words, is_wide, is_nullable, is_chosen)


def _write_words(cg: Function, is_wide: bool, is_nullable: bool, is_chosen: bool) -> None:
    bounds, data, end = _strings(cg, is_wide, is_nullable, cg.slot("strings"))
    chosen = cg.pointer("chosen", I64) if is_chosen else None
    words, left = cg.pointer("words", U64), cg.pointer("left", I64)
    skipped = cg.slot("skipped")
    with cg.for_range(0, cg.slot("rows")) as number:
        start, length = bounds(number if chosen is None else chosen[number])
        rest = length - skipped
        word = cg.variable(U64, 0)
        with cg.if_(rest >= 8) as whole:
            word.set(data.unaligned(start + skipped, U64))
        with whole.otherwise(), cg.if_(rest > 0):
            word.set(_last_word(cg, data, start + skipped, rest, end))
        words[number] = cg.intrinsic("llvm.bswap", U64, word.get())
        least = cg.choose(rest < 0, cg.lift(0, I64), rest)
        left[number] = cg.choose(least > 9, cg.lift(9, I64), least)
    cg.return_(DONE)


@cache
def _texts(is_wide: bool, is_nullable: bool) -> ArrayKernel:
    return ArrayKernel(_write, is_wide, is_nullable)


def _write(cg: Function, is_wide: bool, is_nullable: bool) -> None:
    bounds, data, end = _strings(cg, is_wide, is_nullable, cg.slot("rows"))

    def hash_of(row: Value) -> Value:
        start, length = bounds(row)
        return cg.local("bytes_hashed", U64, [POINTER, I64, I64, I64], _hashed, data, start, length, end)

    def same(record: Pointer, row: Value) -> Value:
        start, length = bounds(row)
        other = record[1]

        def equal_bytes() -> Value:
            return cg.local("bytes_same", BOOL, [POINTER, I64, I64, I64, I64], _same, data, start, other, length, end)

        return cg.both_lazily(record[2] == length, equal_bytes)

    def fill(record: Pointer, row: Value) -> None:
        record[1], record[2] = bounds(row)

    write_groups(cg, _RECORD, hash_of, same, fill)


def _strings(
    cg: Function, is_wide: bool, is_nullable: bool, count: Value
) -> tuple[Callable[[Value], tuple[Value, Value]], Pointer, Value]:
    """Where a string begins and how long it is, -1 for none; all bytes, and how many they are."""
    offsets, data = cg.pointer("offsets", I64 if is_wide else I32), cg.pointer("data", U8)
    valid = cg.pointer("valid", BOOL) if is_nullable else None

    def bounds(row: Value) -> tuple[Value, Value]:
        start = offsets[row].to(I64)
        length = offsets[row + 1].to(I64) - start
        return start, length if valid is None else cg.choose(valid[row], length, cg.lift(-1, I64))

    return bounds, data, offsets[count].to(I64)


def _hashed(cg: Function, data: Pointer, start: Value, length: Value, end: Value) -> Value:
    data = data.of(U8, end) if cg.module.checked else data
    state = cg.variable(U64, length.to(U64) * SPREAD)
    whole = length & ~7
    with cg.for_range(0, cg.choose(length < 0, cg.lift(0, I64), whole), step=8) as at:
        state.set(mixed(state.get() ^ data.unaligned(start + at, U64)))
    with cg.if_((length & 7 != 0) & (length > 0)):
        state.set(mixed(state.get() ^ _last_word(cg, data, start + whole, length & 7, end)))
    return mixed(state.get())


def _same(cg: Function, data: Pointer, a: Value, b: Value, length: Value, end: Value) -> Value:
    data = data.of(U8, end) if cg.module.checked else data
    with cg.if_(length <= 0):
        cg.give(cg.truth(True))
    whole = length & ~7
    with cg.for_range(0, whole, step=8) as at, cg.if_(data.unaligned(a + at, U64) != data.unaligned(b + at, U64)):
        cg.give(cg.truth(False))
    left = length & 7
    with cg.if_(left == 0):
        cg.give(cg.truth(True))
    return _last_word(cg, data, a + whole, left, end) == _last_word(cg, data, b + whole, left, end)


def _last_word(cg: Function, data: Pointer, at: Value, left: Value, end: Value) -> Value:
    """The 1 to 7 bytes from a place on as a word, the first lowest; what lies at and behind `end` is not touched."""
    found = cg.variable(U64, 0)
    with cg.if_(at + 8 <= end) as inside:
        mask = (cg.lift(1, U64) << (left << 3).to(U64)) - 1
        found.set(data.unaligned(at, U64) & mask)
    with inside.otherwise(), cg.for_range(0, left) as k:
        found.set(found.get() | (data[at + k].to(U64) << (k << 3).to(U64)))
    return found.get()
