"""Asof joins: the right side sorted by groups and values, in which each left row finds its place by binary search."""

from __future__ import annotations

import decimal

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.vectorized.expression import Expressions
from lazyframe.executors.vectorized.keys import KeyTable
from lazyframe.executors.vectorized.keys.distances import distances
from lazyframe.executors.vectorized.keys.search import SortedValues, plain
from lazyframe.executors.vectorized.operators.collect import Collect
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.relations import AsofJoin
from lazyframe.planner.types import is_date, is_decimal

Rows = np.ndarray


class AsofTable(Collect):
    """The right side of an asof join.

    Each row has a place: its group's number and where its value stands among all values, as one number. Rows without a
    group or a value have none, and are left out.
    """

    def __init__(self, plan: AsofJoin) -> None:
        super().__init__(plan.right.schema)
        self._on = Expressions([plan.right_on])
        self._by = Expressions(plan.right_by)
        self._dtype = plan.right_on.dtype
        self.rows: Batch
        self.groups: KeyTable | None = None
        self.on: pa.Array
        self.values: SortedValues

    def finish(self) -> Source:
        self.rows = self.take_rows()
        (on,) = self._on.columns(self.rows)
        self.on = plain(on, self._dtype)
        self.values = SortedValues(self.on, self._dtype)
        self._most = len(self.values.rows) + 1
        codes = np.zeros(self.rows.length, dtype=np.int64)
        if self._by.dtypes:
            self.groups = KeyTable(self._by.columns(self.rows), self.rows.length)
            codes = self.groups.codes
        of_sorted = codes[self.values.rows]
        places = of_sorted * self._most + np.arange(len(of_sorted))
        # Stable: of equal values the later row stays the later one.
        order = np.flatnonzero(of_sorted >= 0)
        order = order[np.argsort(places[order], kind="stable")]
        self._places = places[order]
        self._rows = self.values.rows[order]
        self._last_of_equals = self._ends(of_sorted[order], self._rows)
        return Batches([])

    def _ends(self, groups: Rows, rows: Rows) -> Rows:
        """For each position the last one of its group that has an equal value."""
        count = len(rows)
        if not count:
            return np.zeros(0, dtype=np.int64)
        below = self.values.count_below(pc.take(self.on, arrow.array(rows)), inclusive=False)
        ends = np.ones(count, dtype=bool)
        ends[:-1] = (groups[1:] != groups[:-1]) | (below[1:] != below[:-1])
        positions = np.flatnonzero(ends)
        return positions[np.searchsorted(positions, np.arange(count))]

    def before(self, groups: Rows, values: pa.Array, *, equal: bool) -> Rows:
        """For each probe the last right row of its group whose value is less, or `equal`; -1 where there is none."""
        position = self._position(groups, self.values.count_below(values, inclusive=equal)) - 1
        return self._found(groups, position)

    def after(self, groups: Rows, values: pa.Array, *, equal: bool, last: bool) -> Rows:
        """For each probe the first right row of its group whose value is greater, or `equal`; -1 where there is none.

        Where `last`, it is the last one of those that have the value of the first.
        """
        position = self._position(groups, self.values.count_below(values, inclusive=not equal))
        if last:
            position = np.append(self._last_of_equals, len(self._rows)).take(position)
        return self._found(groups, position)

    def _position(self, groups: Rows, below: Rows) -> Rows:
        return np.searchsorted(self._places, groups * self._most + below)

    def _found(self, groups: Rows, position: Rows) -> Rows:
        """The right rows at those positions, where these are in the right group."""
        if not len(self._rows):
            return np.full(len(position), -1)
        inside = (position >= 0) & (position < len(self._rows))
        clipped = np.where(inside, position, 0)
        inside &= self._places[clipped] // self._most == groups
        return np.where(inside, self._rows[clipped], -1)


class AsofProbe:
    """The left rows with their partners."""

    def __init__(self, plan: AsofJoin, table: AsofTable) -> None:
        self._plan = plan
        self._table = table
        self._on = Expressions([plan.left_on])
        self._by = Expressions(plan.left_by)
        self._tolerance = None if plan.tolerance is None else _number(plan.tolerance, plan.left_on.dtype)

    def process(self, batch: Batch) -> Batch:
        table, plan = self._table, self._plan
        (values,) = self._on.columns(batch)
        values = plain(values, plan.left_on.dtype)
        groups = np.zeros(batch.length, dtype=np.int64)
        if table.groups is not None:
            groups = table.groups.lookup(self._by.columns(batch), batch.length)
        if values.null_count:
            # No right row is in that group.
            groups[arrow.numpy_of(values.is_null())] = -1
        found = self._nearest(groups, values) if plan.strategy == "nearest" else self._neighbour(groups, values)
        if self._tolerance is not None:
            found[~self._is_near(values, found)] = -1
        if plan.kind == "inner":
            batch = batch.filter(arrow.array(found >= 0))
            found = found[found >= 0]
        right = self._right(found)
        return Batch({**batch.columns, **right}, batch.length)

    def _neighbour(self, groups: Rows, values: pa.Array) -> Rows:
        equal = not self._plan.strict
        if self._plan.strategy == "backward":
            return self._table.before(groups, values, equal=equal)
        return self._table.after(groups, values, equal=equal, last=False)

    def _nearest(self, groups: Rows, values: pa.Array) -> Rows:
        equal = not self._plan.strict
        before = self._table.before(groups, values, equal=equal)
        after = self._table.after(groups, values, equal=equal, last=True)
        found = np.where(after >= 0, after, before)
        both = np.flatnonzero((before >= 0) & (after >= 0))
        if len(both):
            closer = self._distances(values, both, before[both]) < self._distances(values, both, after[both])
            found[both[closer]] = before[both[closer]]
        return found

    def _is_near(self, values: pa.Array, found: Rows) -> np.ndarray:
        near = np.zeros(len(found), dtype=bool)
        rows = np.flatnonzero(found >= 0)
        near[rows] = self._distances(values, rows, found[rows]) <= self._tolerance
        return near

    def _distances(self, values: pa.Array, rows: Rows, found: Rows) -> np.ndarray:
        return distances(pc.take(values, arrow.array(rows)), pc.take(self._table.on, arrow.array(found)))

    def _right(self, found: Rows) -> dict[str, pa.Array]:
        rows = self._table.rows
        if rows.length == 0:
            return {field.name: pa.nulls(len(found), field.dtype) for field in self._table.schema}
        missing = found < 0
        return rows.take(arrow.array(found, mask=missing) if missing.any() else arrow.array(found)).columns


def _number(tolerance: pa.Scalar, dtype: pa.DataType) -> int | float | np.uint64:
    """A tolerance in the unit of the distances of values of `dtype`."""
    if pa.types.is_duration(tolerance.type):
        return np.uint64(tolerance.value // 86_400 if is_date(dtype) else tolerance.value)
    if is_decimal(dtype):
        return int(decimal.Context(prec=100).scaleb(tolerance.as_py(), dtype.scale))
    value = tolerance.as_py()
    return np.uint64(value) if isinstance(value, int) else value
