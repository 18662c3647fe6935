"""Sorting 64-bit words by some of their bits: first apart by the highest of these, then each part by the others, lowest first.

Both are stable counting sorts, so that what stands in other bits keeps its order. The parts are small enough for the caches of
a core, and threads take them as they come.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lazyframe.executors.compiled.array_kernel import ArrayKernel, LoadedKernel
from lazyframe.executors.compiled.kinds import BOOL, I64, U64
from lazyframe.executors.compiled.stage import DONE, Function
from lazyframe.executors.compiled.values import Pointer, Value
from lazyframe.executors.threads import run_all

Words = npt.NDArray[np.uint64]

_UNDIVIDED = 1 << 14
_FEW = 24
_NARROW, _WIDE = 8, 11
_LARGE = 1 << 16
_TASKS_PER_THREAD = 8


def sorted_by_bits(keys: Words, low: int, bits: int, threads: int) -> Words | None:
    """The words in the stable order of their bits from `low` on; None where numpy does it. What is given is overwritten."""
    n = len(keys)
    sort = _sort.wanted_for(n)
    count, scatter = _count.wanted_for(n), _scatter.wanted_for(n)
    if sort is None or count is None or scatter is None:
        return None
    other = np.empty_like(keys)
    if n < _UNDIVIDED:
        _sort_parts(sort, keys, other, np.array([0, n]), low, bits)
        return keys
    first = min(bits, _NARROW if n < 1 << 22 else 10)
    edges = np.linspace(0, n, threads + 1).astype(np.int64).tolist()
    given = {"shift": low + bits - first, "mask": (1 << first) - 1}
    counts = np.zeros((threads, 1 << first), dtype=np.int64)

    def over_threads(kernel: LoadedKernel) -> None:
        tasks: list[Callable[[], object]] = [
            partial(kernel.call, keys=keys, out=other, counts=counts[t], start=edges[t], stop=edges[t + 1], **given)
            for t in range(threads)
        ]
        run_all(tasks, threads)

    over_threads(count)
    sizes = counts.sum(axis=0)
    bounds = np.append(0, np.cumsum(sizes))
    counts[:] = bounds[:-1] + np.cumsum(counts, axis=0) - counts
    over_threads(scatter)
    if bits == first:
        return other
    # Parts of about as many rows for each task, and the largest of them first.
    share = max(n // (threads * _TASKS_PER_THREAD), 1)
    cuts = np.unique(np.append(np.flatnonzero(np.diff(bounds[:-1] // share, prepend=-1)), len(sizes))).tolist()
    spans = sorted(pairwise(cuts), key=lambda span: bounds[span[0]] - bounds[span[1]])
    run_all([partial(_sort_parts, sort, other, keys, bounds[a : b + 1], low, bits - first) for a, b in spans], threads)
    return other


def _sort_parts(
    kernel: LoadedKernel, keys: Words, other: Words, bounds: npt.NDArray[np.int64], low: int, bits: int
) -> None:
    widest = _WIDE if int(np.diff(bounds).max()) > _LARGE else _NARROW
    passes = -(-bits // widest)
    width = -(-bits // passes)
    kernel.call(
        keys=keys,
        other=other,
        bounds=bounds,
        parts=len(bounds) - 1,
        counts=np.empty(1 << width, dtype=np.int64),
        low=low,
        passes=passes,
        width=width,
        bits=bits,
    )


def _write_count(cg: Function) -> None:
    keys, counts = cg.pointer("keys", U64), cg.pointer("counts", I64)
    shift, mask = cg.slot("shift", U64), cg.slot("mask", U64)
    with cg.for_range(cg.slot("start"), cg.slot("stop")) as row:
        digit = ((keys[row] >> shift) & mask).to(I64)
        counts[digit] = counts[digit] + 1
    cg.return_(DONE)


def _write_scatter(cg: Function) -> None:
    keys, out, counts = cg.pointer("keys", U64), cg.pointer("out", U64), cg.pointer("counts", I64)
    shift, mask = cg.slot("shift", U64), cg.slot("mask", U64)
    _scatter_rows(cg, keys, out, counts, cg.slot("start"), cg.slot("stop"), shift, mask)
    cg.return_(DONE)


def _scatter_rows(
    cg: Function, keys: Pointer, out: Pointer, counts: Pointer, start: Value, stop: Value, shift: Value, mask: Value
) -> None:
    with cg.for_range(start, stop) as row:
        key = keys[row]
        digit = ((key >> shift) & mask).to(I64)
        place = counts[digit]
        out[place] = key
        counts[digit] = place + 1


def _write_sort(cg: Function) -> None:
    keys, other = cg.pointer("keys", U64), cg.pointer("other", U64)
    bounds, counts = cg.pointer("bounds", I64), cg.pointer("counts", I64)
    low, bits, passes, width = cg.slot("low"), cg.slot("bits"), cg.slot("passes"), cg.slot("width")
    mask = (cg.lift(1, U64) << bits.to(U64)) - 1
    with cg.for_range(0, cg.slot("parts")) as part:
        start, size = bounds[part], bounds[part + 1] - bounds[part]
        mine = keys.at(start)
        with cg.if_(size <= _FEW) as few:
            _insert(cg, mine, size, low.to(U64), mask)
        with few.otherwise():
            theirs = other.at(start)
            is_swapped = cg.variable(BOOL, False)
            with cg.for_range(0, passes) as number:
                begin = number * width
                left = bits - begin
                taken = cg.choose(left < width, left, width)
                shift, digits = (low + begin).to(U64), (cg.lift(1, U64) << taken.to(U64)) - 1
                with cg.if_(is_swapped.get()) as swapped:
                    moved = _pass(cg, theirs, mine, counts, size, shift, digits, width)
                    is_swapped.set(~moved)
                with swapped.otherwise():
                    is_swapped.set(_pass(cg, mine, theirs, counts, size, shift, digits, width))
            with cg.if_(is_swapped.get()), cg.for_range(0, size) as row:
                mine[row] = theirs[row]
    cg.return_(DONE)


def _pass(
    cg: Function, keys: Pointer, out: Pointer, counts: Pointer, size: Value, shift: Value, mask: Value, width: Value
) -> Value:
    """Move the keys to where they stand by one digit; gives whether that is done, as it is not where all have the same."""
    places = cg.lift(1, I64) << width
    with cg.for_range(0, places) as place:
        counts[place] = 0
    with cg.for_range(0, size) as row:
        digit = ((keys[row] >> shift) & mask).to(I64)
        counts[digit] = counts[digit] + 1
    first = ((keys[0] >> shift) & mask).to(I64)
    moves = counts[first] != size
    with cg.if_(moves):
        total = cg.variable(I64, 0)
        with cg.for_range(0, places) as place:
            many = counts[place]
            counts[place] = total.get()
            total.add(many)
        _scatter_rows(cg, keys, out, counts, cg.lift(0, I64), size, shift, mask)
    return moves


def _insert(cg: Function, keys: Pointer, size: Value, low: Value, mask: Value) -> None:
    with cg.for_range(1, size) as row:
        key = keys[row]
        digit = (key >> low) & mask
        place = cg.variable(I64, row)
        with cg.loop("while those before it are greater") as steps:
            with cg.if_(place.get() == 0):
                steps.leave()
            before = keys[place.get() - 1]
            with cg.if_(((before >> low) & mask) <= digit):
                steps.leave()
            keys[place.get()] = before
            place.add(-1)
        keys[place.get()] = key


_count, _scatter, _sort = ArrayKernel(_write_count), ArrayKernel(_write_scatter), ArrayKernel(_write_sort)


def unpacked(keys: Words, place_bits: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]] | None:
    """The lowest bits of sorted words, and where the others differ from those before; None where numpy does it."""
    n = len(keys)
    kernel = _unpack.wanted_for(n)
    if kernel is None:
        return None
    places, differs = np.empty(n, dtype=np.intp), np.empty(n, dtype=np.bool_)
    kernel.call(keys=keys, places=places, differs=differs, rows=n, low=place_bits)
    return places, differs


def _write_unpack(cg: Function) -> None:
    keys, places, differs = cg.pointer("keys", U64), cg.pointer("places", I64), cg.pointer("differs", BOOL)
    low = cg.slot("low", U64)
    mask = (cg.lift(1, U64) << low) - 1
    before = cg.variable(U64, ~(keys[0] >> low))
    with cg.for_range(0, cg.slot("rows")) as row:
        key = keys[row]
        places[row] = (key & mask).to(I64)
        digit = key >> low
        differs[row] = digit != before.get()
        before.set(digit)
    cg.return_(DONE)


_unpack = ArrayKernel(_write_unpack)
