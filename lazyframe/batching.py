"""Mini-batches: some rows of a frame at a time, each row once in an epoch, in an order that follows from a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe import session
from lazyframe.checks import whole_number
from lazyframe.frame import LazyFrame
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.graph import postorder, rewrite_top_down
from lazyframe.planner.nouns import with_article
from lazyframe.planner.parameters import has_parameters
from lazyframe.planner.relations import Plan, Project, Scan
from lazyframe.planner.relations.project import column
from lazyframe.planner.site import ambient


class MiniBatches:
    """The rows of a frame that a loss is computed over, batch by batch.

    The loss gets a table in the place of the frame, and is planned with it once; each step gives this table other rows.

    Args:
        loss: the plan of a loss.
        over: the frame; None for the one table that the loss reads.
        size: how many rows a batch has; the last of an epoch may have fewer.
        seed: what the order of the rows follows from.

    Attributes:
        loss: the same loss of the rows of a batch.

    Raises:
        InvalidArgumentError: where the loss does not read the frame, or reads several tables and none is named.
    """

    def __init__(self, loss: Plan, over: Any, size: int, seed: int) -> None:
        self._size = whole_number("batch_size", size)
        self._seed = whole_number("seed", seed)
        if self._size == 0:
            raise InvalidArgumentError("a batch has at least one row, so that batch_size is not 0")
        self._rows = _rows_of(loss, over)
        self._scan = session.renewed_scan(self._rows.schema, float(self._size), "a batch of rows")
        self.loss = rewrite_top_down(loss, lambda current: self._scan if current == self._rows else None)
        self._table = pa.table({})
        self._order = self._chosen = np.zeros(0, dtype=np.int64)
        self._epoch = self._place = 0

    def read(self, planned: Plan) -> None:
        """Read the columns that the optimised plan of the loss has use for; they stay in memory.

        Raises:
            InvalidArgumentError: where there are no rows.
        """
        schema = self._rows.schema
        used: set[str] = set()
        for current in postorder(planned):
            if isinstance(current, Scan) and current.source is self._scan.source:
                used.update(current.columns)
                used.update(*[scalar.columns for scalar in current.scalars()])
        names = [name for name in schema.names if name in used] or schema.names[:1]
        found = session.execute(Project(self._rows, tuple([(name, column(schema, name)) for name in names])))
        if found.num_rows == 0:
            raise InvalidArgumentError(
                "the frame that batches are taken from has no rows", hint="look at its filters and joins"
            )
        self._table = found.combine_chunks()

    @property
    def in_epoch(self) -> int:
        """How many batches an epoch has."""
        return -(-self._table.num_rows // self._size)

    def take(self) -> None:
        """Let the plan have the next batch."""
        if self._place >= len(self._order):
            rng = np.random.default_rng([self._seed, self._epoch])
            self._order = rng.permutation(self._table.num_rows)
            self._epoch, self._place = self._epoch + 1, 0
        self._chosen = self._order[self._place : self._place + self._size]
        self._place += self._size
        self._renew(self._table)

    def take_again(self) -> None:
        """Let the plan have the same batch with all of its columns."""
        self._renew(session.execute(self._rows).combine_chunks())

    def _renew(self, table: pa.Table) -> None:
        self._scan.source.renew(table.take(pa.array(self._chosen)))  # type: ignore[attr-defined]


def _rows_of(loss: Plan, over: Any) -> Plan:
    if over is None:
        tables = list(dict.fromkeys([each for each in postorder(loss) if isinstance(each, Scan)]))
        if len(tables) != 1:
            named = ", ".join([each.source.name for each in tables])
            raise InvalidArgumentError(
                f"the loss reads {len(tables)} tables" + (f" ({named})" if tables else ""),
                hint="say which frame the batches are taken from: over=frame" if tables else "leave batch_size out",
            )
        return tables[0]
    if not isinstance(over, LazyFrame):
        raise InvalidArgumentError(
            f"batches are taken from a frame, not from {with_article(type(over).__name__)}", hint="write over=frame"
        )
    rows = over._plan
    if not any([current == rows for current in postorder(loss)]):
        raise InvalidArgumentError(
            "the loss does not read the frame that batches are to be taken from",
            hint="write the loss from this very frame: frame.join(...).select(loss), with over=frame",
            site=ambient.site,
        )
    if has_parameters(rows):
        raise InvalidArgumentError(
            "the frame that batches are taken from has parameters, so that its rows are not the same in all steps",
            hint="take the batches from a frame below: the one that the parameters are first used with",
            site=rows.site,
        )
    return rows
