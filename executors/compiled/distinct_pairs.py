"""Aggregates of different values: rows are grouped by keys and values together, then these groups by the keys alone.

So that different values are found as groups are, by kernels and by partition. Besides them only such states may be asked for as
come to the same whichever way rows are put together first: counts, sums of integers, extremes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch, concat_arrays
from lazyframe.executors.vectorized.aggregates import Groups, Rows
from lazyframe.executors.vectorized.aggregates.collected import Chunk, Collected, Collection
from lazyframe.executors.vectorized.aggregates.counts import Count
from lazyframe.executors.vectorized.aggregates.picks import Pick
from lazyframe.executors.vectorized.aggregates.state import Need, Numbering
from lazyframe.executors.vectorized.aggregates.sums import ExactSum
from lazyframe.executors.vectorized.hash_aggregate import GroupedAggregation, Partial, rows_of
from lazyframe.executors.vectorized.keys import encode
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc


class DistinctPairs:
    """An aggregation that looks at different values, by way of one that groups by them too.

    Args:
        grouped: the aggregation.
        arguments: the arguments whose values count once.

    Attributes:
        inner: the other one.
    """

    def __init__(self, grouped: GroupedAggregation, arguments: tuple[int, ...]) -> None:
        self._grouped = grouped
        self._arguments = arguments
        self.inner = grouped.of_pairs(arguments, [kept for kept in grouped.kept if not _is_distinct(kept.need)])

    def finish(self, partials: Sequence[Partial]) -> Batch:
        """The result, from the groups of keys and values in order of first appearance."""
        grouped = self._grouped
        if not sum(partial.count for partial in partials):
            return grouped.finish(grouped.combine([]))
        dtypes = [scalar.dtype for _, scalar in self.inner.keys]
        columns = [concat_arrays([p.keys[i] for p in partials], dtype) for i, dtype in enumerate(dtypes)]
        keys, values = columns[: len(grouped.keys)], columns[len(grouped.keys) :]
        sizes = [partial.count for partial in partials]
        rows = sum(sizes)
        groups = Groups(None, rows, 1)
        if keys:
            codes = encode(keys, rows)
            keys = rows_of(keys, codes.first)
            groups = Groups(codes.codes, rows, codes.count)
        into = Numbering(np.split(groups.codes, np.cumsum(sizes)[:-1]), groups)
        states: list[Any] = []
        others = iter(range(len(self.inner.kept)))
        for kept in grouped.kept:
            if _is_distinct(kept.need):
                states.append(self._collection(kept.need, groups, values))
            else:
                number = next(others)
                states.append(kept.need.state.merge([p.states[number] for p in partials], into))
        return grouped.finish(Partial(keys, groups.count, states))

    def _collection(self, need: Need, groups: Groups, values: list[pa.Array]) -> Collection:
        """The different values of each group, without those in which one that must be there is null."""
        holed = [values[self._arguments.index(i)] for i in need.present]
        holed = [column for column in holed if column.null_count]
        if holed:
            valid = reduce(pc.and_, [column.is_valid() for column in holed])
            groups = groups.take(np.flatnonzero(arrow.numpy_of(valid)))
            values = [pc.array_filter(column, valid) for column in values]
        found = Collection([Chunk(groups.codes, values)], groups.count)
        found.joined = Rows(groups, values)
        return found


def distinct_pairs(grouped: GroupedAggregation) -> DistinctPairs | None:
    """The way by different values; None where the aggregation does not go it."""
    wanted = {(kept.feed, kept.need.columns) for kept in grouped.kept if _is_distinct(kept.need)}
    if len(wanted) != 1 or any(not _is_distinct(k.need) and not _any_order(k.need) for k in grouped.kept):
        return None
    ((feed, arguments),) = wanted
    return DistinctPairs(grouped, arguments) if feed == 0 and len(set(arguments)) == len(arguments) else None


def _is_distinct(need: Need) -> bool:
    return isinstance(need.state, Collected) and need.state.distinct == len(need.columns)


def _any_order(need: Need) -> bool:
    match need.state:
        case Count() | ExactSum():
            return True
        case Pick(choice="min" | "max", types=types):
            return len(types) == 1
    return False
