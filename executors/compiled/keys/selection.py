"""Values at given places of each group's order, found without sorting: values are brought together by group, then looked for.

A group's values are counted in up to 1,024 intervals between the least and the greatest; of those in the interval that holds the
place the same is done again. Whatever the values are, intervals are at least 32 times narrower each time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lazyframe.executors.compiled.array_kernel import ArrayKernel
from lazyframe.executors.compiled.group_keys import equal_float
from lazyframe.executors.compiled.kinds import BOOL, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Kind
from lazyframe.executors.compiled.stage import DONE, Function
from lazyframe.executors.compiled.values import Pointer, Value, Variable
from lazyframe.executors.threads import run_all

Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]
Given = dict[str, np.ndarray | int]

_KINDS = {
    np.dtype(name): kind
    for name, kind in zip(
        ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"),
        (F32, F64, I8, I16, I32, I64, U8, U16, U32, U64),
        strict=True,
    )
}
_SIGN = 1 << 63
_FEW = 16
_MOST_BITS = 10
_BLOCK_BITS = 8
_TASKS_PER_THREAD = 8


def words_by_group(codes: Places, sizes: Places, values: npt.NDArray, threads: int) -> Words | None:
    """The values as words that compare as they do, those of a group together; None where numpy sorts them.

    Of floats there is one zero, and one NaN, which is the greatest.

    Args:
        codes: the group of each value.
        sizes: how many values each group has.
        values: numbers.
        threads: how many may work at a time.
    """
    n, kind = len(values), _KINDS.get(values.dtype)
    if kind is None:
        return None
    count, scatter = _count.wanted_for(n), _scatter(kind).wanted_for(n)
    spread, select = _spread.wanted_for(n), _select.wanted_for(n)
    if count is None or scatter is None or spread is None or select is None:
        return None
    codes, values = np.ascontiguousarray(codes), np.ascontiguousarray(values)
    # First by blocks of groups, then within each: more places to write to at a time than these would miss the caches.
    shift = max((len(sizes) - 1).bit_length() - _BLOCK_BITS, 0)
    blocks = ((len(sizes) - 1) >> shift) + 1
    edges = np.linspace(0, n, threads + 1).astype(np.int64).tolist()
    counts = np.zeros((threads, blocks), dtype=np.int64)
    out = np.empty(n, dtype=np.uint64)
    code_of = np.empty(n if shift else 0, dtype=np.int32)
    given: Given = {"codes": codes, "shift": shift, "values": values, "out": out, "code_of": code_of}
    parts: list[Given] = [
        {"counts": counts[i], "start": a, "stop": b, **given} for i, (a, b) in enumerate(pairwise(edges))
    ]
    run_all([partial(count.call, **part) for part in parts], threads)
    bounds = np.append(0, np.cumsum(counts.sum(axis=0)))
    counts[:] = bounds[:-1] + np.cumsum(counts, axis=0) - counts
    run_all([partial(scatter.call, **part) for part in parts], threads)
    if not shift:
        return out
    starts, words = np.cumsum(sizes) - sizes, np.empty(n, dtype=np.uint64)
    blocked: Given = {"code_of": code_of, "given": out, "out": words, "places": starts}
    spans = pairwise(bounds.tolist())
    run_all([partial(spread.call, start=start, stop=stop, **blocked) for start, stop in spans], threads)
    return words


def selected(words: Words, sizes: Places, places: Places, threads: int) -> tuple[Words, Words]:
    """The words at a place of each group's order, and those at the next place, if there is one; anything for empty groups."""
    kernel = _select.wanted_for(len(words))
    assert kernel is not None
    bounds = np.append(0, np.cumsum(sizes))
    found = np.zeros(len(sizes), dtype=np.uint64), np.zeros(len(sizes), dtype=np.uint64)
    largest = int(sizes.max(initial=1))

    def select(first: int, last: int) -> None:
        kernel.call(
            words=words, bounds=bounds, places=places, low=found[0], high=found[1], first=first, last=last,
            scratch=np.empty(max(largest, 1), dtype=np.uint64),
        )  # fmt: skip

    share = max(len(words) // (threads * _TASKS_PER_THREAD), 1)
    cuts = [*np.flatnonzero(np.diff(bounds[:-1] // share, prepend=-1)).tolist(), len(sizes)]
    tasks: list[Callable[[], object]] = [partial(select, a, b) for a, b in pairwise(cuts)]
    run_all(tasks, threads)
    return found


def numbers_of(words: Words, dtype: np.dtype) -> npt.NDArray:
    """The numbers that stand for words."""
    if dtype.kind == "u":
        return words.astype(dtype)
    raised = (words ^ np.uint64(_SIGN)).view(np.int64)
    if dtype.kind == "i":
        return raised.astype(dtype)
    bits = np.where(raised >= 0, raised, ~words.view(np.int64))
    return bits.view(np.float64) if dtype.itemsize == 8 else bits.astype(np.int32).view(np.float32)


def _word(cg: Function, value: Value, kind: Kind) -> Value:
    if kind.sort == "float":
        bits = equal_float(cg, value)
        return (bits ^ ((bits >> 63) | cg.lift(-_SIGN, I64))).to(U64)
    if not kind.signed:
        return value.to(U64)
    return (value.to(I64) ^ cg.lift(-_SIGN, I64)).to(U64)


def _write_count(cg: Function) -> None:
    codes, counts, shift = cg.pointer("codes", I64), cg.pointer("counts", I64), cg.slot("shift")
    with cg.for_range(cg.slot("start"), cg.slot("stop")) as row:
        block = codes[row] >> shift
        counts[block] = counts[block] + 1
    cg.return_(DONE)


def _write_scatter(cg: Function, kind: Kind) -> None:
    codes, counts, shift = cg.pointer("codes", I64), cg.pointer("counts", I64), cg.slot("shift")
    values, out, code_of = cg.pointer("values", kind), cg.pointer("out", U64), cg.pointer("code_of", I32)
    with cg.for_range(cg.slot("start"), cg.slot("stop")) as row:
        code = codes[row]
        block = code >> shift
        place = counts[block]
        out[place] = _word(cg, values[row], kind)
        with cg.if_(shift != 0):
            code_of[place] = code.to(I32)
        counts[block] = place + 1
    cg.return_(DONE)


def _write_spread(cg: Function) -> None:
    code_of, given = cg.pointer("code_of", I32), cg.pointer("given", U64)
    out, places = cg.pointer("out", U64), cg.pointer("places", I64)
    with cg.for_range(cg.slot("start"), cg.slot("stop")) as row:
        code = code_of[row].to(I64)
        place = places[code]
        out[place] = given[row]
        places[code] = place + 1
    cg.return_(DONE)


def _write_select(cg: Function) -> None:
    words, bounds, places = cg.pointer("words", U64), cg.pointer("bounds", I64), cg.pointer("places", I64)
    low, high = cg.pointer("low", U64), cg.pointer("high", U64)
    scratch, counts = cg.pointer("scratch", U64), cg.words(1 << _MOST_BITS)
    with cg.for_range(cg.slot("first"), cg.slot("last"), note="each group") as group:
        start = bounds[group]
        size, place = cg.variable(I64, bounds[group + 1] - start), cg.variable(I64, places[group])
        above = cg.variable(U64, -1)
        moved = cg.variable(BOOL, False)
        with cg.loop("while many are left") as rounds:
            with cg.if_(size.get() <= _FEW):
                rounds.leave()
            source = cg.choose(moved.get(), scratch, words.at(start))
            assert isinstance(source, Pointer)
            least, range_ = _range(cg, source, size.get())
            with cg.if_(range_ == 0):
                rounds.leave()
            _narrow(cg, source, scratch, counts, least, range_, size, place, above)
            moved.set(True)
        with cg.if_(size.get() > 0):
            with cg.if_(~moved.get()), cg.for_range(0, size.get()) as i:
                scratch[i] = words[start + i]
            _sort_few(cg, scratch, size.get())
            low[group] = scratch[place.get()]
            following = place.get() + 1
            high[group] = above.get()
            with cg.if_(following < size.get()):
                high[group] = scratch[following]
    cg.return_(DONE)


def _range(cg: Function, source: Pointer, size: Value) -> tuple[Value, Value]:
    """The least word, and how far the greatest is from it."""
    least, greatest = cg.variable(U64, source[0]), cg.variable(U64, source[0])
    with cg.for_range(1, size) as i:
        word = source[i]
        least.set(cg.choose(word < least.get(), word, least.get()))
        greatest.set(cg.choose(word > greatest.get(), word, greatest.get()))
    return least.get(), greatest.get() - least.get()


def _narrow(
    cg: Function,
    source: Pointer,
    scratch: Pointer,
    counts: Pointer,
    least: Value,
    range_: Value,
    size: Variable,
    place: Variable,
    above: Variable,
) -> None:
    """Keep the words of the interval that holds the place, which becomes that among them."""
    wanted = 64 - _leading_zeros(cg, size.get())
    wanted = cg.choose(wanted < _MOST_BITS, wanted, cg.lift(_MOST_BITS, I64))
    surplus = 64 - _leading_zeros(cg, range_.to(I64)) - wanted
    shift = cg.choose(surplus > 0, surplus, cg.lift(0, I64)).to(U64)
    with cg.for_range(0, (range_ >> shift).to(I64) + 1) as interval:
        counts[interval] = 0
    with cg.for_range(0, size.get()) as i:
        interval = ((source[i] - least) >> shift).to(I64)
        counts[interval] = counts[interval] + 1
    chosen = cg.variable(I64, 0)
    with cg.loop("while the place is in a later interval") as search:
        held = counts[chosen.get()]
        with cg.if_(place.get() < held):
            search.leave()
        place.set(place.get() - held)
        chosen.set(chosen.get() + 1)
    wanted_one = chosen.get()
    kept, least_above = cg.variable(I64, 0), cg.variable(U64, above.get())
    with cg.for_range(0, size.get()) as i:
        word = source[i]
        interval = ((word - least) >> shift).to(I64)
        scratch[kept.get()] = word
        kept.set(kept.get() + (interval == wanted_one).to(I64))
        nearer = cg.both(interval > wanted_one, word < least_above.get())
        least_above.set(cg.choose(nearer, word, least_above.get()))
    size.set(kept.get())
    above.set(least_above.get())


def _leading_zeros(cg: Function, value: Value) -> Value:
    return cg.intrinsic("llvm.ctlz", I64, value, immediate=[False])


def _sort_few(cg: Function, words: Pointer, size: Value) -> None:
    """Sort words by insertion; equal ones, which may be many, take one step each."""
    with cg.for_range(1, size) as i:
        word = words[i]
        place = cg.variable(I64, i)
        with cg.loop() as steps:
            with cg.if_(place.get() == 0):
                steps.leave()
            before = words[place.get() - 1]
            with cg.if_(before <= word):
                steps.leave()
            words[place.get()] = before
            place.set(place.get() - 1)
        words[place.get()] = word


@cache
def _scatter(kind: Kind) -> ArrayKernel:
    return ArrayKernel(_write_scatter, kind)


_count = ArrayKernel(_write_count)
_spread = ArrayKernel(_write_spread)
_select = ArrayKernel(_write_select)
