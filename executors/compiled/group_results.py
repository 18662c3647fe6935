"""Groups of all partitions in order of first appearance, as columns of words."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from lazyframe.executors.compiled.array_kernel import WrittenKernel
from lazyframe.executors.compiled.group_partition import Partition
from lazyframe.executors.compiled.group_totals import BATCH_BITS, TotalRecords
from lazyframe.executors.compiled.kinds import I64, POINTER
from lazyframe.executors.compiled.layouts import address_of
from lazyframe.executors.compiled.stage import DONE, Function
from lazyframe.executors.compiled.values import Pointer, Value
from lazyframe.executors.threads import run_all

_GROUPS_A_CALL = 1 << 13
_TABLE = 2
_BLOCK = 1 << 13
"""So many records are written together, from one partition after the other: their results stay near."""
_ODD = 8 * 17


class GroupResults:
    """The kernels that write what groups come to.

    Args:
        totals: how their records lie.
        key: what this depends on.

    Attributes:
        sizes: how many words each state has in the end.
    """

    def __init__(self, totals: TotalRecords, key: Hashable) -> None:
        self._totals = totals
        self.sizes = [a.end_words for a in totals.accumulators]
        bits = totals.segment_bits
        self._ending = WrittenKernel(("end groups", key, bits))
        self._marking = WrittenKernel(("mark groups", totals.width, bits))
        self._finding = WrittenKernel(("find groups", totals.width, bits))

    @property
    def out_words(self) -> int:
        """How many words a group has in the end."""
        return self._totals.layout.words + sum(self.sizes)

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
        return np.array(found, dtype=np.int64).reshape(len(found), _TABLE)

    def let_go(self, partitions: Sequence[Partition], stop: int) -> None:
        """Let go of groups that first appeared in some word of the order before `stop`, and are not asked for any more."""
        for partition in partitions:
            partition.let_go(self._totals.first, stop << (6 + BATCH_BITS))

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

    def _write_marks(self, cg: Function) -> None:
        tables, bits = cg.pointer("tables", I64), cg.pointer("bits", I64)
        with cg.for_range(0, cg.slot("table_count")) as table:
            segments, count = self._table(cg, tables, table)
            with cg.for_range(0, count) as number:
                first = self._totals.record(cg, segments, number)[self._totals.first].shifted_right(BATCH_BITS)
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
                    first = self._totals.record(cg, segments, middle)[self._totals.first].shifted_right(BATCH_BITS)
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
            record = self._totals.record(cg, segments, number.get())
            first = record[self._totals.first].shifted_right(BATCH_BITS)
            with cg.if_(first >= stop):
                loop.leave()
            lower = (cg.lift(1, I64) << (first & 63)) - 1
            place = before[first >> 6] + cg.intrinsic("llvm.ctpop", I64, bits[first >> 6] & lower) - cg.slot("base")
            words = [record[word] for word in range(self._totals.layout.words)]
            for accumulator, at in zip(self._totals.accumulators, self._totals.places, strict=True):
                words += accumulator.end(cg, record.at(at))
            for word, value in enumerate(words):
                out[total * word + place] = value
            number.set(number.get() + 1)
        cursors[table] = number.get()

    def _table(self, cg: Function, tables: Pointer, table: Value) -> tuple[Pointer, Value]:
        """The addresses of a partition's segments, and how many records it has."""
        address, count = (tables[table * _TABLE + place] for place in range(_TABLE))
        length = self._totals.segments(count) if cg.module.checked else None
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
