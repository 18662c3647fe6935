"""Running a recursion: round by round, as long as its rows are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count

from lazyframe.executors.batch import Batch
from lazyframe.executors.context import Context
from lazyframe.executors.pipeline import Batches, Pipeline
from lazyframe.executors.scheduler import run
from lazyframe.executors.sources.source import ScanMetrics
from lazyframe.executors.vectorized.operators.collect import Collect
from lazyframe.executors.vectorized.operators.seen import SeenRows
from lazyframe.planner.errors import QueryCancelledError
from lazyframe.planner.relations import Recursion
from lazyframe.planner.schema import Schema

Step = Callable[[Batches, int], list[Pipeline]]
"""From the rows of the last round, and how many the next may give, to its pipelines. The last one gives its rows."""


class Rounds:
    """The rows of a recursion, as a source of one split. A round is run when the rows before it have been taken."""

    def __init__(self, plan: Recursion, base: Pipeline, step: Step, context: Context) -> None:
        self._plan = plan
        self._base = base
        self._step = step
        self._context = context

    def splits(self) -> Sequence[Rounds]:
        return [self]

    def read(self, metrics: ScanMetrics) -> Iterator[Batch]:
        plan, context = self._plan, self._context
        names = plan.schema.names
        seen = SeenRows(plan.schema) if plan.distinct else None
        found = self._base.batches()
        total = 0
        for number in count():
            rows = [batch.select(names) for batch in found if batch.length]
            if seen is not None:
                rows = seen.added(rows)
            if not rows:
                return
            yield from rows
            context.check()
            if number >= context.recursion_limit:
                raise _endless(plan, f"{context.recursion_limit:,} rounds", "recursion_limit")
            total += sum([batch.length for batch in rows])
            found = self._round(rows, context.recursion_rows - total)

    def _round(self, rows: list[Batch], most: int) -> list[Batch]:
        pipelines = self._step(Batches(rows), most)
        for pipeline in pipelines:
            self._context.check()
            run(pipeline, self._context)
        return pipelines[-1].batches()


class CollectSome(Collect):
    """All rows of a round; an error where they are more than `most`.

    Threads may count past each other, so that a few batches more may pass.
    """

    def __init__(self, schema: Schema, most: int, plan: Recursion, context: Context) -> None:
        super().__init__(schema)
        self._left = most
        self._plan = plan
        self._context = context

    def push(self, state: list[Batch], batch: Batch) -> None:
        self._left -= batch.length
        if self._left < 0:
            raise _endless(self._plan, f"{self._context.recursion_rows:,} rows", "recursion_rows")
        super().push(state, batch)


def _endless(plan: Recursion, reached: str, setting: str) -> QueryCancelledError:
    return QueryCancelledError(
        f"the recursion {plan.name!r} has not come to an end after {reached}",
        hint=f"see that its condition ends it, or raise the limit: lf.config({setting}=...)",
        site=plan.site,
    )
