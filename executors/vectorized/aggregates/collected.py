"""Aggregates that need all rows of a group at once: their rows are kept until the end.

So is every aggregate with `distinct` or an order: its rows are made distinct and sorted first, then it is computed as always.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import concat_arrays
from lazyframe.executors.vectorized.aggregates.groups import Groups, Positions, Rows
from lazyframe.executors.vectorized.aggregates.state import Aggregate, Need, Numbering
from lazyframe.executors.vectorized.keys import encode, sort_indices
from lazyframe.planner import arrow
from lazyframe.planner.types import DataType


class Chunk(NamedTuple):
    """Some rows: the group of each, and their columns."""

    codes: Positions
    columns: list[pa.Array]


class Collection:
    """All rows so far, in order, in chunks.

    Args:
        chunks: the rows.
        groups: how many groups there are.
    """

    __slots__ = ("chunks", "groups", "joined")

    def __init__(self, chunks: list[Chunk], groups: int) -> None:
        self.chunks = chunks
        self.groups = groups
        self.joined: Rows | None = None

    def __len__(self) -> int:
        return sum(len(chunk.codes) for chunk in self.chunks)

    @property
    def nbytes(self) -> int:
        """The memory it holds on to."""
        return sum(chunk.codes.nbytes + sum(column.nbytes for column in chunk.columns) for chunk in self.chunks)


@dataclass(frozen=True)
class Collected:
    """The rows of each group.

    Args:
        types: the types of the columns.
        distinct: how many of the columns, from the left, make a row a repetition of another, of which the first is kept;
            None to keep all.
    """

    types: tuple[DataType, ...]
    distinct: int | None = None

    def start(self, rows: Rows) -> Collection:
        chunk = Chunk(rows.groups.codes, rows.columns)
        return Collection([self._made_distinct(chunk)], rows.groups.count)

    def merge(self, states: Sequence[Any], into: Numbering) -> Collection:
        chunks: list[Chunk] = []
        for collection, numbers in zip(states, into.numbers, strict=True):
            if np.array_equal(numbers, np.arange(len(numbers))):
                chunks += collection.chunks
            else:
                chunks += [Chunk(numbers.take(codes), columns) for codes, columns in collection.chunks]
        if self.distinct is not None and sum(len(c.codes) for c in chunks[1:]) > len(chunks[0].codes):
            # Made distinct each time the rows have doubled, a row is looked at a few times only.
            chunks = [self._made_distinct(self._joined(chunks))]
        return Collection(chunks, into.groups.count)

    def rows(self, collection: Collection) -> Rows:
        """All rows collected, the same object for each aggregate that asks."""
        if collection.joined is None:
            chunk = self._joined(collection.chunks)
            if len(collection.chunks) > 1:
                chunk = self._made_distinct(chunk)
            collection.joined = Rows(Groups(chunk.codes, len(chunk.codes), collection.groups), chunk.columns)
        return collection.joined

    def _joined(self, chunks: Sequence[Chunk]) -> Chunk:
        if len(chunks) == 1:
            return chunks[0]
        columns = [concat_arrays([chunk.columns[i] for chunk in chunks], dtype) for i, dtype in enumerate(self.types)]
        return Chunk(np.concatenate([chunk.codes for chunk in chunks]), columns)

    def _made_distinct(self, chunk: Chunk) -> Chunk:
        if self.distinct is None:
            return chunk
        n = len(chunk.codes)
        first = encode([arrow.array(chunk.codes), *chunk.columns[: self.distinct]], n).first
        if len(first) == n:
            return chunk
        indices = arrow.array(first)
        return Chunk(chunk.codes.take(first), [column.take(indices) for column in chunk.columns])


@dataclass(frozen=True)
class Direction:
    """How one column is sorted."""

    descending: bool
    nulls_first: bool


def holistic(
    types: tuple[DataType, ...],
    evaluate: Callable[[Rows], pa.Array],
    *,
    present: tuple[int, ...],
    distinct: bool = False,
) -> Aggregate:
    """An aggregate of one argument that is a function of all rows at once."""
    columns = tuple(range(len(types)))
    state = Collected(types, len(types) if distinct else None)

    def finish(states: Sequence[Any]) -> pa.Array:
        return evaluate(state.rows(states[0]))

    return Aggregate((Need(state, columns, present),), finish)


def prepared(
    inner: Aggregate,
    types: tuple[DataType, ...],
    order_types: tuple[DataType, ...],
    order: Sequence[Direction],
    *,
    distinct: bool,
) -> Aggregate:
    """An aggregate over rows that are first made distinct by its arguments, then sorted within their group.

    Args:
        inner: the aggregate.
        types: the types of its arguments.
        order_types: the types of the keys, which stand behind the arguments.
        order: how they are sorted.
        distinct: whether rows of equal arguments count once; the first of them is kept.
    """
    arguments = tuple(range(len(types)))
    every = tuple(range(len(types) + len(order_types)))
    # Rows that no state looks at need not be kept.
    present = tuple(sorted(set(arguments).intersection(*[need.present for need in inner.needs])))
    state = Collected((*types, *order_types), len(types) if distinct else None)

    def finish(states: Sequence[Any]) -> pa.Array:
        rows = state.rows(states[0])
        if order:
            keys = [arrow.array(rows.groups.codes), *rows.columns[len(types) :]]
            rows = rows.take(
                sort_indices(keys, [False, *[d.descending for d in order]], [False, *[d.nulls_first for d in order]])
            )
        return inner.of_all(rows.view(arguments, ()))

    return Aggregate((Need(state, every, present),), finish)
