"""Rows that did not come before, asked again and again while more rows come."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch, concat
from lazyframe.executors.vectorized.keys import KeyTable, encode
from lazyframe.executors.vectorized.operators.collect import evened
from lazyframe.planner import arrow
from lazyframe.planner.schema import Schema

_SMALL_ROWS = 512
_GROWTH = 4


class SeenRows:
    """All different rows so far, in tables of keys of which each is several times as large as the next.

    So a row is put into a table a logarithmic number of times, and looked up in a logarithmic number of tables.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._levels: list[tuple[Batch, KeyTable]] = []

    def added(self, batches: list[Batch]) -> list[Batch]:
        """The rows that are new, each once, in their order. From now on they are known."""
        if not batches:
            return []
        rows = concat(batches, self._schema)
        codes = encode(self._columns(rows), rows.length)
        if codes.count < rows.length:
            rows = rows.take(codes.first)
        for _, table in self._levels:
            known = table.contains(self._columns(rows), rows.length)
            if known.any():
                rows = rows.filter(arrow.array(np.logical_not(known)))
            if not rows.length:
                return []
        self._add(rows)
        return evened([rows], self._schema)

    def _add(self, rows: Batch) -> None:
        while self._levels and self._levels[-1][0].length < max(_GROWTH * rows.length, _SMALL_ROWS):
            before, _ = self._levels.pop()
            rows = concat([before, rows], self._schema)
        self._levels.append((rows, KeyTable(self._columns(rows), rows.length, nulls_equal=True)))

    def _columns(self, rows: Batch) -> list[pa.Array]:
        return [rows.columns[name] for name in self._schema.names]
