"""The groups of many batches put together by kernels, one partition at a time.

A partition is a table of its own (`group_totals.py` says what is in it). Batches are taken in their order, so that nothing depends
on which thread works on which partition.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np

from lazyframe.executors.compiled.array_kernel import WrittenKernel
from lazyframe.executors.compiled.group_partition import Blocks, Partition
from lazyframe.executors.compiled.group_records import GroupTable, places_of
from lazyframe.executors.compiled.group_totals import BATCH_BITS, NO_BATCH, TotalRecords
from lazyframe.executors.compiled.kinds import I64, POINTER
from lazyframe.executors.compiled.layouts import address_of
from lazyframe.executors.compiled.stage import DONE, FULL, Function
from lazyframe.executors.compiled.text_owner import TextOwner
from lazyframe.executors.compiled.text_words import is_long
from lazyframe.executors.compiled.values import Pointer, Value

_PIECE = 4
_SEGMENTS, _INDEX, _MASK, _ROOM, _GROUPS, _INDEXED, _AT_PIECE, _AT, _LONG, _TABLE = range(10)
"""What a kernel is told of a partition, and where it had no more room; whether there were long strings among new groups."""
_AHEAD = 16


class GroupMerge:
    """The kernels that put groups together.

    Args:
        totals: how their records lie.
        key: what this depends on.
    """

    def __init__(self, totals: TotalRecords, key: Hashable) -> None:
        self._totals = totals
        words, accumulators = totals.layout.words, totals.accumulators
        self._given_places = [words + p for p in places_of([a.words for a in accumulators])]
        self._given_width = words + sum(a.words for a in accumulators) + 1
        self._blocks = Blocks(1 << totals.segment_bits, totals.width)
        self._merging = WrittenKernel(("merge groups", key, totals.segment_bits))
        self._owning = TextOwner(totals.layout, totals.width)

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
            for number in range(start >> self._totals.segment_bits, -(-partition.count >> self._totals.segment_bits)):
                base = number << self._totals.segment_bits
                segment = partition.segments[number]
                assert segment is not None
                runs.append((segment, max(start - base, 0), min(partition.count - base, len(segment))))
        texts = self._owning.own(runs)
        if texts is not None:
            # They live as long as any of the partitions.
            for partition in partitions:
                partition.texts.append(texts)

    def _write_merge(self, cg: Function) -> None:
        tables, pieces = cg.pointer("tables", I64), cg.pointer("pieces", I64)
        with cg.for_range(cg.slot("table"), cg.slot("table_count")) as number:
            own = tables.at(number * _TABLE)
            given = pieces.at(number * cg.slot("piece_count") * _PIECE)
            self._merge_partition(cg, number, own, given)
        cg.return_(DONE)

    def _merge_partition(self, cg: Function, number: Value, own: Pointer, pieces: Pointer) -> None:
        groups, has_long = cg.variable(I64, own[_GROUPS]), cg.variable(I64, own[_LONG])
        mask, room = own[_MASK], own[_ROOM]
        checked = cg.module.checked
        segments = Pointer(cg, own[_SEGMENTS].to(POINTER).ref, I64, self._totals.segments(room) if checked else None)
        index = Pointer(cg, own[_INDEX].to(POINTER).ref, I64, mask + 1 if checked else None)
        record_of = partial(self._totals.record, cg, segments)
        table = GroupTable(cg, self._totals.layout, record_of, groups, room=room, index=index, mask=mask)
        table.enter_from(own[_INDEXED])
        start = cg.variable(I64, own[_AT])
        with cg.for_range(own[_AT_PIECE], cg.slot("piece_count")) as piece:
            address, count, base, batch = (pieces[piece * _PIECE + i] for i in range(_PIECE))
            length = count * self._given_width if checked else None
            given = Pointer(cg, address.to(POINTER).ref, I64, length)
            with cg.for_range(start.get(), count) as i:
                record = given.at(i * self._given_width)

                def begin(total: Pointer, record: Pointer = record, base: Value = base) -> None:
                    for accumulator, place in zip(self._totals.accumulators, self._totals.places, strict=True):
                        accumulator.begin_total(cg, total.at(place))
                    total[self._totals.first] = ((base + record[self._given_width - 1]) << BATCH_BITS) | NO_BATCH
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
                words = [record[word] for word in range(self._totals.layout.words)]
                total = table.record(table.find(words, begin, full))
                order = total[self._totals.first]
                same_batch = partial(Value.__eq__, order & NO_BATCH, batch)
                for state, accumulator in enumerate(self._totals.accumulators):
                    mine, theirs = total.at(self._totals.places[state]), record.at(self._given_places[state])
                    accumulator.add(cg, mine, theirs, same_batch)
                total[self._totals.first] = (order & ~NO_BATCH) | batch
            start.set(0)
        own[_GROUPS] = groups.get()
        own[_LONG] = has_long.get()
