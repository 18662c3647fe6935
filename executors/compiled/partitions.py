"""Records by partition: those of one hash together, so that each partition is small and can be worked on by itself."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from lazyframe.executors.compiled.array_kernel import LoadedKernel, compiled_at_once
from lazyframe.executors.compiled.kinds import I64
from lazyframe.executors.compiled.stage import DONE, Function

BITS = 7
COUNT = 1 << BITS
MANY_RECORDS = 4096
"""So many records of one batch are put into partitions; fewer are left as they are until that is known to pay."""


def partitioned(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Records in the order of their partitions, within one in their order.

    Args:
        words: a row a record, whose first word is a hash.

    Returns:
        The records, with one more word each, its number; and where each partition begins, and the last ends.
    """
    rows, width = words.shape
    found = np.empty((rows, width + 1), dtype=np.int64)
    # The place of a partition's next record: in the end, where the partition behind begins.
    parts = np.zeros(COUNT + 1, dtype=np.int64)
    _kernel(width).call(given=words, found=found, parts=parts, rows=rows)
    parts[1:] = parts[:-1]
    parts[0] = 0
    return found, parts


@cache
def _kernel(width: int) -> LoadedKernel:
    return compiled_at_once(partial(_write, width))


def _write(width: int, cg: Function) -> None:
    given, found, parts = (cg.pointer(name, I64) for name in ("given", "found", "parts"))
    rows = cg.slot("rows")
    shift = 64 - BITS
    with cg.for_range(0, rows) as row:
        part = given[row * width].shifted_right(shift)
        parts[part] = parts[part] + 1
    place = cg.variable(I64, 0)
    with cg.for_range(0, COUNT) as part:
        size = parts[part]
        parts[part] = place.get()
        place.set(place.get() + size)
    with cg.for_range(0, rows) as row:
        record = given.at(row * width)
        part = record[0].shifted_right(shift)
        target = parts[part]
        parts[part] = target + 1
        record_found = found.at(target * (width + 1))
        for word in range(width):
            record_found[word] = record[word]
        record_found[width] = row
    cg.return_(DONE)
