"""Keeping all rows."""

from __future__ import annotations

from collections.abc import Callable

from lazyframe.executors.batch import Batch, concat, concat_arrays
from lazyframe.executors.pipeline import Batches, Source
from lazyframe.executors.sources.source import MORSEL_ROWS
from lazyframe.planner import arrow
from lazyframe.planner.schema import Schema


class Collect:
    """All batches, in order; then what `then` makes of them."""

    is_native = True

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
        self.batches = []
        return Batches(evened(batches, self.schema))

    def take_rows(self) -> Batch:
        """All rows as one batch, none of which is held here any more."""
        batches, self.batches = self.batches, []
        return all_rows_taken(batches, self.schema)


def evened(batches: list[Batch], schema: Schema) -> list[Batch]:
    """The same rows in batches of about a morsel: small neighbours put together, large ones cut.

    The list is emptied on the way where there are several, so that no more than a morsel is there twice.
    """
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

    waiting = batches[::-1]
    batches.clear()
    while waiting:
        batch = waiting.pop()
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


def all_rows_taken(batches: list[Batch], schema: Schema) -> Batch:
    """As `all_rows`, of batches that nobody else needs: the list is emptied, so that no more than a column is there twice."""
    if len(batches) < 2:
        return all_rows(batches, schema)
    length = sum(batch.length for batch in batches)
    parts = {field.name: [batch.columns[field.name] for batch in batches] for field in schema}
    batches.clear()
    return Batch({field.name: concat_arrays(parts.pop(field.name), field.dtype) for field in schema}, length)


def empty(schema: Schema) -> Batch:
    return Batch({f.name: arrow.array([], f.dtype) for f in schema}, 0)
