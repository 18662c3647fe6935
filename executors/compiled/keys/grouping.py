"""Codes of groups in order of first appearance: by position where the range of keys is small, else by hash.

A table of hashes begins small and grows with the groups: the kernel stops where it is nearly full, and goes on in a larger one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from lazyframe.executors.compiled.array_kernel import ArrayKernel, LoadedKernel, prefetch
from lazyframe.executors.compiled.hashing import hash_words
from lazyframe.executors.compiled.kinds import BOOL, I32, I64, U64
from lazyframe.executors.compiled.stage import DONE, FULL, Function
from lazyframe.executors.compiled.values import Pointer, Value

Groups = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""The code of each row, and the first row of each code."""

MOST_WORDS = 6
MOST_ROWS = (1 << 31) - 1
_FIRST_PLACES = 1 << 14
_BLOCK = 128
_AHEAD = 24


def dense_groups(slots: npt.NDArray[np.int64], size: int) -> Groups | None:
    """Codes of values in [0, size), for each of which there is a place; None where numpy does it."""
    n = len(slots)
    kernel = _dense.wanted_for(n)
    if kernel is None:
        return None
    codes, first = np.empty(n, dtype=np.int64), np.empty(min(n, size), dtype=np.int64)
    call = kernel.call(
        slots=np.ascontiguousarray(slots), table=np.zeros(size, dtype=np.int32), codes=codes, first=first, rows=n
    )
    return codes, first[: call["count"]].copy()


def _write_dense(cg: Function) -> None:
    slots, table = cg.pointer("slots", I64), cg.pointer("table", I32)
    codes, first = cg.pointer("codes", I64), cg.pointer("first", I64)
    rows = cg.slot("rows")
    count = cg.variable(I32, 0)
    last = rows - 1
    with cg.for_range(0, rows) as row:
        ahead = row + _AHEAD
        prefetch(cg, table, slots[cg.choose(ahead < last, ahead, last)])
        place = slots[row]
        # Counted from 1, as fresh memory is all 0.
        code = cg.variable(I32, table[place])
        with cg.if_(code.get() == 0):
            first[count.get().to(I64)] = row
            count.add(1)
            code.set(count.get())
            table[place] = count.get()
        codes[row] = (code.get() - 1).to(I64)
    cg.put("count", count.get().to(I64))
    cg.return_(DONE)


_dense = ArrayKernel(_write_dense)


def hashed_groups(words: Sequence[npt.NDArray]) -> Groups | None:
    """Codes of rows of 64-bit words; None where numpy does it."""
    n, width = len(words[0]), len(words)
    if width > MOST_WORDS or n > MOST_ROWS:
        return None
    kernel, rehash = _hashed(width).wanted_for(n), rehashing(width + 1).wanted_for(n)
    if kernel is None or rehash is None:
        return None
    given = {f"word{k}": np.ascontiguousarray(word).view(np.int64) for k, word in enumerate(words)}
    return grouped(kernel, rehash, n, width + 1, given)


def grouped(kernel: LoadedKernel, rehash: LoadedKernel, n: int, record: int, given: dict[str, np.ndarray]) -> Groups:
    """Run a kernel of groups over `n` rows, with a table of records of so many words that grows."""
    places = _FIRST_PLACES
    table = np.zeros(places * record, dtype=np.int64)
    codes, first = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    scratch = np.empty(_BLOCK, dtype=np.int64)
    call = kernel.call(
        **given, table=table, codes=codes, first=first, scratch=scratch, rows=n, last=places - 1, most=_most(places)
    )
    while call.status == FULL:
        # Groups that came quickly go on to come.
        done, count = call["done"], call["count"]
        wanted = min(count * n // max(done, 1), n)
        more = max(4 * places, 1 << (wanted * 4 // 3).bit_length())
        grown = np.zeros(more * record, dtype=np.int64)
        rehash.call(table=table, places=places, grown=grown, last=more - 1)
        table, places = grown, more
        call.run(table=table, last=places - 1, most=_most(places))
    return codes, first[: call["count"]].copy()


def _most(places: int) -> int:
    """With how many groups a table has to grow."""
    return places * 3 // 4


@cache
def _hashed(width: int) -> ArrayKernel:
    return ArrayKernel(_write_hashed, width)


def _write_hashed(cg: Function, width: int) -> None:
    words = [cg.pointer(f"word{k}", U64) for k in range(width)]

    def hash_of(row: Value) -> Value:
        return hash_words(cg, [word[row] for word in words])

    def same(record: Pointer, row: Value) -> Value:
        found = cg.truth(True)
        for k, word in enumerate(words):
            found = cg.both(found, record[k + 1].to(U64) == word[row])
        return found

    def fill(record: Pointer, row: Value) -> None:
        for k, word in enumerate(words):
            record[k + 1] = word[row].to(I64)

    write_groups(cg, width + 1, hash_of, same, fill)


def write_groups(
    cg: Function,
    record: int,
    hash_of: Callable[[Value], Value],
    same: Callable[[Pointer, Value], Value],
    fill: Callable[[Pointer, Value], None],
) -> None:
    """Write a kernel that gives each row the code of its group.

    Args:
        cg: the kernel.
        record: how many words a place of the table has. The first is 0 where it is free; else the upper half of the hash,
            which says where to look for it, and below that the code counted from 1. The others are the key's.
        hash_of: the hash of a row, of 64 bits.
        same: whether a record's key is that of a row.
        fill: writes a row's key into a record.
    """
    table, codes, first = cg.pointer("table", I64), cg.pointer("codes", I64), cg.pointer("first", I64)
    scratch = cg.pointer("scratch", U64)
    rows, last, most = cg.slot("rows"), cg.slot("last"), cg.slot("most")
    count = cg.variable(I64, cg.slot("count"))
    start = cg.variable(I64, cg.slot("done"))
    with cg.loop("block by block") as blocks:
        with cg.if_(start.get() >= rows):
            blocks.leave()
        begin = start.get()
        end = cg.choose(rows - begin < _BLOCK, rows, begin + _BLOCK)
        with cg.for_range(begin, end) as row:
            hashed = hash_of(row)
            scratch[row - begin] = hashed
            prefetch(cg, table, ((hashed >> 32).to(I64) & last) * record)
        with cg.for_range(begin, end) as row:
            hashed = scratch[row - begin]
            high = (hashed >> 32).to(I64)
            tag = high << 32
            place = cg.variable(I64, high & last)
            with cg.loop("until its group or a free place is found") as probes:
                here = table.at(place.get() * record)
                head = here[0]
                with cg.if_(head == 0):
                    with cg.if_(count.get() >= most):
                        cg.put("count", count.get())
                        cg.put("done", row)
                        cg.return_(FULL)
                    first[count.get()] = row
                    codes[row] = count.get()
                    count.add(1)
                    here[0] = tag | count.get()
                    fill(here, row)
                    probes.leave()
                matches = cg.variable(BOOL, False)
                with cg.if_(((head ^ tag) >> 32) == 0):
                    matches.set(same(here, row))
                with cg.if_(matches.get()):
                    codes[row] = (head & 0xFFFFFFFF) - 1
                    probes.leave()
                place.set((place.get() + 1) & last)
        start.set(end)
    cg.put("count", count.get())
    cg.put("done", rows)
    cg.return_(DONE)


@cache
def rehashing(record: int) -> ArrayKernel:
    """What brings a table of records of so many words into a larger one."""
    return ArrayKernel(_write_rehash, record)


def _write_rehash(cg: Function, record: int) -> None:
    table, grown = cg.pointer("table", I64), cg.pointer("grown", I64)
    last = cg.slot("last")
    with cg.for_range(0, cg.slot("places")) as old:
        from_ = table.at(old * record)
        head = from_[0]
        with cg.if_(head != 0):
            place = cg.variable(I64, head.shifted_right(32) & last)
            with cg.loop("until a free place is found") as probes:
                to = grown.at(place.get() * record)
                with cg.if_(to[0] == 0):
                    for word in range(record):
                        to[word] = from_[word]
                    probes.leave()
                place.set((place.get() + 1) & last)
    cg.return_(DONE)
