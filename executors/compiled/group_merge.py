"""The groups of many batches put together by kernels, one partition at a time.

A partition is a table of records as of one batch, with states of all rows, and two words more: which of all records of batches
was the first of the group, and the batch that was taken last. Batches are taken in their order, so that nothing depends on
which thread works on which partition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock

import numpy as np

from lazyframe.executors.compiled.accumulators import Accumulator
from lazyframe.executors.compiled.array_kernel import Call, LoadedKernel
from lazyframe.executors.compiled.group_records import GroupRecords, GroupTable, places_of
from lazyframe.executors.compiled.kinds import I64, POINTER, U8
from lazyframe.executors.compiled.machine import compile_kernel
from lazyframe.executors.compiled.stage import DONE, FULL, Function, Module, Pointer, Value
from lazyframe.executors.compiled.text_words import is_long, text_of_long

_FIRST_ROOM = 512
_PIECE = 4


class Partition:
    """The groups of one partition so far.

    Attributes:
        records: room for them.
        count: how many there are.
        texts: the bytes of their long strings.
    """

    __slots__ = ("count", "index", "indexed", "records", "texts")

    def __init__(self, width: int) -> None:
        self.records = np.empty((_FIRST_ROOM, width), dtype=np.int64)
        self.index = np.zeros(2 * _FIRST_ROOM, dtype=np.int64)
        self.count = self.indexed = 0
        self.texts: list[np.ndarray] = []

    def free(self) -> None:
        """Let go of the records; their strings stay."""
        self.records, self.index = self.records[:0].copy(), self.index[:0].copy()

    def grow(self) -> None:
        room = 2 * len(self.records)
        records = np.empty((room, self.records.shape[1]), dtype=np.int64)
        records[: self.count] = self.records[: self.count]
        self.records = records
        self.index = np.zeros(2 * room, dtype=np.int64)
        self.indexed = 0


class GroupMerge:
    """The kernels that put groups together.

    Args:
        layout: how records begin.
        accumulators: their states.

    Attributes:
        width: how many words a record of all rows has.
        sizes: how many words each state has in the end.
    """

    def __init__(self, layout: GroupRecords, accumulators: Sequence[Accumulator]) -> None:
        self._layout = layout
        self._accumulators = accumulators
        self._given_places = [layout.words + p for p in places_of([a.words for a in accumulators])]
        self._given_width = layout.words + sum(a.words for a in accumulators) + 1
        self._places = [layout.words + p for p in places_of([a.total_words for a in accumulators])]
        self._first = layout.words + sum(a.total_words for a in accumulators)
        self.width = self._first + 2
        self.sizes = [a.end_words for a in accumulators]
        self._merging = _Written(self._write_merge)
        self._ending = _Written(self._write_end)
        self._marking = _Written(self._write_marks)
        self._owning = TextOwner(layout, self.width)

    @property
    def out_words(self) -> int:
        """How many words a group has in the end."""
        return self._layout.words + sum(self.sizes)

    def partition(self) -> Partition:
        return Partition(self.width)

    def take(self, partition: Partition, pieces: np.ndarray) -> None:
        """Take records of batches.

        Args:
            partition: theirs.
            pieces: for each batch, in order: where its records lie, how many they are, the number of the batch's first record
                among those of all batches, and the number of the batch.
        """
        before = partition.count
        call: Call | None = None
        while call is None or call.status == FULL:
            given: dict[str, np.ndarray | int] = {
                "records": partition.records,
                "index": partition.index,
                "room": len(partition.records),
                "mask": len(partition.index) - 1,
                "groups": partition.count,
                "indexed": partition.indexed,
            }
            if call is None:
                call = self._merging.call(pieces=pieces, piece_count=len(pieces), **given)
            else:
                call.run(**given)
            partition.count = partition.indexed = call["groups"]
            if call.status == FULL:
                partition.grow()
        if partition.count > before:
            texts = self._owning.own(partition.records, before, partition.count)
            if texts is not None:
                partition.texts.append(texts)

    def order(self, partitions: Sequence[Partition], records: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the groups of all partitions come in order of first appearance: a bit for each record of a batch that was
        the first of its group, and for each word of them how many come before.

        Args:
            partitions: all.
            records: how many records of batches there were.
        """
        bits = np.zeros((records >> 6) + 1, dtype=np.uint64)
        for partition in partitions:
            self._marking.call(records=partition.records, bits=bits, groups=partition.count)
        counts = np.bitwise_count(bits)
        before = np.zeros(len(bits), dtype=np.int64)
        np.cumsum(counts[:-1], out=before[1:])
        return bits, before

    def end(self, partition: Partition, order: tuple[np.ndarray, np.ndarray], out: np.ndarray) -> None:
        """Write the groups of a partition to where they come: `out` has a row for each word of a group."""
        bits, before = order
        self._ending.call(
            records=partition.records, bits=bits, before=before, out=out, groups=partition.count, total=out.shape[1]
        )

    def _write_merge(self, cg: Function) -> None:
        groups = cg.variable(I64, cg.slot("groups"))
        table = GroupTable(cg, self._layout, self.width, groups)
        table.enter_from(cg.slot("indexed"))
        pieces = cg.pointer("pieces", I64)
        start = cg.variable(I64, cg.slot("at"))
        with cg.for_range(cg.slot("piece"), cg.slot("piece_count")) as piece:
            address, count, base, batch = (pieces[piece * _PIECE + i] for i in range(_PIECE))
            length = count * self._given_width if cg.module.checked else None
            given = Pointer(cg, address.to(POINTER).ref, I64, length)
            with cg.for_range(start.get(), count) as i:
                record = given.at(i * self._given_width)

                def begin(total: Pointer, record: Pointer = record, base: Value = base) -> None:
                    for accumulator, place in zip(self._accumulators, self._places, strict=True):
                        accumulator.begin_total(cg, total.at(place))
                    total[self._first] = base + record[self._given_width - 1]
                    total[self._first + 1] = -1

                def full(piece: Value = piece, i: Value = i) -> None:
                    cg.put("groups", groups.get())
                    cg.put("piece", piece)
                    cg.put("at", i)
                    cg.return_(FULL)

                words = [record[word] for word in range(self._layout.words)]
                total = table.record(table.find(words, begin, full))
                same_batch = partial(Value.__eq__, total[self._first + 1], batch)
                for number, accumulator in enumerate(self._accumulators):
                    mine, theirs = total.at(self._places[number]), record.at(self._given_places[number])
                    accumulator.add(cg, mine, theirs, same_batch)
                total[self._first + 1] = batch
            start.set(0)
        cg.put("groups", groups.get())
        cg.return_(DONE)

    def _write_marks(self, cg: Function) -> None:
        records, bits = cg.pointer("records", I64), cg.pointer("bits", I64)
        with cg.for_range(0, cg.slot("groups")) as number:
            first = records[number * self.width + self._first]
            bits[first >> 6] = bits[first >> 6] | (cg.lift(1, I64) << (first & 63))
        cg.return_(DONE)

    def _write_end(self, cg: Function) -> None:
        records, out, total = cg.pointer("records", I64), cg.pointer("out", I64), cg.slot("total")
        bits, before = cg.pointer("bits", I64), cg.pointer("before", I64)
        with cg.for_range(0, cg.slot("groups")) as number:
            record = records.at(number * self.width)
            first = record[self._first]
            lower = (cg.lift(1, I64) << (first & 63)) - 1
            place = before[first >> 6] + cg.intrinsic("llvm.ctpop", I64, bits[first >> 6] & lower)
            words = [record[word] for word in range(self._layout.words)]
            for accumulator, at in zip(self._accumulators, self._places, strict=True):
                words += accumulator.end(cg, record.at(at))
            for word, value in enumerate(words):
                out[total * word + place] = value
        cg.return_(DONE)


class TextOwner:
    """Copies the long strings of records, which lie in batches, to where they stay.

    Args:
        layout: how records begin.
        width: how many words a record has.
    """

    def __init__(self, layout: GroupRecords, width: int) -> None:
        self._places = [place for key, place in zip(layout.keys, layout.places, strict=True) if key.is_text]
        self._width = width
        self._copying = _Written(self._write)

    def own(self, records: np.ndarray, start: int, stop: int) -> np.ndarray | None:
        """Copy those of some of the records; gives what they lie in from now on."""
        if not self._places:
            return None
        size = self._copying.call(
            records=records, start=start, stop=stop, copying=0, texts=np.empty(0, dtype=np.uint8)
        )["size"]
        if not size:
            return None
        texts = np.empty(size, dtype=np.uint8)
        self._copying.call(records=records, start=start, stop=stop, copying=1, texts=texts)
        return texts

    def _write(self, cg: Function) -> None:
        records, texts = cg.pointer("records", I64), cg.pointer("texts", U8)
        size = cg.variable(I64, 0)
        with cg.for_range(cg.slot("start"), cg.slot("stop")) as number:
            record = records.at(number * self._width)
            for place in self._places:
                words = [record[place], record[place + 1]]
                with cg.if_(is_long(words[0])):
                    text = text_of_long(cg, words)
                    with cg.if_(cg.slot("copying") != 0):
                        target = texts.at(size.get())
                        target.copy(text.address, text.length)
                        record[place + 1] = target.to(I64)
                    size.set(size.get() + text.length)
        cg.put("size", size.get())
        cg.return_(DONE)


class _Written:
    """A kernel that is written when it is first called.

    Args:
        write: writes it.
    """

    def __init__(self, write: Callable[[Function], None]) -> None:
        self._write = write
        self._kernel: LoadedKernel | None = None
        self._lock = Lock()

    def call(self, **given: np.ndarray | int) -> Call:
        with self._lock:
            if self._kernel is None:
                module = Module()
                self._write(module.kernel())
                self._kernel = LoadedKernel(compile_kernel(module.text()), module.slots)
        return self._kernel.call(**given)
