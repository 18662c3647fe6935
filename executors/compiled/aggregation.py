"""Grouped aggregation of a batch by one kernel, behind the filters, projections and probes of its pipeline.

The kernel gives records of groups, in order of first appearance. Where nearly every row is a group of its own, looking for
equal ones within the batch is in vain, so that each row becomes a record. That is for records that are put together by
partition, which finds the same for both: sums of floats are those of a batch first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled.accumulators import Accumulator, SumFloats, accumulator_of
from lazyframe.executors.compiled.batch_records import Records
from lazyframe.executors.compiled.constants import Constants
from lazyframe.executors.compiled.coverage import why_not_all
from lazyframe.executors.compiled.datum import is_known, is_text
from lazyframe.executors.compiled.expressions import Row
from lazyframe.executors.compiled.group_keys import key_of
from lazyframe.executors.compiled.group_records import MOST_KEYS, GroupRecords, GroupTable, places_of
from lazyframe.executors.compiled.kinds import I64
from lazyframe.executors.compiled.partitions import MANY_RECORDS
from lazyframe.executors.compiled.program import Code, Frame, Layouts, Writing, layouts_of
from lazyframe.executors.compiled.rows_together import Way, ways
from lazyframe.executors.compiled.segment import Kernels, pushed
from lazyframe.executors.compiled.stage import DONE, FULL, Function
from lazyframe.executors.compiled.stages import Stage, bind_all, may_take_long, note_counts
from lazyframe.executors.compiled.taken import Taken
from lazyframe.executors.compiled.text_owner import TextOwner
from lazyframe.executors.compiled.values import Pointer, RowByRow, Together, Value, Variable
from lazyframe.executors.compiled.visits import Visiting, Visits
from lazyframe.executors.vectorized.aggregates.collected import Collection
from lazyframe.executors.vectorized.aggregates.groups import LANES
from lazyframe.executors.vectorized.hash_aggregate import GroupedAggregation, Partial
from lazyframe.planner.schema import Schema

_FEW_GROUPS = 256
_REPEATED = 0.6
"""Where a batch has more groups than this for a row, the next ones are not searched for equal keys."""
_SEARCHED_AGAIN = 16
"""So often a batch is searched nevertheless."""


class CompiledAggregation:
    """A grouped aggregation whose batches are reduced by a kernel.

    Args:
        stages: what happens to each row before.
        grouped: the vectorized aggregation, which finishes.
        given: the columns of the batches.
        fallback: the vectorized operators that do what the stages do.
        waits: see `Kernels`.

    Attributes:
        layout: how the records begin.
        accumulators: the states in them.
        collects: whether rows are kept besides.
        width: how many words a record has.
        shape: what records depend on.
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
        self.grouped = grouped
        self._stages = stages
        self.may_take_long = may_take_long(stages)
        self._given = given
        self._fallback = fallback
        self._keys = [scalar for _, scalar in grouped.keys]
        self.layout = GroupRecords([key_of(scalar.dtype) for scalar in self._keys])
        self.accumulators: list[Accumulator] = []
        shapes = []
        for feed, need in grouped.kept:
            arguments = grouped.feeds[feed].expressions
            types = [arguments[i].dtype for i in need.columns]
            found = accumulator_of(need, types, keyed=bool(grouped.keys))
            assert found is not None
            self.accumulators.append(found)
            shapes.append((need.state, *types))
        self.shape = tuple([scalar.dtype for scalar in self._keys]), tuple(shapes)
        self._places = [self.layout.words + p for p in places_of([a.words for a in self.accumulators])]
        self.width = self.layout.words + sum(a.words for a in self.accumulators)
        self._visits = Visits(grouped, self.accumulators, self._places)
        self.collects = self._visits.collects
        sums_in_order = any(isinstance(accumulator, SumFloats) for accumulator in self.accumulators)
        # What is collected is not put together by partition.
        self._must_search = not self._keys or self._visits.searches or (self.collects and sums_in_order)
        self._has_text = any(key.is_text for key in self.layout.keys)
        self._owner = TextOwner(self.layout, self.width)
        self._kernels = Kernels(waits=waits)
        self._scratch = threading.local()
        self._batches = 0
        self._repeats = True
        self._groups = 0

    def reduced(self, batch: Batch) -> Sequence[Records | Partial]:
        """What the rows of one batch say. Safe to call in several threads."""
        found = self._by_kernel(batch)
        if found is not None:
            return [found]
        return [self.grouped.partial(rows) for rows in self._fallback(batch)]

    def partial(self, records: Records) -> Partial:
        """The same as the vectorized aggregation has it."""
        words = [np.ascontiguousarray(records.words[:, place]) for place in range(self.width)]
        return self.read(words, [a.words for a in self.accumulators], records.collected)

    def read(
        self, words: Sequence[np.ndarray], sizes: Sequence[int], collected: Mapping[int, Collection] | None = None
    ) -> Partial:
        """Groups by the words of their records, with states of so many words, and the states that are kept besides."""
        keys = self.layout.columns(words)
        states: list[Any] = []
        place = self.layout.words
        for number, (accumulator, size) in enumerate(zip(self.accumulators, sizes, strict=True)):
            besides = collected.get(number) if collected else None
            states.append(accumulator.read(words[place : place + size]) if besides is None else besides)
            place += size
        return Partial(keys, len(words[0]), states)

    def _by_kernel(self, batch: Batch) -> Records | None:
        made = self._kernels.of(layouts_of(batch, self._given, list(batch.columns)), self)
        if made is None:
            return None
        program, _ = made
        # By partition the records come to the same in the end either way, so that it may depend on which batch was there first.
        self._batches += 1
        searched = self._must_search or self._repeats or self._batches % _SEARCHED_AGAIN == 0
        if not self._keys:
            room = 1
        elif searched:
            room = max(_FEW_GROUPS, self._groups)
        else:
            room = batch.length
        visits = batch.length
        while True:
            frame = program.frame(batch)
            frame["direct"] = not searched
            records = self._lend(frame, room, searched=searched)
            visited = self._visits.lend(frame, visits)
            status = program.run(frame)
            if status != FULL:
                break
            # More groups than records: begin anew with more, for what a row gives may be several groups.
            if self._visits.lacks_room(frame):
                visits *= 4
            else:
                room *= 4
        if status != DONE:
            return None
        note_counts(self._stages, frame)
        groups = frame["groups"]
        if searched:
            # After a batch of many records all are put together by partition.
            self._repeats = groups <= _REPEATED * frame["taken"] or groups < MANY_RECORDS
            self._groups = groups + groups // 4
        # What is lent is used again for the next batch.
        collected = self._visits.collected(frame, visited, groups)
        if groups >= MANY_RECORDS and not self.collects:
            found = Records(records[:groups], (self._texts(batch), frame) if self._has_text else None)
            found.divide()
            return found
        words = records[:groups].copy()
        # Few records copy their strings, rather than keep the batch.
        return Records(words, self._owner.own([(words, 0, groups)]), collected)

    def _texts(self, batch: Batch) -> list[pa.Array]:
        return [batch.columns[field.name] for field in self._given if is_text(field.dtype)]

    def _lend(self, frame: Frame, room: int, *, searched: bool) -> np.ndarray:
        """Room for records and, to find them, an index, of which this thread keeps the largest."""
        scratch = self._scratch
        records: np.ndarray | None = getattr(scratch, "records", None)
        if records is None or len(records) < room:
            records = scratch.records = np.empty((room, self.width), dtype=np.int64)
        # Not held by the frame, which may live as long as what is found.
        frame.point("records", int(records.ctypes.data), records.size)
        frame["room"] = room
        size = 1 << (room + (room >> 2)).bit_length() if searched and self._keys else 1
        index: np.ndarray | None = getattr(scratch, "index", None)
        if index is None or len(index) < size:
            index = scratch.index = np.zeros(size, dtype=np.int64)
        else:
            index[:size] = 0
        frame.point("index", int(index.ctypes.data), index.size)
        frame["mask"] = size - 1
        return records

    def key(self, layouts: Layouts) -> Hashable:
        grouped = self.grouped
        feeds = tuple(
            [
                (tuple([e.digest for e in feed.expressions]), None if feed.where is None else feed.where.digest)
                for feed in grouped.feeds
            ]
        )
        keys = tuple([scalar.digest for scalar in self._keys])
        stages = tuple([stage.key for stage in self._stages])
        return "groups", tuple(layouts.items()), stages, keys, feeds, tuple(grouped.kept)

    def bind(self, constants: Constants) -> None:
        bind_all(self._stages, constants)
        constants.parameters(self.grouped.parameters)

    def outputs(self, layouts: Layouts) -> None:
        """Records, for all layouts alike."""

    def write(self, layouts: Layouts) -> Code:
        if not self._keys and all([accumulator.is_branchless for accumulator in self.accumulators]):
            for way in ways(self._stages):
                try:
                    return self._write(layouts, way)
                except RowByRow:
                    pass
        return self._write(layouts)

    def _write(self, layouts: Layouts, together: Way | None = None) -> Code:
        """The kernel; without keys one that takes rows `together`, where that is possible."""
        writing = Writing(layouts)
        cg = writing.cg
        groups, taken = cg.variable(I64, 0), cg.variable(I64, 0)
        records = cg.pointer("records", I64)
        visiting = Visiting(cg, self._visits)
        table = None
        if self._keys:
            table = GroupTable(
                cg,
                self.layout,
                lambda number: records.at(number * self.width),
                groups,
                index=cg.pointer("index", I64),
                mask=cg.slot("mask"),
                room=cg.slot("room"),
            )
        everything = cg.words(self.width)
        if table is None:
            self._begin(cg, everything)

        def emit(row: Row) -> None:
            position = taken.get()
            taken.set(position + 1)
            if table is None:
                self._update(row, everything, visiting, None, position)
            else:
                group = self._find(row, table, groups)
                self._update(row, table.record(group), visiting, group, position)

        if together is not None:
            taken.set(self._take_together(writing, together, everything, visiting))
        else:
            with cg.for_range(0, cg.slot("rows"), note="each row") as number:
                pushed(self._stages, emit)(writing.row(number))
        if table is None:
            visiting.finish(cg.lift(1, I64), lambda _: everything)
        else:
            visiting.finish(groups.get(), table.record)
        if table is None:
            # All rows are one group, which is there even if no row is.
            records[0] = 0
            self._copy(cg, everything, records)
            groups.set(1)
        cg.put("groups", groups.get())
        cg.put("taken", taken.get())
        cg.return_(DONE)
        return writing.finish()

    def _take_together(self, writing: Writing, way: Way, record: Pointer, visiting: Visiting) -> Value:
        """Take rows by as many as there are lanes, and those that are left by themselves; gives how many there were."""
        cg = writing.cg
        # Of their own, so that they stand in registers: lanes are told apart by number elsewhere.
        sums = cg.words(self.width)
        self._begin(cg, sums)
        return way(
            writing,
            self._stages,
            self.grouped.scalars,
            lambda row, position: self._update(row, sums, visiting, None, position),
            lambda: self._copy(cg, sums, record),
            lambda row, position: self._update(row, record, visiting, None, position),
        )

    def _copy(self, cg: Function, source: Pointer, target: Pointer) -> None:
        """Copy the states of a record, many words at a time."""
        for accumulator, place in zip(self.accumulators, self._places, strict=True):
            end = place + accumulator.words
            while place < end:
                index = Together(cg, place) if end - place >= LANES else cg.lift(place, I64)
                target[index] = source[index]
                place += index.lanes

    def _find(self, row: Row, table: GroupTable, groups: Variable) -> Value:
        """The number of the record of the row's group, made if there is none yet."""
        cg = row.cg
        cg.note("group = of {}", self._keys)
        words = self.layout.words_of(cg, [row.value(scalar) for scalar in self._keys])

        def begin(record: Pointer) -> None:
            self._begin(cg, record)

        def full() -> None:
            cg.return_(FULL)

        found = cg.variable(I64, groups.get())
        with cg.if_(cg.slot("direct") != 0) as branch:
            table.append(words, begin, full)
        with branch.otherwise():
            found.set(table.find(words, begin, full))
        return found.get()

    def _begin(self, cg: Function, record: Pointer) -> None:
        for accumulator, place in zip(self.accumulators, self._places, strict=True):
            accumulator.begin(cg, record.at(place))

    def _update(self, row: Row, record: Pointer, visiting: Visiting, group: Value | None, position: Value) -> None:
        by_feed: dict[int, list[int]] = {}
        for number, (feed, _) in enumerate(self.grouped.kept):
            by_feed.setdefault(feed, []).append(number)
        for feed, numbers in by_feed.items():
            where = self.grouped.feeds[feed].where
            if where is None:
                self._update_states(row, record, visiting, group, position, feed, numbers)
            else:
                with row.cg.if_(row.truth(where), "{}", [where]):
                    self._update_states(row, record, visiting, group, position, feed, numbers)

    def _update_states(
        self,
        row: Row,
        record: Pointer,
        visiting: Visiting,
        group: Value | None,
        position: Value,
        feed: int,
        numbers: Sequence[int],
    ) -> None:
        cg, arguments = row.cg, self.grouped.feeds[feed].expressions
        for number in numbers:
            need = self.grouped.kept[number].need
            values = [row.value(arguments[i]) for i in need.columns]
            present = None
            for i in need.present:
                valid = row.value(arguments[i]).valid
                if valid is not None:
                    present = cg.both(present, valid)
            shown = [arguments[i] for i in need.columns]
            accumulator, own = self.accumulators[number], record.at(self._places[number])
            if accumulator.is_branchless:
                cg.note(f"group.{type(need.state).__name__}({{}})", shown)
                accumulator.update(cg, own, values, Taken(position, present))
                continue
            with cg.if_(cg.truth(True) if present is None else present):
                cg.note(f"group.{type(need.state).__name__}({{}})", shown)
                accumulator.update(cg, own, values, Taken(position))
                visiting.keep(number, group, values)


def why_not_aggregated(grouped: GroupedAggregation) -> str | None:
    """Why kernels cannot compute an aggregation; None where they can."""
    if len(grouped.keys) > MOST_KEYS:
        return f"more than {MOST_KEYS} keys"
    for name, scalar in grouped.keys:
        if not is_known(scalar.dtype):
            return f"a key of type {scalar.dtype} ({name})"
    for feed, need in grouped.kept:
        arguments = grouped.feeds[feed].expressions
        if accumulator_of(need, [arguments[i].dtype for i in need.columns], keyed=bool(grouped.keys)) is None:
            return f"the aggregate {type(need.state).__name__}"
    scalars = [scalar for _, scalar in grouped.keys]
    for found in grouped.feeds:
        scalars += found.expressions
        if found.where is not None:
            scalars.append(found.where)
    return why_not_all(scalars)
