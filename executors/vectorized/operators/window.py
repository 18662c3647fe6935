"""Window functions."""

from __future__ import annotations

from collections.abc import Callable

from lazyframe.executors.batch import Batch
from lazyframe.executors.vectorized.operators.collect import Collect, all_rows
from lazyframe.executors.vectorized.windows.evaluation import Evaluation
from lazyframe.planner.relations import Window
from lazyframe.planner.scalars import WindowCall


def window_rows(plan: Window, check: Callable[[], None]) -> Collect:
    """A sink that gives all rows as they came, with the values of window functions behind their columns.

    Args:
        plan: the functions.
        check: raises where the query shall stop.
    """
    names = [name for name, _ in plan.calls]
    evaluation = Evaluation([call for _, call in plan.calls if isinstance(call, WindowCall)], check)

    def then(batches: list[Batch]) -> list[Batch]:
        rows = all_rows(batches, plan.input.schema)
        batches.clear()
        found = evaluation.columns(rows)
        return [Batch({**rows.columns, **dict(zip(names, found, strict=True))}, rows.length)]

    return Collect(plan.schema, then)
