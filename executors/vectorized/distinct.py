"""Distinct rows: the core of the sink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from lazyframe.executors.batch import Batch, concat
from lazyframe.executors.vectorized.aggregates.groups import Groups
from lazyframe.executors.vectorized.keys import encode
from lazyframe.planner import arrow
from lazyframe.planner.schema import Schema

Keep = Literal["first", "last", "none"]


@dataclass(frozen=True, slots=True)
class DistinctPartial:
    """One row for each key among some rows, in input order, and whether the key came more than once."""

    rows: Batch
    repeated: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return self.rows.length

    @property
    def nbytes(self) -> int:
        """The memory it holds on to."""
        return self.rows.nbytes + self.repeated.nbytes


class DistinctRows:
    """Rows without those that repeat others.

    Args:
        schema: the columns of the rows.
        subset: the columns that must be equal for a row to be a repetition; None for all.
        keep: which of equal rows stay: the `first`, the `last`, or `none`, so that only rows that occur once are left.
            The rows kept are in input order.
    """

    def __init__(self, schema: Schema, subset: Sequence[str] | None = None, keep: Keep = "first") -> None:
        self._schema = schema
        self._subset = schema.names if subset is None else list(subset)
        self._keep = keep

    @property
    def is_of_whole_rows(self) -> bool:
        """Whether each different row is kept once, where it first appears."""
        return self._keep == "first" and set(self._subset) == set(self._schema.names)

    def partials(self, batch: Batch) -> list[DistinctPartial]:
        return [self.partial(batch)]

    def partial(self, batch: Batch) -> DistinctPartial:
        """The rows of one batch that may stay. Safe to call in several threads."""
        return self._reduced(batch, None)

    def combine(self, partials: Sequence[DistinctPartial]) -> DistinctPartial:
        """The rows of several partials that may stay; they are given in row order."""
        if not partials:
            return self.partial(Batch({field.name: arrow.array([], field.dtype) for field in self._schema}, 0))
        if len(partials) == 1:
            return partials[0]
        rows = concat([partial.rows for partial in partials], self._schema)
        return self._reduced(rows, np.concatenate([partial.repeated for partial in partials]))

    def finish(self, partial: DistinctPartial) -> Batch:
        """The rows that stay."""
        if self._keep != "none":
            return partial.rows
        return partial.rows.filter(arrow.array(~partial.repeated))

    def _reduced(self, batch: Batch, repeated: npt.NDArray[np.bool_] | None) -> DistinctPartial:
        n = batch.length
        codes = encode([batch.columns[name] for name in self._subset], n)
        known = np.zeros(codes.count, dtype=np.bool_)
        if self._keep == "none":
            known = np.bincount(codes.codes, minlength=codes.count) > 1
            if repeated is not None:
                known[codes.codes[repeated]] = True
        if codes.count == n:
            return DistinctPartial(batch, known)
        kept = codes.first
        if self._keep == "last":
            kept = np.sort(Groups(codes.codes, n, codes.count).last_of(np.arange(n)))
        return DistinctPartial(batch.take(kept), known)
