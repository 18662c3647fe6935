"""Aggregation as a sink of compiled pipelines: what kernels found in batches, put together.

Few records are put together by the vectorized aggregation. Many go by partition: each partition is a table of its own, so that
threads work on several at a time; in the end groups are put in the order in which they first appeared. Both give the same bits,
so that which it is may depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import accumulate
from threading import Lock
from typing import TypeVar

import numpy as np

from lazyframe.executors.batch import Batch
from lazyframe.executors.compiled import partitions
from lazyframe.executors.compiled.aggregation import CompiledAggregation
from lazyframe.executors.compiled.batch_records import Records
from lazyframe.executors.compiled.distinct_pairs import DistinctPairs, distinct_pairs
from lazyframe.executors.compiled.group_merge import GroupMerge
from lazyframe.executors.compiled.group_partition import Partition
from lazyframe.executors.compiled.group_results import GroupResults
from lazyframe.executors.compiled.group_totals import TotalRecords
from lazyframe.executors.compiled.layouts import address_of
from lazyframe.executors.compiled.partial_records import PartialRecords
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.sources.source import MORSEL_ROWS
from lazyframe.executors.threads import run_all
from lazyframe.executors.vectorized.distinct import DistinctRows
from lazyframe.executors.vectorized.hash_aggregate import GroupedAggregation, Partial
from lazyframe.executors.vectorized.operators.collect import evened
from lazyframe.planner.scalars import Column
from lazyframe.planner.schema import Schema

Result = TypeVar("Result", Batch, Partial)

_FEW_RECORDS = 1 << 16
_WAITING_WORDS = 1 << 23
_MOST_WAITING_WORDS = 1 << 24
_RECORDS_A_CALL = 1 << 14


def as_groups(reduction: object, schema: Schema) -> tuple[GroupedAggregation, DistinctPairs | None] | None:
    """A reduction as an aggregation by groups, and what makes the result of these; None where it is none."""
    match reduction:
        case GroupedAggregation():
            pairs = distinct_pairs(reduction)
            return (reduction, None) if pairs is None else (pairs.inner, pairs)
        case DistinctRows() if reduction.is_of_whole_rows:
            return GroupedAggregation([(f.name, Column(f.name, f.dtype, True)) for f in schema], []), None
    return None


class ReduceRecords:
    """Groups of all batches.

    Args:
        aggregation: what gives the records of a batch.
        schema: the columns of the result.
        threads: how many may work on partitions.
        pairs: what makes the result of the groups, where that is not the aggregation itself.
    """

    is_native = True

    def __init__(
        self, aggregation: CompiledAggregation, schema: Schema, threads: int, pairs: DistinctPairs | None = None
    ) -> None:
        self._pairs = pairs
        self.aggregation = aggregation
        self.may_take_long = aggregation.may_take_long
        self._schema = schema
        self._threads = threads
        self._waiting: list[Records | Partial] = []
        self._waiting_records = 0
        self._total: list[Partial] = []
        self._totals = TotalRecords(aggregation.layout, aggregation.accumulators)
        self._merge = GroupMerge(self._totals, aggregation.shape)
        self._results = GroupResults(self._totals, aggregation.shape)
        self._partials = PartialRecords(
            aggregation.layout, aggregation.accumulators, [scalar.dtype for _, scalar in aggregation.grouped.keys]
        )
        self._partitions: list[Partition] = []
        self._records = 0
        self._batches = 0

    def start(self) -> list[Records | Partial]:
        return []

    def push(self, state: list[Records | Partial], batch: Batch) -> None:
        if batch.length:
            state.extend(self.aggregation.reduced(batch))

    def merge(self, state: list[Records | Partial]) -> bool:
        self._waiting += state
        self._waiting_records += sum(map(len, state))
        if self._by_partition():
            # Each time what waits is half of what there is, so that a record is brought near a few times only; but it waits in
            # memory.
            held = sum(partition.count for partition in self._partitions) * self._totals.width
            most = max(_WAITING_WORDS, min(held // 2, _MOST_WAITING_WORDS))
            if self._waiting_records * self._totals.width > most:
                self._take_waiting()
        elif self._waiting_records > max(_FEW_RECORDS, sum(map(len, self._total))):
            self._join_waiting()
        return False

    def finish(self) -> Source:
        if self._by_partition():
            self._take_waiting()
            if self._pairs is None:
                return Batches(self._in_order(self.aggregation.grouped.finish))
            result = self._pairs.finish(self._in_order(lambda partial: partial))
        else:
            self._join_waiting()
            (total,) = self._total
            result = self.aggregation.grouped.finish(total) if self._pairs is None else self._pairs.finish([total])
        return Batches(evened([result], self._schema))

    def _by_partition(self) -> bool:
        """Whether groups are put together by kernels: where they are many, and there are kernels."""
        if self._partitions:
            return True
        if not self.aggregation.layout.keys or self.aggregation.collects:
            return False
        records = [state for state in self._waiting if isinstance(state, Records)]
        if any(state.parts is not None for state in records):
            return True
        return bool(records) and self._waiting_records > _FEW_RECORDS

    def _join_waiting(self) -> None:
        aggregation = self.aggregation
        states = [s if isinstance(s, Partial) else aggregation.partial(s) for s in self._waiting]
        self._total = [aggregation.grouped.combine(self._total + states)]
        self._waiting, self._waiting_records = [], 0

    def _take_waiting(self) -> None:
        """Put what waits into the tables of the partitions."""
        if not self._partitions:
            self._partitions = [self._merge.partition() for _ in range(partitions.COUNT)]
        # What was joined before counts as one batch: to its sums of floats those of others are added.
        waiting = [self._divided(state) for state in self._total + self._waiting if len(state)]
        pieces = np.empty((partitions.COUNT, len(waiting), 4), dtype=np.int64)
        for number, records in enumerate(waiting):
            parts = records.parts
            assert parts is not None
            pieces[:, number, 0] = address_of(records.words) + parts[:-1] * records.words.strides[0]
            pieces[:, number, 1] = np.diff(parts)
            pieces[:, number, 2] = self._records
            pieces[:, number, 3] = self._batches
            self._records += len(records)
            self._batches += 1
        # A call of the kernel is worth some records.
        calls = min(max(self._waiting_records // _RECORDS_A_CALL, self._threads), partitions.COUNT)
        step = -(-partitions.COUNT // calls)

        def take(number: int) -> None:
            some = slice(number * step, (number + 1) * step)
            self._merge.take(self._partitions[some], pieces[some])

        self._each(take, range(-(-partitions.COUNT // step)))
        self._total, self._waiting, self._waiting_records = [], [], 0

    def _divided(self, state: Records | Partial) -> Records:
        records = state if isinstance(state, Records) else Records(*self._partials.records(state))
        if records.parts is None:
            records.divide()
        return records

    def _each(self, function: Callable[[int], None], numbers: range) -> None:
        """Call a function with each number; of errors the one of the lowest number is raised."""
        errors: dict[int, Exception] = {}

        def call(number: int) -> None:
            try:
                function(number)
            except Exception as error:  # noqa: BLE001 - raised again below
                errors[number] = error

        run_all([partial(call, number) for number in numbers], self._threads)
        if errors:
            raise errors[min(errors)]

    def _in_order(self, finish: Callable[[Partial], Result]) -> list[Result]:
        """What becomes of the groups, some at a time, in order of first appearance."""
        written, found = self._results, self._partitions
        for part in found:
            part.drop_index()
        order = written.order(found, self._records)
        # Each batch begins with a word of the order.
        groups = int(order.before[-1])
        nth = np.arange(0, groups, MORSEL_ROWS)
        starts: list[int] = (np.searchsorted(order.before, nth, side="right") - 1).tolist()
        stops = [*starts[1:], len(order.bits)]
        results: list[Result | None] = [None] * len(starts)
        cuts = [order.cuts(start, stop, self._threads) for start, stop in zip(starts, stops, strict=True)]
        firsts = written.firsts(found, [cut for own in cuts for cut in own[:-1]])
        ends = list(accumulate([len(own) - 1 for own in cuts]))
        wanted = set(range(len(starts)))
        lock = Lock()

        def end(number: int) -> None:
            own = cuts[number]
            cursors = firsts[ends[number] - len(own) + 1 : ends[number]]
            words = list(written.end(found, order, own, cursors, self._threads))
            if len(words[0]):
                results[number] = finish(self.aggregation.read(words, written.sizes))
            with lock:
                # Results are made about in their order, and need memory.
                wanted.remove(number)
                written.let_go(found, starts[min(wanted)] if wanted else len(order.bits))

        self._each(end, range(len(starts)))
        return [result for result in results if result is not None]
