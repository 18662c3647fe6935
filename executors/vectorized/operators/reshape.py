"""Rows made of rows: explode and unpivot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lazyframe.executors.batch import Batch, concat_arrays, decoded
from lazyframe.executors.vectorized.operators.runs import runs
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.schema import Schema
from lazyframe.planner.site import AnySite


class ExplodeLists:
    """A row for each item of the lists; an empty list and null give one row with null."""

    def __init__(self, columns: Sequence[str], schema: Schema, site: AnySite | None) -> None:
        self._columns = columns
        self._schema = schema
        self._site = site

    def expand(self, batch: Batch) -> Iterator[Batch]:
        lengths = [_lengths(batch.columns[name]) for name in self._columns]
        for name, other in zip(self._columns[1:], lengths[1:], strict=True):
            if not np.array_equal(lengths[0], other):
                row = int(np.flatnonzero(lengths[0] != other)[0])
                raise EvaluationError(
                    f"lists exploded together differ in length: {self._columns[0]!r} has {lengths[0][row]} items and "
                    f"{name!r} {other[row]}",
                    site=self._site,
                )
        repeats = np.maximum(lengths[0], 1)
        for start, stop in runs(repeats):
            yield self._exploded(batch.slice(start, stop - start), lengths[0][start:stop], repeats[start:stop])

    def _exploded(self, batch: Batch, lengths: np.ndarray, repeats: np.ndarray) -> Batch:
        rows = np.repeat(np.arange(batch.length), repeats)
        parents = pa.array(rows)
        columns = {}
        for field in self._schema:
            column = batch.columns[field.name]
            if field.name in self._columns:
                columns[field.name] = _items(column, lengths, repeats, len(rows))
            else:
                columns[field.name] = pc.array_take(column, parents)
        return Batch(columns, len(rows))


def _lengths(lists: pa.ListArray) -> np.ndarray:
    return pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False).astype(np.int64)


def _items(lists: pa.ListArray, lengths: np.ndarray, repeats: np.ndarray, total: int) -> pa.Array:
    # flatten() leaves out what lies under null lists.
    items = lists.flatten()
    if len(items) == total:
        return items
    positions = np.full(total, -1, dtype=np.int64)
    present = np.repeat(lengths > 0, repeats)
    positions[present] = np.arange(len(items))
    return pc.array_take(items, pa.array(positions, mask=~present))


class UnpivotColumns:
    """For each row one row a column, with the column's name and the row's value in it."""

    def __init__(self, on: Sequence[str], index: Sequence[str], names: tuple[str, str], schema: Schema) -> None:
        self._on = on
        self._index = index
        self._variable, self._value = names
        self._schema = schema

    def expand(self, batch: Batch) -> Iterator[Batch]:
        for start, stop in runs(np.full(batch.length, len(self._on))):
            yield self._unpivoted(batch.slice(start, stop - start))

    def _unpivoted(self, batch: Batch) -> Batch:
        width = len(self._on)
        total = batch.length * width
        parents = pa.array(np.repeat(np.arange(batch.length), width))
        columns = {name: pc.array_take(batch.columns[name], parents) for name in self._index}
        codes = np.tile(np.arange(width, dtype=np.int32), batch.length)
        columns[self._variable] = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(self._on, pa.string()))
        dtype = self._schema[self._value]
        stacked = concat_arrays([decoded(batch.columns[name], dtype) for name in self._on], dtype)
        order = np.arange(total).reshape(width, batch.length).T.reshape(-1)
        columns[self._value] = pc.array_take(stacked, pa.array(order))
        return Batch({f.name: columns[f.name] for f in self._schema}, total)
