"""Hash joins; without keys, joins by comparison and nested loops."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.key_set import KeySet
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.sources.source import MORSEL_ROWS
from lazyframe.executors.vectorized.expression import Expressions, Predicate
from lazyframe.executors.vectorized.keys import KeyTable, encode, sort_indices
from lazyframe.executors.vectorized.operators.collect import Collect, all_rows
from lazyframe.executors.vectorized.operators.ranges import Range, RangeTable
from lazyframe.executors.vectorized.operators.runs import MOST_ROWS, runs
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.errors import EvaluationError, InvalidArgumentError
from lazyframe.planner.relations import Join
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.types import INT64

if TYPE_CHECKING:
    from lazyframe.executors.compiled.join_table import JoinTable

Rows = np.ndarray

_MOST_ENTRIES = 1 << 10


class BuildTable(Collect):
    """The build side of a join: all its rows, and a table of their keys, or of the values that are compared.

    When it is complete, it makes its keys known to those in `gives`, of which there is one for each key or none at all.
    """

    def __init__(
        self,
        keys: Sequence[Scalar],
        schema: Schema,
        *,
        nulls_equal: bool,
        unique_for: Join | None = None,
        side: str = "right",
        range_: Range | None = None,
        stop: Rows | None = None,
    ) -> None:
        super().__init__(schema)
        # Not 0 when the query shall stop, which kernels look at where rows have many partners.
        self.stop = np.zeros(1, dtype=np.uint8) if stop is None else stop
        self.range = range_
        self._keys = Expressions(keys)
        self._nulls_equal = nulls_equal
        self._unique_for = unique_for
        self._side = side
        self.gives: Sequence[KeySet | None] = ()
        self.rows: Batch
        self.ranges: RangeTable | None = None
        # Which rows had a partner, by their number, and by that of their key.
        self.matched: Rows
        self.found: Rows = np.zeros(0, dtype=bool)
        self._columns: list[pa.Array] = []
        self._table: KeyTable | None = None
        self._lock = threading.Lock()

    def finish(self) -> Source:
        self.rows = self.take_rows()
        self.matched = np.zeros(self.rows.length, dtype=bool)
        if self._keys.dtypes:
            columns = self._keys.columns(self.rows)
            if self._unique_for is not None:
                check_unique(columns, self.rows.length, self._side, self._unique_for)
            self._columns = columns
            for key, column, dtype in zip(self.gives, columns, self._keys.dtypes, strict=False):
                if key is not None:
                    key.give(column, dtype, self, alone=len(columns) == 1, nulls_equal=self._nulls_equal)
            # They hold this from now on.
            self.gives = ()
        elif self.range is not None:
            self.ranges = RangeTable(self.range, self.rows)
        return Batches([])

    @property
    def table(self) -> KeyTable | None:
        """The table in which vectorized probes look, made when it is first asked for; None without keys."""
        if self._table is None and self._columns:
            with self._lock:
                if self._table is None:
                    table = KeyTable(self._columns, self.rows.length, nulls_equal=self._nulls_equal)
                    self.found = np.zeros(table.count, dtype=bool)
                    self._table = table
        return self._table

    @property
    def rows_to_enter(self) -> int:
        """How many rows the vectorized table would have to be made of."""
        return self.rows.length if self._columns and self._table is None else 0

    @cached_property
    def native(self) -> JoinTable | None:
        """The table in which kernels look; None where they cannot."""
        from lazyframe.executors.compiled.join_table import join_table

        return join_table(self._columns, self._keys.dtypes, self.rows.length, nulls_equal=self._nulls_equal)


def check_unique(columns: Sequence[pa.Array], length: int, side: str, plan: Join) -> None:
    """Raise where two rows of a side have equal keys, against the join's `validate`."""
    found = encode(columns, length)
    if found.count == length:
        return
    counts = np.bincount(found.codes, minlength=found.count)
    for code in np.flatnonzero(counts > 1):
        row = int(found.first[code])
        values = [column[row].as_py() for column in columns]
        if plan.nulls_equal or None not in values:
            shown = ", ".join(map(repr, values))
            raise InvalidArgumentError(
                f"the join was said to be {plan.validate}, but on its {side} side {int(counts[code])} rows have the key {shown}",
                hint="drop the duplicates with unique(), or give another validate=",
                site=plan.site,
            )


class Probe:
    """The rows of the probe side with their partners of the build side.

    `kind` is inner, left, single, semi, anti or mark, as the probe side sees it; `full` gives the rows of `left` and notes
    which build rows had a partner, `pairs` those of `inner` and notes it too, and `note` notes it and gives no rows.

    Args:
        plan: the join.
        keys: the keys of the probe side.
        build: the build side, which is complete when the first batch comes.
        probe: the columns of the probe side.
        kind: see above.
        numbered: the name of a column for the number of the build row, where rows shall later be put in its order.
    """

    def __init__(
        self,
        plan: Join,
        keys: Sequence[Scalar],
        build: BuildTable,
        probe: Schema,
        kind: str,
        numbered: str | None = None,
    ) -> None:
        self.plan = plan
        self.numbered = numbered
        self.keys = keys
        self._keys = Expressions(keys)
        condition = plan.condition if build.range is None else build.range.rest
        self.condition = condition
        self._condition = Predicate(condition) if condition is not None else None
        self._condition_columns = condition.columns if condition is not None else frozenset()
        self.build = build
        self._probe = probe.names
        self.kind = kind
        self._in_order = plan.ordered and kind not in ("semi", "anti", "mark", "note")

    def expand(self, batch: Batch) -> Iterator[Batch]:
        table = self.build.table
        only_whether = self._condition is None and self.kind in ("semi", "anti", "mark")
        if self.build.ranges is not None:
            yield from self._in_ranges(batch, self.build.ranges, only_whether)
            return
        if table is None:
            if only_whether:
                yield self._told(batch, np.full(batch.length, self.build.rows.length > 0))
            else:
                yield from self._nested_loops(batch)
            return
        columns = self._keys.columns(batch)
        if only_whether:
            yield self._told(batch, table.contains(columns, batch.length))
            return
        codes = table.lookup(columns, batch.length)
        if self._condition is None and self.kind == "note":
            self.build.found[codes[codes >= 0]] = True
            yield batch.slice(0, 0)
            return
        counts = table.counts(codes)
        for start, stop in runs(counts):
            part = batch if stop - start == batch.length else batch.slice(start, stop - start)
            yield self._pairs(part, *table.matches(codes[start:stop]))

    def _in_ranges(self, batch: Batch, ranges: RangeTable, only_whether: bool) -> Iterator[Batch]:
        starts, counts = ranges.ranges(batch)
        if only_whether:
            yield self._told(batch, counts > 0)
            return
        for start, stop in runs(counts):
            pairs = ranges.pairs(starts[start:stop], counts[start:stop], ordered=self._in_order)
            yield self._pairs(batch.slice(start, stop - start), *pairs)

    def _nested_loops(self, batch: Batch) -> Iterator[Batch]:
        build = self.build.rows.length
        step = max(MOST_ROWS // max(build, 1), 1)
        for start in range(0, batch.length, step):
            part = batch.slice(start, step)
            ours = np.repeat(np.arange(part.length), build)
            yield self._pairs(part, ours, np.tile(np.arange(build), part.length))

    def _pairs(self, batch: Batch, ours: Rows, theirs: Rows) -> Batch:
        """The result for a part of the probe side, given the pairs of which the rest of the condition is asked."""
        if self._condition is not None and len(ours):
            keep = self._condition.mask(self._combined(batch, ours, theirs, self._condition_columns))
            ours, theirs = ours[keep], theirs[keep]
        kind = self.kind
        if kind in ("semi", "anti", "mark"):
            found = np.zeros(batch.length, dtype=bool)
            found[ours] = True
            return self._told(batch, found)
        if kind in ("full", "note", "pairs"):
            self.build.matched[theirs] = True
        if kind == "note":
            return batch.slice(0, 0)
        if kind == "single" and (ours[1:] == ours[:-1]).any():
            raise EvaluationError(
                "a scalar subquery gives more than one row",
                hint="add LIMIT 1, or an aggregate such as max(...)",
                site=self.plan.site,
            )
        if kind in ("left", "full", "single"):
            found = np.zeros(batch.length, dtype=bool)
            found[ours] = True
            alone = np.flatnonzero(~found)
            if len(alone):
                ours = np.concatenate([ours, alone])
                theirs = np.concatenate([theirs, np.full(len(alone), -1)])
                order = np.argsort(ours, kind="stable")
                ours, theirs = ours[order], theirs[order]
        joined = self._combined(batch, ours, theirs)
        if self.numbered is None:
            return joined
        return Batch({**joined.columns, self.numbered: arrow.array(theirs)}, joined.length)

    def _told(self, batch: Batch, found: np.ndarray) -> Batch:
        """What a join that only asks whether there are partners gives for rows that have been looked up."""
        match self.kind:
            case "mark":
                return Batch({**batch.columns, self.plan.mark: arrow.array(found)}, batch.length)
            case "semi":
                return batch.filter(arrow.array(found))
        return batch.filter(arrow.array(~found))

    def _combined(self, batch: Batch, ours: Rows, theirs: Rows, only: frozenset[str] | None = None) -> Batch:
        build = self.build.rows
        own = [name for name in self._probe if only is None or name in only]
        other = [name for name in build.columns if only is None or name in only]
        same = len(ours) == batch.length and bool((ours == np.arange(batch.length)).all())
        left = batch.select(own) if same else batch.select(own).take(ours)
        missing = theirs < 0
        indices = arrow.array(theirs, mask=missing)
        if build.length == 0:
            right = {name: pa.nulls(len(theirs), self.build.schema[name]) for name in other}
        else:
            right = {name: _taken(build.columns[name], indices) for name in other}
        return Batch({**left.columns, **right}, len(ours))


def _taken(column: pa.Array, indices: pa.Array) -> pa.Array:
    """The values at some rows; strings of few rows as codes of a dictionary, which is the column."""
    few = len(column) <= _MOST_ENTRIES and 4 * len(column) < len(indices)
    if few and column.type == pa.string() and not column.null_count:
        return pa.DictionaryArray.from_arrays(indices.cast(pa.int32()), column, safe=False)
    return pc.array_take(column, indices)


def told_build_rows(build: BuildTable, plan: Join) -> Source:
    """What a semi, anti or mark join gives for the build rows, when all partners have been noted."""
    matched = build.matched
    # A table that nobody made was not asked by the vectorized probe.
    if len(build.found) and (table := build.table) is not None:
        matched = matched | ((table.codes >= 0) & build.found.take(table.codes, mode="clip"))
    match plan.kind:
        case "mark":
            rows = Batch({**build.rows.columns, plan.mark: arrow.array(matched)}, build.rows.length)
        case "semi":
            rows = build.rows.filter(arrow.array(matched))
        case _:
            rows = build.rows.filter(arrow.array(~matched))
    return Batches([rows.slice(start, MORSEL_ROWS) for start in range(0, rows.length, MORSEL_ROWS)])


def unmatched_build_rows(build: BuildTable, plan: Join) -> Source:
    """The build rows of an outer join that had no partner, with nulls for the probe side."""
    rows = build.rows.take(np.flatnonzero(~build.matched))
    columns = {
        f.name: rows.columns[f.name] if f.name in rows.columns else pa.nulls(rows.length, f.dtype) for f in plan.schema
    }
    return Batches([Batch(columns, rows.length)])


def in_order_of(number: str, schema: Schema) -> Collect:
    """A sink that puts rows in the order of a column of row numbers, and drops that column. Equal numbers keep their order."""
    numbered = Schema([*schema, Field(number, INT64, False)])

    def then(batches: list[Batch]) -> list[Batch]:
        rows = all_rows(batches, numbered)
        batches.clear()
        order = arrow.array(sort_indices([rows.columns[number]], [False], [False]))
        rows = rows.select(schema.names)
        return [rows.take(order.slice(start, MORSEL_ROWS)) for start in range(0, rows.length, MORSEL_ROWS)]

    return Collect(schema, then)


def checked_unique(keys: Sequence[Scalar], schema: Schema, side: str, plan: Join) -> Collect:
    """A sink that keeps the rows of one side and checks that their keys are unique."""
    expressions = Expressions(keys)

    def then(batches: list[Batch]) -> list[Batch]:
        rows = all_rows(batches, schema)
        check_unique(expressions.columns(rows), rows.length, side, plan)
        return batches

    return Collect(schema, then)
