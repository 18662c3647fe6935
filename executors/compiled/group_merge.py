"""The groups of many batches put together by kernels, one partition at a time.

A partition is a table of records as of one batch, with states of all rows, and one word more: which of all records of batches
was the first of the group, and in its lowest bits the batch that was taken last. Batches are taken in their order, so that nothing depends on
which thread works on which partition.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from lazyframe.executors.compiled.accumulators import Accumulator
from lazyframe.executors.compiled.array_kernel import WrittenKernel
from lazyframe.executors.compiled.group_partition import SEGMENT_BYTES, Blocks, Partition
from lazyframe.executors.compiled.group_records import GroupRecords, GroupTable, places_of
from lazyframe.executors.compiled.kinds import I64, POINTER
from lazyframe.executors.compiled.layouts import address_of
from lazyframe.executors.compiled.stage import DONE, FULL, Function
from lazyframe.executors.compiled.text_owner import TextOwner
from lazyframe.executors.compiled.text_words import is_long
from lazyframe.executors.compiled.values import Pointer, Value
from lazyframe.executors.threads import run_all

_GROUPS_A_CALL = 1 << 13
_PIECE = 4
_SEGMENTS, _INDEX, _MASK, _ROOM, _GROUPS, _INDEXED, _AT_PIECE, _AT, _LONG, _TABLE = range(10)
"""What a kernel is told of a partition, and where it had no more room; whether there were long strings among new groups."""
_ENDED = 2
_BATCH_BITS = 24
_NO_BATCH = (1 << _BATCH_BITS) - 1
"""There are fewer batches, of 2**16 rows or more where they are many."""
_AHEAD = 16
_BLOCK = 1 << 13
"""So many records are written together, from one partition after the other: their results stay near."""
_ODD = 8 * 17


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
        self.width = self._first + 1
        self._segment_bits = max(8, (SEGMENT_BYTES // (8 * self.width)).bit_length() - 1)
        self._blocks = Blocks(1 << self._segment_bits, self.width)
        self.sizes = [a.end_words for a in accumulators]
        self._merging = WrittenKernel(("merge groups", key, self._segment_bits))
        self._ending = WrittenKernel(("end groups", key, self._segment_bits))
        self._marking = WrittenKernel(("mark groups", self.width, self._segment_bits))
        self._finding = WrittenKernel(("find groups", self.width, self._segment_bits))
        self._owning = TextOwner(layout, self.width)

    @property
    def out_words(self) -> int:
        """How many words a group has in the end."""
        return self._layout.words + sum(self.sizes)

    def partition(self) -> Partition:
        """One without groups."""
        return Partition(self._blocks)

    def take(self, partitions: Sequence[Partition], pieces: np.ndarray) -> None:
        """Take records of batches.

        Args:
            partitions: theirs.
            pieces: for each partition and each batch, in order: where its records lie, how many they are, the number of the
                batch's first record among those of all batches, and the number of the batch.
        """
        before = [partition.count for partition in partitions]
        records: list[int] = pieces[:, :, 1].sum(axis=1).tolist()
        for partition, count in zip(partitions, records, strict=True):
            if count:
                partition.expect(count)
        tables = np.array([self._table_of(partition) for partition in partitions], dtype=np.int64)
        call = self._merging.call(
            self._write_merge, tables=tables, table_count=len(tables), pieces=pieces, piece_count=pieces.shape[1]
        )
        while call.status == FULL:
            number = call["table"]
            full = partitions[number]
            full.count = full.indexed = int(tables[number, _GROUPS])
            full.make_room(full.count + 1)
            tables[number, :_AT_PIECE] = self._table_of(full)[:_AT_PIECE]
            call.run(table=number)
        for partition, count, table, taken in zip(partitions, before, tables, records, strict=True):
            partition.count = partition.indexed = int(table[_GROUPS])
            partition.took(taken, count)
        if tables[:, _LONG].any():
            self._own_texts(partitions, before)

    def _table_of(self, partition: Partition) -> list[int]:
        index = partition.index
        places = [address_of(partition.addresses), address_of(index), len(index) - 1, partition.room]
        return [*places, partition.count, partition.indexed, 0, 0, 0]

    def _own_texts(self, partitions: Sequence[Partition], before: Sequence[int]) -> None:
        """Have the strings of new groups lie where they stay; `before` says how many groups there were."""
        runs = []
        for partition, start in zip(partitions, before, strict=True):
            for number in range(start >> self._segment_bits, -(-partition.count >> self._segment_bits)):
                base = number << self._segment_bits
                segment = partition.segments[number]
                assert segment is not None
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
        tables = self._ended(partitions)
        self._marking.call(self._write_marks, tables=tables, table_count=len(tables), bits=bits)
        before = np.zeros(len(bits) + 1, dtype=np.int64)
        np.cumsum(np.bitwise_count(bits), out=before[1:])
        return Order(bits, before)

    def _ended(self, partitions: Sequence[Partition]) -> np.ndarray:
        """Where the records of partitions lie, and how many they are."""
        found = [(address_of(p.addresses), p.count) for p in partitions if p.count]
        return np.array(found, dtype=np.int64).reshape(len(found), _ENDED)

    def let_go(self, partitions: Sequence[Partition], stop: int) -> None:
        """Let go of groups that first appeared in some word of the order before `stop`, and are not asked for any more."""
        for partition in partitions:
            partition.let_go(self._first, stop << (6 + _BATCH_BITS))

    def firsts(self, partitions: Sequence[Partition], starts: Sequence[int]) -> np.ndarray:
        """For each of some words of the order, the first record of each partition that has any that is not before it."""
        tables = self._ended(partitions)
        found = np.empty((len(starts), len(tables)), dtype=np.int64)
        lows = np.array(starts, dtype=np.int64) << 6
        self._finding.call(
            self._write_firsts, tables=tables, table_count=len(tables), lows=lows, low_count=len(lows), found=found
        )
        return found

    def end(
        self, partitions: Sequence[Partition], order: Order, cuts: Sequence[int], firsts: np.ndarray, threads: int
    ) -> np.ndarray:
        """The words of the groups that some words of the order tell of, in that order: a row for each word of a group.

        Args:
            partitions: all.
            order: of the groups.
            cuts: the words, divided for the threads: where each part begins, and the last one ends.
            firsts: what `firsts` gave for each part. Records before these are not looked at.
            threads: how many may work on them.
        """
        first = int(order.before[cuts[0]])
        count = int(order.before[cuts[-1]]) - first
        # Rows whose lengths are a power of 2 would fall on the same places of the cache.
        out = np.empty((self.out_words, count | _ODD), dtype=np.int64)
        tables = self._ended(partitions)

        def write(part: int) -> None:
            self._ending.call(
                self._write_end,
                tables=tables,
                table_count=len(tables),
                low=cuts[part] << 6,
                high=cuts[part + 1] << 6,
                bits=order.bits,
                before=order.before,
                base=first,
                out=out,
                total=out.shape[1],
                cursors=firsts[part].copy(),
            )

        run_all([partial(write, part) for part in range(len(cuts) - 1)], threads)
        return out[:, :count]

    def _write_merge(self, cg: Function) -> None:
        tables, pieces = cg.pointer("tables", I64), cg.pointer("pieces", I64)
        with cg.for_range(cg.slot("table"), cg.slot("table_count")) as number:
            own = tables.at(number * _TABLE)
            given = pieces.at(number * cg.slot("piece_count") * _PIECE)
            self._merge_partition(cg, number, own, given)
        cg.return_(DONE)

    def _merge_partition(self, cg: Function, number: Value, own: Pointer, pieces: Pointer) -> None:
        groups, has_long = cg.variable(I64, own[_GROUPS]), cg.variable(I64, own[_LONG])
        count, mask, room = own[_GROUPS], own[_MASK], own[_ROOM]
        checked = cg.module.checked
        segments = Pointer(cg, own[_SEGMENTS].to(POINTER).ref, I64, self._segments(room) if checked else None)
        index = Pointer(cg, own[_INDEX].to(POINTER).ref, I64, mask + 1 if checked else None)
        record_of = partial(self._record, cg, segments)
        table = GroupTable(cg, self._layout, record_of, groups, room=room, index=index, mask=mask)
        table.enter_from(own[_INDEXED])
        start = cg.variable(I64, own[_AT])
        with cg.for_range(own[_AT_PIECE], cg.slot("piece_count")) as piece:
            address, count, base, batch = (pieces[piece * _PIECE + i] for i in range(_PIECE))
            length = count * self._given_width if checked else None
            given = Pointer(cg, address.to(POINTER).ref, I64, length)
            with cg.for_range(start.get(), count) as i:
                record = given.at(i * self._given_width)

                def begin(total: Pointer, record: Pointer = record, base: Value = base) -> None:
                    for accumulator, place in zip(self._accumulators, self._places, strict=True):
                        accumulator.begin_total(cg, total.at(place))
                    total[self._first] = ((base + record[self._given_width - 1]) << _BATCH_BITS) | _NO_BATCH
                    for place in self._owning.places:
                        has_long.set(has_long.get() | is_long(record[place]).to(I64))

                def full(piece: Value = piece, i: Value = i) -> None:
                    for place, value in ((_GROUPS, groups), (_LONG, has_long)):
                        own[place] = value.get()
                    own[_AT_PIECE], own[_AT] = piece, i
                    cg.put("table", number)
                    cg.return_(FULL)

                last = count - 1
                for distance, fetch in ((2 * _AHEAD, table.fetch_entry), (_AHEAD, table.fetch_record)):
                    ahead = i + distance
                    fetch(given[cg.choose(ahead < last, ahead, last) * self._given_width])
                words = [record[word] for word in range(self._layout.words)]
                total = table.record(table.find(words, begin, full))
                order = total[self._first]
                same_batch = partial(Value.__eq__, order & _NO_BATCH, batch)
                for state, accumulator in enumerate(self._accumulators):
                    mine, theirs = total.at(self._places[state]), record.at(self._given_places[state])
                    accumulator.add(cg, mine, theirs, same_batch)
                total[self._first] = (order & ~_NO_BATCH) | batch
            start.set(0)
        own[_GROUPS] = groups.get()
        own[_LONG] = has_long.get()

    def _segments(self, records: Value) -> Value:
        """How many segments hold so many records."""
        return (records + ((1 << self._segment_bits) - 1)) >> self._segment_bits

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
                first = self._record(cg, segments, number)[self._first].shifted_right(_BATCH_BITS)
                bits[first >> 6] = bits[first >> 6] | (cg.lift(1, I64) << (first & 63))
        cg.return_(DONE)

    def _write_firsts(self, cg: Function) -> None:
        tables, lows, found = (cg.pointer(name, I64) for name in ("tables", "lows", "found"))
        with cg.for_range(0, cg.slot("table_count")) as table:
            segments, count = self._table(cg, tables, table)
            with cg.for_range(0, cg.slot("low_count")) as place:
                # The groups of a partition come in order of first appearance too.
                low, high = cg.variable(I64, 0), cg.variable(I64, count)
                with cg.loop() as search:
                    with cg.if_(low.get() >= high.get()):
                        search.leave()
                    middle = (low.get() + high.get()) >> 1
                    first = self._record(cg, segments, middle)[self._first].shifted_right(_BATCH_BITS)
                    with cg.if_(first < lows[place]) as branch:
                        low.set(middle + 1)
                    with branch.otherwise():
                        high.set(middle)
                found[place * cg.slot("table_count") + table] = low.get()
        cg.return_(DONE)

    def _write_end(self, cg: Function) -> None:
        tables, cursors = cg.pointer("tables", I64), cg.pointer("cursors", I64)
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
            first = record[self._first].shifted_right(_BATCH_BITS)
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
        address, count = (tables[table * _ENDED + place] for place in range(_ENDED))
        length = self._segments(count) if cg.module.checked else None
        return Pointer(cg, address.to(POINTER).ref, I64, length), count


class Order(NamedTuple):
    """The order of groups by the first of their records.

    Args:
        bits: a bit for each record of a batch, set where it was the first of its group.
        before: how many are set before each word of these, and in all.
    """

    bits: np.ndarray
    before: np.ndarray

    def cuts(self, start: int, stop: int, threads: int) -> list[int]:
        """Some of the words divided for threads, where they tell of many groups: where each part begins, and the last one ends."""
        parts = max(min(threads, int(self.before[stop] - self.before[start]) // _GROUPS_A_CALL), 1)
        return [start + (stop - start) * i // parts for i in range(parts + 1)]
