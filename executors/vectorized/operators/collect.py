"""Keeping all rows."""

from __future__ import annotations

from collections.abc import Callable

from lazyframe.executors.batch import Batch, concat
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.sources.source import MORSEL_ROWS
from lazyframe.planner import arrow
from lazyframe.planner.schema import Schema


class Collect:
    """All batches, in order; then what `then` makes of them."""

    def __init__(self, schema: Schema, then: Callable[[list[Batch]], list[Batch]] | None = None) -> None:
        self.schema = schema
        self.batches: list[Batch] = []
        self._then = then

    def start(self) -> list[Batch]:
        return []

    def push(self, state: list[Batch], batch: Batch) -> None:
        if batch.length:
            state.append(batch)

    def merge(self, state: list[Batch]) -> bool:
        self.batches.extend(state)
        return False

    def finish(self) -> Source:
        batches = self.batches if self._then is None else self._then(self.batches)
        return Batches(evened(batches, self.schema))


def evened(batches: list[Batch], schema: Schema) -> list[Batch]:
    """The same rows in batches of about a morsel: small neighbours put together, large ones cut."""
    if len(batches) == 1 and batches[0].length <= MORSEL_ROWS:
        return batches
    result: list[Batch] = []
    small: list[Batch] = []
    held = 0

    def flush() -> None:
        nonlocal held
        if small:
            result.append(concat(small, schema))
            small.clear()
            held = 0

    for batch in batches:
        if held + batch.length > MORSEL_ROWS:
            flush()
        if batch.length > MORSEL_ROWS:
            result.extend(batch.slice(start, MORSEL_ROWS) for start in range(0, batch.length, MORSEL_ROWS))
            continue
        small.append(batch)
        held += batch.length
    flush()
    return result


def all_rows(batches: list[Batch], schema: Schema) -> Batch:
    """All rows as one batch, also where there are none."""
    return concat(batches, schema) if batches else empty(schema)


def empty(schema: Schema) -> Batch:
    return Batch({f.name: arrow.array([], f.dtype) for f in schema}, 0)
