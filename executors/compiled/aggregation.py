"""Grouped aggregation of a batch by one kernel, behind the filters, projections and probes of its pipeline.

Groups are found in a table of open addressing: an index of record numbers, and records of words, in order of first appearance.
What is found for a batch is merged with other batches and finished by the vectorized aggregation, so that both give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.accumulators import Accumulator, accumulator_of
from lazyframe.executors.compiled.datum import is_known
from lazyframe.executors.compiled.expressions import Row
from lazyframe.executors.compiled.group_keys import GroupKey, key_of, same_key
from lazyframe.executors.compiled.hashing import hash_words
from lazyframe.executors.compiled.kinds import I32, I64
from lazyframe.executors.compiled.program import Frame, Layouts, Program, Writing, layouts_of
from lazyframe.executors.compiled.segment import Kernels, pushed
from lazyframe.executors.compiled.stage import DONE, FULL, Function, Pointer, Value
from lazyframe.executors.compiled.stages import Stage, note_counts, why_not_all
from lazyframe.executors.vectorized.hash_aggregate import GroupedAggregation, Partial
from lazyframe.planner.formatting import format_scalar
from lazyframe.planner.schema import Schema

_FEW_GROUPS = 256


class CompiledAggregation:
    """A grouped aggregation whose batches are reduced by a kernel.

    Args:
        stages: what happens to each row before.
        grouped: the vectorized aggregation, which merges and finishes.
        given: the columns of the batches.
        fallback: the vectorized operators that do what the stages do.
        waits: see `Kernels`.
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        grouped: GroupedAggregation,
        given: Schema,
        fallback: Callable[[Batch], Iterator[Batch]],
        *,
        waits: bool,
    ) -> None:
        self._stages = stages
        self._grouped = grouped
        self._given = given
        self._fallback = fallback
        self._keys: list[GroupKey] = [key_of(scalar.dtype) for _, scalar in grouped.keys]
        self._accumulators: list[Accumulator] = []
        for feed, need in grouped.kept:
            arguments = grouped.feeds[feed].expressions
            found = accumulator_of(need, [arguments[i].dtype for i in need.columns])
            assert found is not None
            self._accumulators.append(found)
        # A record: the words of the keys, a word that tells which of them are null, the words of the states.
        self._key_places = _places([key.words for key in self._keys])
        self._nulls_at = sum(key.words for key in self._keys)
        self._state_places = [self._nulls_at + 1 + p for p in _places([a.words for a in self._accumulators])]
        self._width = self._nulls_at + 1 + sum(a.words for a in self._accumulators)
        self._kernels = Kernels(self._write, waits=waits)

    def partials(self, batch: Batch) -> list[Partial]:
        """What the rows of one batch say. Safe to call in several threads."""
        found = self._by_kernel(batch)
        if found is None:
            return [self._grouped.partial(rows) for rows in self._fallback(batch)]
        return [found]

    def combine(self, partials: Sequence[Partial]) -> Partial:
        return self._grouped.combine(partials)

    def finish(self, partial: Partial) -> Batch:
        return self._grouped.finish(partial)

    def _by_kernel(self, batch: Batch) -> Partial | None:
        made = self._kernels.of(layouts_of(batch, self._given, list(batch.columns)))
        if made is None:
            return None
        program, _ = made
        frame = program.frame(batch)
        room = _FEW_GROUPS if self._keys else 1
        records = np.empty((room, self._width), dtype=np.int64)
        frame["first"] = 0
        frame["groups"] = 0
        while True:
            self._lend(frame, records)
            status = program.run(frame)
            if status != FULL:
                break
            # More groups than records: take more of both, and go on with the row that found no room.
            grown = np.empty((4 * len(records), self._width), dtype=np.int64)
            grown[: len(records)] = records
            records = grown
            frame.go_on()
        if status != DONE:
            return None
        note_counts(self._stages, frame)
        groups = frame["groups"]
        return self._read(records[:groups], batch)

    def _lend(self, frame: Frame, records: np.ndarray) -> None:
        frame.lend("records", records)
        frame["room"] = len(records)
        frame.lend("index", np.zeros(4 * len(records), dtype=np.int32))
        frame["mask"] = 4 * len(records) - 1

    def _read(self, records: np.ndarray, batch: Batch) -> Partial:
        nulls = records[:, self._nulls_at]
        keys: list[pa.Array] = []
        for number, (key, place) in enumerate(zip(self._keys, self._key_places, strict=True)):
            valid = (nulls >> number & 1 == 0).astype(np.uint8) if nulls.any() else None
            keys.append(key.column(records[:, place : place + key.words], valid, batch))
        states: list[Any] = []
        for accumulator, place in zip(self._accumulators, self._state_places, strict=True):
            states.append(accumulator.read(records[:, place : place + accumulator.words]))
        return Partial(keys, len(records), states)

    def _write(self, layouts: Layouts) -> tuple[Program, None]:
        writing = Writing(layouts)
        cg = writing.cg
        records = cg.pointer("records", I64)
        groups = cg.variable(I64, cg.slot("groups"))
        if not self._keys:
            # All rows are one group, which is there even if no row is.
            with cg.if_(groups.get() == 0):
                self._begin(cg, records, [], cg.lift(0, I64))
                groups.set(1)
        else:
            self._index_again(cg, records, groups.get())

        def emit(row: Row) -> None:
            record = self._find(row, records, groups)
            self._update(row, record)

        with cg.for_range(cg.slot("first"), cg.slot("rows"), note="each row") as number:
            pushed(self._stages, emit)(writing.row(number))
        cg.put("groups", groups.get())
        cg.return_(DONE)
        return writing.finish(), None

    def _record(self, records: Pointer, number: Value) -> Pointer:
        return records.at(number * self._width)

    def _index_again(self, cg: Function, records: Pointer, groups: Value) -> None:
        """Enter the records of a call before this one into the index."""
        index = cg.pointer("index", I32)
        mask = cg.slot("mask")
        with cg.for_range(0, groups) as number:
            record = self._record(records, number)
            words = [record[i] for i in range(self._nulls_at + 1)]
            place = cg.variable(I64, self._hash(cg, words).to(I64) & mask)
            with cg.loop() as loop:
                with cg.if_(index[place.get()] == 0):
                    index[place.get()] = (number + 1).to(I32)
                    loop.leave()
                place.set((place.get() + 1) & mask)

    def _hash(self, cg: Function, words: Sequence[Value]) -> Value:
        """The hash of a key's words; of a string the address does not count."""
        counted = []
        for key, place in zip(self._keys, self._key_places, strict=True):
            counted.extend(words[place : place + (1 if key.is_text else key.words)])
        return hash_words(cg, [*counted, words[self._nulls_at]])

    def _find(self, row: Row, records: Pointer, groups: Any) -> Pointer:
        """The record of the row's group, made if there is none yet."""
        cg = row.cg
        if not self._keys:
            return records
        row.cg.note("group = of " + ", ".join(name for name, _ in self._grouped.keys))
        words: list[Value] = []
        nulls = cg.lift(0, I64)
        for number, (key, (_, scalar)) in enumerate(zip(self._keys, self._grouped.keys, strict=True)):
            datum = row.value(scalar)
            own = key.words_of(cg, datum)
            if datum.valid is not None:
                own = [cg.choose(datum.valid, word, cg.lift(0, I64)) for word in own]
                nulls = nulls | cg.choose(datum.valid, cg.lift(0, I64), cg.lift(1 << number, I64))
            words.extend(own)
        index, mask = cg.pointer("index", I32), cg.slot("mask")
        found = cg.variable(I64, 0)
        place = cg.variable(I64, self._hash(cg, [*words, nulls]).to(I64) & mask)
        with cg.loop() as loop:
            entry = index[place.get()].to(I64)
            with cg.if_(entry == 0):
                number = groups.get()
                with cg.if_(number == cg.slot("room")):
                    cg.put("groups", number)
                    row.pause()
                index[place.get()] = (number + 1).to(I32)
                self._begin(cg, self._record(records, number), words, nulls)
                groups.set(number + 1)
                found.set(number)
                loop.leave()
            record = self._record(records, entry - 1)
            same = record[self._nulls_at] == nulls
            for key, at in zip(self._keys, self._key_places, strict=True):
                own = words[at : at + key.words]
                same = cg.both_lazily(same, lambda key=key, own=own, at=at: same_key(cg, key, own, record.at(at)))
            with cg.if_(same):
                found.set(entry - 1)
                loop.leave()
            place.set((place.get() + 1) & mask)
        return self._record(records, found.get())

    def _begin(self, cg: Function, record: Pointer, words: Sequence[Value], nulls: Value) -> None:
        for place, word in enumerate(words):
            record[place] = word
        record[self._nulls_at] = nulls
        for accumulator, place in zip(self._accumulators, self._state_places, strict=True):
            accumulator.begin(cg, record.at(place))

    def _update(self, row: Row, record: Pointer) -> None:
        by_feed: dict[int, list[int]] = {}
        for number, (feed, _) in enumerate(self._grouped.kept):
            by_feed.setdefault(feed, []).append(number)
        for feed, numbers in by_feed.items():
            where = self._grouped.feeds[feed].where
            if where is None:
                self._update_states(row, record, feed, numbers)
            else:
                with row.cg.if_(row.truth(where), note=format_scalar(where)):
                    self._update_states(row, record, feed, numbers)

    def _update_states(self, row: Row, record: Pointer, feed: int, numbers: Sequence[int]) -> None:
        cg, arguments = row.cg, self._grouped.feeds[feed].expressions
        for number in numbers:
            _, need = self._grouped.kept[number]
            accumulator, place = self._accumulators[number], self._state_places[number]
            values = [row.value(arguments[i]) for i in need.columns]
            present = None
            for i in need.present:
                valid = row.value(arguments[i]).valid
                if valid is not None:
                    present = cg.both(present, valid)
            shown = ", ".join(format_scalar(arguments[i]) for i in need.columns)
            with cg.if_(cg.truth(True) if present is None else present):
                cg.note(f"group.{type(need.state).__name__}({shown})")
                accumulator.update(cg, record.at(place), values)


def why_not_aggregated(grouped: GroupedAggregation) -> str | None:
    """Why kernels cannot compute an aggregation; None where they can."""
    for name, scalar in grouped.keys:
        if not is_known(scalar.dtype):
            return f"a key of type {scalar.dtype} ({name})"
    for feed, need in grouped.kept:
        arguments = grouped.feeds[feed].expressions
        if accumulator_of(need, [arguments[i].dtype for i in need.columns]) is None:
            return f"the aggregate {type(need.state).__name__}"
    scalars = [scalar for _, scalar in grouped.keys]
    for found in grouped.feeds:
        scalars += found.expressions
        if found.where is not None:
            scalars.append(found.where)
    return why_not_all(scalars)


def _places(sizes: Sequence[int]) -> list[int]:
    """Where each of some neighbours begins."""
    places, place = [], 0
    for size in sizes:
        places.append(place)
        place += size
    return places
