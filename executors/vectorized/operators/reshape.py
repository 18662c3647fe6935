"""Rows made of rows: explode and unpivot."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch, concat_arrays, decoded
from lazyframe.executors.vectorized.operators.runs import runs
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.relations import Explode, Unpivot


class ExplodeLists:
    """A row for each item of the lists."""

    def __init__(self, plan: Explode) -> None:
        self._plan = plan

    def expand(self, batch: Batch) -> Iterator[Batch]:
        plan = self._plan
        lengths = {name: _lengths(batch.columns[name]) for name in plan.columns}
        if plan.equal_lengths:
            self._check(lengths)
        repeats = np.maximum.reduce(list(lengths.values()))
        if plan.keep_empty:
            repeats = np.maximum(repeats, 1)
        for start, stop in runs(repeats):
            own = {name: each[start:stop] for name, each in lengths.items()}
            yield self._exploded(batch.slice(start, stop - start), own, repeats[start:stop])

    def _check(self, lengths: dict[str, np.ndarray]) -> None:
        (name, first), *others = lengths.items()
        for other, those in others:
            if not np.array_equal(first, those):
                row = int(np.flatnonzero(first != those)[0])
                raise EvaluationError(
                    f"lists exploded together differ in length: {name!r} has {first[row]} items and "
                    f"{other!r} {those[row]}",
                    site=self._plan.site,
                )

    def _exploded(self, batch: Batch, lengths: dict[str, np.ndarray], repeats: np.ndarray) -> Batch:
        plan = self._plan
        rows = np.repeat(np.arange(batch.length), repeats)
        parents = arrow.array(rows)
        ends = np.cumsum(repeats)
        # The place of each row among those of its list.
        places = np.arange(len(rows)) - np.repeat(ends - repeats, repeats)
        columns = {}
        for name, column in batch.columns.items():
            if name in lengths:
                columns[name] = _items(column, lengths[name], repeats, places)
            else:
                columns[name] = pc.array_take(column, parents)
        if plan.ordinality is not None:
            longest = np.maximum.reduce(list(lengths.values()))
            numbered = places < np.repeat(longest, repeats)
            columns[plan.ordinality] = arrow.array(places + 1, mask=None if numbered.all() else ~numbered)
        return Batch({field.name: columns[field.name] for field in plan.schema}, len(rows))


def _lengths(lists: pa.ListArray) -> np.ndarray:
    return arrow.numpy_of(pc.fill_null(pc.list_value_length(lists), 0)).astype(np.int64)


def _items(lists: pa.ListArray, lengths: np.ndarray, repeats: np.ndarray, places: np.ndarray) -> pa.Array:
    """The items of lists, with nulls where a list has none at a place."""
    # flatten() leaves out what lies under null lists.
    items = lists.flatten()
    if len(items) == len(places):
        return items
    positions = np.full(len(places), -1, dtype=np.int64)
    present = places < np.repeat(lengths, repeats)
    positions[present] = np.arange(len(items))
    return pc.array_take(items, arrow.array(positions, mask=~present))


class UnpivotColumns:
    """For each row one row a column, with the column's name and the row's value in it."""

    def __init__(self, plan: Unpivot) -> None:
        self._plan = plan

    def expand(self, batch: Batch) -> Iterator[Batch]:
        for start, stop in runs(np.full(batch.length, len(self._plan.on))):
            yield self._unpivoted(batch.slice(start, stop - start))

    def _unpivoted(self, batch: Batch) -> Batch:
        plan = self._plan
        width = len(plan.on)
        total = batch.length * width
        parents = arrow.array(np.repeat(np.arange(batch.length), width))
        columns = {name: pc.array_take(batch.columns[name], parents) for name in plan.index}
        codes = np.tile(np.arange(width, dtype=np.int32), batch.length)
        columns[plan.variable_name] = pa.DictionaryArray.from_arrays(
            arrow.array(codes), arrow.array(plan.on, pa.string())
        )
        dtype = plan.schema[plan.value_name]
        stacked = concat_arrays([decoded(batch.columns[name], dtype) for name in plan.on], dtype)
        order = np.arange(total).reshape(width, batch.length).T.reshape(-1)
        value = columns[plan.value_name] = pc.array_take(stacked, arrow.array(order))
        rows = Batch({f.name: columns[f.name] for f in plan.schema}, total)
        return rows if plan.keep_nulls or not value.null_count else rows.filter(value.is_valid())
