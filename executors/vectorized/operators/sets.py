"""Intersect and except."""

from __future__ import annotations

import numpy as np

from lazyframe.executors.batch import Batch, concat
from lazyframe.executors.pipeline import Batches, Pipeline, Source
from lazyframe.executors.vectorized.keys import encode
from lazyframe.executors.vectorized.operators.collect import all_rows, evened
from lazyframe.planner.relations import SetOperation


def combined(plan: SetOperation, left: Pipeline, right: Pipeline) -> Source:
    """The left rows that stand, or do not stand, on the right; in the order of the left."""
    a, b = rows_of(left, plan), rows_of(right, plan)
    both = concat([a, b], plan.schema) if b.length else a
    found = encode([both.columns[name] for name in plan.schema.names], both.length)
    ours, theirs = found.codes[: a.length], found.codes[a.length :]
    there = np.bincount(theirs, minlength=found.count) if b.length else np.zeros(found.count, dtype=np.int64)
    number = _occurrence(ours, found.count)
    if plan.keep_duplicates:
        # The n-th copy on the left is matched by the n-th copy on the right.
        matched = number < there[ours] if a.length else number.astype(bool)
        keep = matched if plan.kind == "intersect" else ~matched
    else:
        present = there[ours] > 0 if a.length else number.astype(bool)
        keep = (number == 0) & (present if plan.kind == "intersect" else ~present)
    return Batches(evened([a.take(np.flatnonzero(keep))], plan.schema))


def rows_of(pipeline: Pipeline, plan: SetOperation) -> Batch:
    rows = all_rows(pipeline.batches(), pipeline.schema)
    return Batch({name: rows.columns[name] for name in plan.schema.names}, rows.length)


def _occurrence(codes: np.ndarray, count: int) -> np.ndarray:
    """For each row, how many rows of the same code stand before it."""
    order = np.argsort(codes, kind="stable")
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(codes, minlength=count), out=starts[1:])
    number = np.empty(len(codes), dtype=np.int64)
    number[order] = np.arange(len(codes)) - starts[codes[order]]
    return number
