"""Running an optimised plan."""

from __future__ import annotations

import uuid
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import pyarrow as pa

from lazyframe.executors.allocation import keep_freed_memory
from lazyframe.executors.batch import Batch, empty_columns
from lazyframe.executors.context import Context
from lazyframe.executors.lower import lower
from lazyframe.executors.pipeline import Batches, Stream
from lazyframe.executors.replanning import replanning_of
from lazyframe.executors.scheduler import run, stream
from lazyframe.planner.clock import at_instant
from lazyframe.planner.relations import Plan
from lazyframe.planner.schema import Schema


def batches(plan: Plan, context: Context) -> Iterator[Batch]:
    """The rows of a plan in order, as they are computed."""
    (output,) = _run_pipelines([plan], context)
    yield from stream(output, context)


def _run_pipelines(plans: Sequence[Plan], context: Context) -> list[Stream]:
    keep_freed_memory()
    lowered = lower(at_instant(plans, context.instant), context)
    replanning = replanning_of(lowered, context)
    if replanning is not None:
        return replanning.run()
    for pipeline in lowered.take_pipelines():
        context.check()
        run(pipeline, context)
    return lowered.outputs


def record_batches(plan: Plan, context: Context) -> Generator[pa.RecordBatch]:
    """As `batches`, in the plain layout that the plan's schema promises."""
    for batch in batches(plan, context):
        yield batch.to_arrow(plan.schema)


def collect(plan: Plan, context: Context) -> pa.Table:
    """All rows of a plan, with exactly the schema that it promises."""
    return table_of(list(record_batches(plan, context)), plan.schema)


def collect_all(plans: Sequence[Plan], context: Context) -> list[pa.Table]:
    """All rows of each of some plans; what they have in common is computed once."""
    return [
        table_of([batch.to_arrow(plan.schema) for batch in stream(output, context)], plan.schema)
        for plan, output in zip(plans, _run_pipelines(plans, context), strict=True)
    ]


def table_of(found: list[pa.RecordBatch], schema: Schema) -> pa.Table:
    if len(schema) == 0:
        return pa.Table.from_batches([empty_columns(sum(batch.num_rows for batch in found))])
    return pa.Table.from_batches(found, schema=schema.to_arrow())


class CacheSlot:
    """Where the rows of a `Cache` node are kept."""

    def __init__(self) -> None:
        self._identity = uuid.uuid4().bytes
        self._batches: list[Batch] | None = None

    def identity(self) -> tuple[object, ...]:
        return ("cache", self._identity)

    def __reduce__(self) -> tuple[Any, ...]:
        # It travels empty: the rows are computed again where it arrives.
        return CacheSlot, ()

    @property
    def is_filled(self) -> bool:
        return self._batches is not None

    def fill(self, found: list[Batch]) -> None:
        self._batches = found

    def load(self) -> Batches:
        assert self._batches is not None
        return Batches(self._batches)
