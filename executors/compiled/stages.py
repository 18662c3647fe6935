"""What happens to a row on its way through a compiled pipeline, in push style: each stage hands rows to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Protocol

from lazyframe.executors.compiled.expressions import Row, why_not_staged
from lazyframe.executors.compiled.program import Frame
from lazyframe.executors.measurements import CountRows
from lazyframe.executors.vectorized.operators.filter import groups_of
from lazyframe.planner.formatting import format_scalar
from lazyframe.planner.scalars import Scalar, conjuncts, is_total

Emit = Callable[[Row], None]


class Stage(Protocol):
    """One step of a pipeline."""

    def consume(self, row: Row, emit: Emit) -> None:
        """Write what becomes of a row; `emit` writes what comes after it, and may be called at most once."""
        ...


class FilterStage:
    """Rows for which a condition is true; its parts are tested as `FilterRows` tests them."""

    def __init__(self, predicate: Scalar) -> None:
        self._groups = groups_of(conjuncts(predicate))

    def consume(self, row: Row, emit: Emit) -> None:
        with ExitStack() as tests:
            for group in self._groups:
                tests.enter_context(row.cg.if_(row.truth(group), note=format_scalar(group), at_once=True))
            emit(row)


class ProjectStage:
    """Columns computed from those of the row."""

    def __init__(self, exprs: Sequence[tuple[str, Scalar]]) -> None:
        self._exprs = list(exprs)

    def consume(self, row: Row, emit: Emit) -> None:
        for _, expression in self._exprs:
            if not is_total(expression):
                # An error must not depend on whether what comes later keeps the row.
                row.value(expression)
        emit(row.project(self._exprs))


class CountStage:
    """Rows as they come, which are counted for `explain(analyze=True)`."""

    def __init__(self, number: int, counted: CountRows) -> None:
        self._name = f"counted{number}"
        self._counted = counted

    def consume(self, row: Row, emit: Emit) -> None:
        # A row with which the kernel goes on has been counted.
        with row.cg.if_(row.cg.truth(True) if row.resuming is None else ~row.resuming.get()):
            row.cg.count(self._name)
        emit(row)

    def note(self, frame: Frame) -> None:
        """Count what a kernel has counted."""
        self._counted.count(frame[self._name])


def note_counts(stages: Sequence[Stage], frame: Frame) -> None:
    """Count the rows that a kernel has counted."""
    for stage in stages:
        if isinstance(stage, CountStage):
            stage.note(frame)


def why_not_all(scalars: Sequence[Scalar]) -> str | None:
    """Why kernels cannot compute some expressions; None where they can."""
    return next((why for scalar in scalars if (why := why_not_staged(scalar)) is not None), None)
