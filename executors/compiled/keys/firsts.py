"""The first rows of each partition, found in one pass without sorting: each partition keeps the best that it has met."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lazyframe.executors.compiled.array_kernel import ArrayKernel, prefetch
from lazyframe.executors.compiled.kinds import BOOL, I64, U8, U64
from lazyframe.executors.compiled.stage import DONE, Function

MOST_KEPT = 32
"""More rows of a partition are found faster by sorting."""

_AHEAD = 16


def first_rows(
    codes: npt.NDArray[np.int64], partitions: int, words: npt.NDArray[np.uint64], count: int, *, with_ties: bool
) -> npt.NDArray[np.bool_] | None:
    """Which rows are among the first `count` of their partition; None where that is found by sorting.

    Args:
        codes: the partition of each row.
        partitions: how many there are.
        words: by which rows are ordered; of equal rows the first comes first.
        count: at least 1.
        with_ties: whether rows equal to the last of these count too.
    """
    n = len(codes)
    if not 0 < count <= MOST_KEPT or partitions * count > 2 * n:
        return None
    kernel = _firsts.wanted_for(n)
    if kernel is None:
        return None
    kept = np.zeros(n, dtype=np.bool_)
    kernel.call(
        codes=np.ascontiguousarray(codes),
        words=np.ascontiguousarray(words),
        best=np.empty(partitions * count, dtype=np.uint64),
        at=np.empty(partitions * count, dtype=np.int64),
        held=np.zeros(partitions, dtype=np.uint8),
        kept=kept,
        rows=n,
        partitions=partitions,
        count=count,
        with_ties=int(with_ties),
    )
    return kept


def _write(cg: Function) -> None:
    codes, words = cg.pointer("codes", I64), cg.pointer("words", U64)
    best, at, held = cg.pointer("best", U64), cg.pointer("at", I64), cg.pointer("held", U8)
    kept = cg.pointer("kept", BOOL)
    rows, count = cg.slot("rows"), cg.slot("count")
    last = rows - 1
    with cg.for_range(0, rows) as row:
        ahead = row + _AHEAD
        prefetch(cg, best, codes[cg.choose(ahead < last, ahead, last)] * count)
        code, word = codes[row], words[row]
        mine, rows_of = best.at(code * count), at.at(code * count)
        many = held[code].to(I64)
        place = cg.variable(I64, many)
        comes = cg.variable(BOOL, True)
        with cg.if_(many < count) as has_room:
            held[code] = (many + 1).to(U8)
        with has_room.otherwise():
            comes.set(word < mine[count - 1])
            place.set(count - 1)
        with cg.if_(comes.get()):
            with cg.loop("while those before it are greater") as steps:
                with cg.if_(place.get() == 0):
                    steps.leave()
                before = mine[place.get() - 1]
                with cg.if_(before <= word):
                    steps.leave()
                mine[place.get()] = before
                rows_of[place.get()] = rows_of[place.get() - 1]
                place.add(-1)
            mine[place.get()] = word
            rows_of[place.get()] = row
    with cg.if_(cg.slot("with_ties") != 0) as ties, cg.for_range(0, rows) as row:
        code = codes[row]
        kept[row] = words[row] <= best[code * count + held[code].to(I64) - 1]
    with ties.otherwise(), cg.for_range(0, cg.slot("partitions")) as partition:
        slots = partition * count
        with cg.for_range(slots, slots + held[partition].to(I64)) as slot:
            kept[at[slot]] = True
    cg.return_(DONE)


_firsts = ArrayKernel(_write)
