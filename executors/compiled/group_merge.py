"""The groups of many batches put together by kernels, one partition at a time.

A partition is a table of records as of one batch, with states of all rows, and two words more: which of all records of batches
was the first of the group, and the batch that was taken last. Batches are taken in their order, so that nothing depends on
which thread works on which partition.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lazyframe.executors.compiled.accumulators import Accumulator
from lazyframe.executors.compiled.array_kernel import WrittenKernel
from lazyframe.executors.compiled.group_records import GroupRecords, GroupTable, places_of
from lazyframe.executors.compiled.kinds import I64, POINTER
from lazyframe.executors.compiled.layouts import address_of
from lazyframe.executors.compiled.stage import DONE, FULL, Function
from lazyframe.executors.compiled.text_owner import TextOwner
from lazyframe.executors.compiled.values import Pointer, Value, Variable
from lazyframe.executors.threads import run_all

_SEGMENT_BYTES = 1 << 18
_GROUPS_A_CALL = 1 << 13
_PIECE = 4
_TABLE, _GROUPS = 6, 4
_AHEAD = 16
_BLOCK = 1 << 13
"""So many records are written together, from one partition after the other: their results stay near."""
_ODD = 8 * 17


class Partition:
    """The groups of one partition so far: records in segments of equal size, which stay where they are.

    Attributes:
        segments: the records.
        addresses: of the segments.
        count: how many records there are.
        index: where they are found by their tags.
        indexed: how many of them are entered there.
        texts: the bytes of their long strings.
    """

    __slots__ = ("addresses", "count", "index", "indexed", "segments", "texts")

    def __init__(self) -> None:
        self.segments: list[np.ndarray] = []
        self.addresses: np.ndarray = _NOTHING
        self.index: np.ndarray = _NOTHING
        self.count = self.indexed = 0
        self.texts: list[np.ndarray] = []

    def grow(self, length: int, width: int) -> None:
        """Take one more segment of so many records."""
        self.segments.append(np.empty((length, width), dtype=np.int64))
        self.addresses = np.array([address_of(segment) for segment in self.segments], dtype=np.int64)
        room = len(self.segments) * length
        if 2 * room > len(self.index):
            self.index = np.zeros(1 << (2 * room - 1).bit_length(), dtype=np.int64)
            self.indexed = 0

    def let_go_of_index(self) -> None:
        """Nothing is looked for any more: no records come."""
        self.index = np.zeros(1, dtype=np.int64)
        self.indexed = 0


_NOTHING = np.zeros(0, dtype=np.int64)


class GroupMerge:
    """The kernels that put groups together.

    Args:
        layout: how records begin.
        accumulators: their states.
        key: what both depend on.

    Attributes:
        width: how many words a record of all rows has.
        sizes: how many words each state has in the end.
    """

    def __init__(self, layout: GroupRecords, accumulators: Sequence[Accumulator], key: Hashable) -> None:
        self._layout = layout
        self._accumulators = accumulators
        self._given_places = [layout.words + p for p in places_of([a.words for a in accumulators])]
        self._given_width = layout.words + sum(a.words for a in accumulators) + 1
        self._places = [layout.words + p for p in places_of([a.total_words for a in accumulators])]
        self._first = layout.words + sum(a.total_words for a in accumulators)
        self.width = self._first + 2
        self._segment_bits = max(8, (_SEGMENT_BYTES // (8 * self.width)).bit_length() - 1)
        self.sizes = [a.end_words for a in accumulators]
        self._merging = WrittenKernel(("merge groups", key))
        self._ending = WrittenKernel(("end groups", key))
        self._marking = WrittenKernel(("mark groups", self.width))
        self._owning = TextOwner(layout, self.width)

    @property
    def out_words(self) -> int:
        """How many words a group has in the end."""
        return self._layout.words + sum(self.sizes)

    def take(self, partitions: Sequence[Partition], pieces: np.ndarray) -> None:
        """Take records of batches.

        Args:
            partitions: some.
            pieces: of each, for each batch, in order: where its records lie, how many they are, the number of the batch's first
                record among those of all batches, and the number of the batch.
        """
        before = [partition.count for partition in partitions]
        for partition in partitions:
            if not partition.segments:
                partition.grow(1 << self._segment_bits, self.width)
        tables = np.array([self._table_of(partition) for partition in partitions], dtype=np.int64)
        call = self._merging.call(
            self._write_merge, tables=tables, count=len(tables), pieces=pieces, piece_count=pieces.shape[1]
        )
        while call.status == FULL:
            number = call["table"]
            partition = partitions[number]
            partition.count = partition.indexed = int(tables[number, _GROUPS])
            partition.grow(1 << self._segment_bits, self.width)
            tables[number] = self._table_of(partition)
            call.run()
        for partition, count in zip(partitions, tables[:, _GROUPS].tolist(), strict=True):
            partition.count = partition.indexed = count
        self._own_texts(partitions, before)

    def _table_of(self, partition: Partition) -> tuple[int, ...]:
        """What the kernel is told of a partition, which changes the number of groups."""
        return (
            address_of(partition.addresses),
            address_of(partition.index),
            len(partition.index) - 1,
            len(partition.segments) << self._segment_bits,
            partition.count,
            partition.indexed,
        )

    def _own_texts(self, partitions: Sequence[Partition], before: Sequence[int]) -> None:
        """Have the strings of new groups lie where they stay; `before` says how many groups there were."""
        if not self._owning.has_texts:
            return
        runs = []
        for partition, start in zip(partitions, before, strict=True):
            for number in range(start >> self._segment_bits, -(-partition.count >> self._segment_bits)):
                base = number << self._segment_bits
                segment = partition.segments[number]
                runs.append((segment, max(start - base, 0), min(partition.count - base, len(segment))))
        texts = self._owning.own(runs)
        if texts is not None:
            # They live as long as any of the partitions.
            for partition in partitions:
                partition.texts.append(texts)

    def order(self, partitions: Sequence[Partition], records: int) -> Order:
        """Where the groups of all partitions come in order of first appearance.

        Args:
            partitions: all.
            records: how many records of batches there were.
        """
        bits = np.zeros((records >> 6) + 1, dtype=np.uint64)
        tables = _tables(partitions)
        self._marking.call(self._write_marks, tables=tables, table_count=len(tables), bits=bits)
        before = np.zeros(len(bits) + 1, dtype=np.int64)
        np.cumsum(np.bitwise_count(bits), out=before[1:])
        return Order(bits, before)

    def end(self, partitions: Sequence[Partition], order: Order, start: int, stop: int, threads: int) -> np.ndarray:
        """The words of the groups that some words of the order tell of, in that order: a row for each word of a group."""
        first = int(order.before[start])
        count = int(order.before[stop]) - first
        # Rows whose lengths are a power of 2 would fall on the same places of the cache.
        out = np.empty((self.out_words, count | _ODD), dtype=np.int64)
        tables = _tables(partitions)

        def write(low: int, high: int) -> None:
            self._ending.call(
                self._write_end,
                tables=tables,
                table_count=len(tables),
                low=low << 6,
                high=high << 6,
                bits=order.bits,
                before=order.before,
                base=first,
                out=out,
                total=out.shape[1],
                cursors=np.empty(len(tables), dtype=np.int64),
            )

        calls = max(min(threads, count // _GROUPS_A_CALL), 1)
        cuts = [start + (stop - start) * i // calls for i in range(calls + 1)]
        run_all([partial(write, low, high) for low, high in pairwise(cuts)], threads)
        return out[:, :count]

    def _write_merge(self, cg: Function) -> None:
        tables, pieces = cg.pointer("tables", I64), cg.pointer("pieces", I64)
        start, first_piece = cg.variable(I64, cg.slot("at")), cg.variable(I64, cg.slot("piece"))
        with cg.for_range(cg.slot("table"), cg.slot("count")) as number:
            self._merge_table(cg, number, tables.at(number * _TABLE), pieces, first_piece, start)
        cg.return_(DONE)

    def _merge_table(
        self, cg: Function, number: Value, given: Pointer, pieces: Pointer, first_piece: Variable, start: Variable
    ) -> None:
        """Bring the pieces of one partition into its table."""
        segments_at, index_at, mask, room, before, indexed = (given[i] for i in range(_TABLE))
        groups = cg.variable(I64, before)
        checked = cg.module.checked
        segments = Pointer(cg, segments_at.to(POINTER).ref, I64, room >> self._segment_bits if checked else None)
        index = Pointer(cg, index_at.to(POINTER).ref, I64, mask + 1 if checked else None)
        record_at = partial(self._record, cg, segments)
        table = GroupTable(cg, self._layout, record_at, groups, index=index, mask=mask, room=room)
        table.enter_from(indexed)
        with cg.for_range(first_piece.get(), cg.slot("piece_count")) as piece:
            place = (number * cg.slot("piece_count") + piece) * _PIECE
            address, count, base, batch = (pieces[place + i] for i in range(_PIECE))
            length = count * self._given_width if checked else None
            records = Pointer(cg, address.to(POINTER).ref, I64, length)
            with cg.for_range(start.get(), count) as i:
                record = records.at(i * self._given_width)

                def begin(total: Pointer, record: Pointer = record, base: Value = base) -> None:
                    for accumulator, place in zip(self._accumulators, self._places, strict=True):
                        accumulator.begin_total(cg, total.at(place))
                    total[self._first] = base + record[self._given_width - 1]
                    total[self._first + 1] = -1

                def full(piece: Value = piece, i: Value = i) -> None:
                    given[_GROUPS] = groups.get()
                    cg.put("table", number)
                    cg.put("piece", piece)
                    cg.put("at", i)
                    cg.return_(FULL)

                last = count - 1
                for distance, fetch in ((2 * _AHEAD, table.fetch_entry), (_AHEAD, table.fetch_record)):
                    ahead = i + distance
                    fetch(records[cg.choose(ahead < last, ahead, last) * self._given_width])
                words = [record[word] for word in range(self._layout.words)]
                total = table.record(table.find(words, begin, full))
                same_batch = partial(Value.__eq__, total[self._first + 1], batch)
                places = zip(self._places, self._given_places, strict=True)
                for accumulator, (mine, theirs) in zip(self._accumulators, places, strict=True):
                    accumulator.add(cg, total.at(mine), record.at(theirs), same_batch)
                total[self._first + 1] = batch
            start.set(0)
        first_piece.set(0)
        given[_GROUPS] = groups.get()

    def _record(self, cg: Function, segments: Pointer, number: Value) -> Pointer:
        address = segments[number >> self._segment_bits]
        length = cg.lift(self.width << self._segment_bits, I64) if cg.module.checked else None
        segment = Pointer(cg, address.to(POINTER).ref, I64, length)
        return segment.at((number & ((1 << self._segment_bits) - 1)) * self.width)

    def _write_marks(self, cg: Function) -> None:
        tables, bits = cg.pointer("tables", I64), cg.pointer("bits", I64)
        with cg.for_range(0, cg.slot("table_count")) as table:
            segments, count = self._table(cg, tables, table)
            with cg.for_range(0, count) as number:
                first = self._record(cg, segments, number)[self._first]
                bits[first >> 6] = bits[first >> 6] | (cg.lift(1, I64) << (first & 63))
        cg.return_(DONE)

    def _write_end(self, cg: Function) -> None:
        tables, cursors = cg.pointer("tables", I64), cg.pointer("cursors", I64)
        with cg.for_range(0, cg.slot("table_count")) as table:
            segments, count = self._table(cg, tables, table)
            # The groups of a partition come in order of first appearance too.
            low, high = cg.variable(I64, 0), cg.variable(I64, count)
            with cg.loop() as search:
                with cg.if_(low.get() >= high.get()):
                    search.leave()
                middle = (low.get() + high.get()) >> 1
                with cg.if_(self._record(cg, segments, middle)[self._first] < cg.slot("low")) as branch:
                    low.set(middle + 1)
                with branch.otherwise():
                    high.set(middle)
            cursors[table] = low.get()
        block = cg.variable(I64, cg.slot("low"))
        with cg.loop() as blocks:
            with cg.if_(block.get() >= cg.slot("high")):
                blocks.leave()
            block.set(block.get() + _BLOCK)
            with cg.for_range(0, cg.slot("table_count")) as table:
                self._end_table(cg, tables, cursors, table, block.get())
        cg.return_(DONE)

    def _end_table(self, cg: Function, tables: Pointer, cursors: Pointer, table: Value, stop: Value) -> None:
        """Write the groups of a partition whose first records come before one."""
        out, total = cg.pointer("out", I64), cg.slot("total")
        bits, before = cg.pointer("bits", I64), cg.pointer("before", I64)
        stop = cg.choose(stop < cg.slot("high"), stop, cg.slot("high"))
        segments, count = self._table(cg, tables, table)
        number = cg.variable(I64, cursors[table])
        with cg.loop() as loop:
            with cg.if_(number.get() >= count):
                loop.leave()
            record = self._record(cg, segments, number.get())
            first = record[self._first]
            with cg.if_(first >= stop):
                loop.leave()
            lower = (cg.lift(1, I64) << (first & 63)) - 1
            place = before[first >> 6] + cg.intrinsic("llvm.ctpop", I64, bits[first >> 6] & lower) - cg.slot("base")
            words = [record[word] for word in range(self._layout.words)]
            for accumulator, at in zip(self._accumulators, self._places, strict=True):
                words += accumulator.end(cg, record.at(at))
            for word, value in enumerate(words):
                out[total * word + place] = value
            number.set(number.get() + 1)
        cursors[table] = number.get()

    def _table(self, cg: Function, tables: Pointer, table: Value) -> tuple[Pointer, Value]:
        """The addresses of a partition's segments, and how many records it has."""
        count = tables[table * 2 + 1]
        length = ((count - 1) >> self._segment_bits) + 1 if cg.module.checked else None
        return Pointer(cg, tables[table * 2].to(POINTER).ref, I64, length), count


def _tables(partitions: Sequence[Partition]) -> np.ndarray:
    """Where the segments of partitions lie, and how many groups each has, of those that have any."""
    found = [(address_of(p.addresses), p.count) for p in partitions if p.count]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


class Order(NamedTuple):
    """The order of groups by the first of their records.

    Args:
        bits: a bit for each record of a batch, set where it was the first of its group.
        before: how many are set before each word of these, and in all.
    """

    bits: np.ndarray
    before: np.ndarray
