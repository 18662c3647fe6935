"""What happens to a row on its way through a compiled pipeline, in push style: each stage hands rows to the next."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import ExitStack
from typing import Protocol, runtime_checkable

from lazyframe.executors.compiled.constants import Constants
from lazyframe.executors.compiled.datum import kind_of
from lazyframe.executors.compiled.expressions import Row
from lazyframe.executors.compiled.program import Frame
from lazyframe.executors.measurements import CountRows
from lazyframe.planner.graph import postorder
from lazyframe.planner.parameters import NO_LITERALS, Literals
from lazyframe.planner.scalars import Call, Column, Literal, Scalar, conjunction, conjuncts, is_total

Emit = Callable[[Row], None]


class Stage(Protocol):
    """One step of a pipeline."""

    @property
    def key(self) -> Hashable:
        """What its code depends on, besides the layouts of columns and the stages before it."""
        ...

    def consume(self, row: Row, emit: Emit) -> None:
        """Write what becomes of a row; `emit` writes what comes after it, and may be called at most once."""
        ...


@runtime_checkable
class LooksUp(Protocol):
    """A stage that looks things up which are no part of its code: in a table, or the values of placeholders."""

    def bind(self, constants: Constants) -> None:
        """Put them, or where they lie, among the constants of a kernel."""
        ...


_PLAIN = frozenset(
    (
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "is_null",
        "is_not_null",
        "and",
        "or",
        "not",
    )
)


class FilterStage:
    """Rows for which a condition is true.

    Comparisons of numbers come first and are tested at once: all of them cost less than a branch that the processor does not
    foresee. What costs more, such as texts, sees only the rows that are left. A part that may fail stays behind those that guard it.
    """

    def __init__(self, predicate: Scalar) -> None:
        self._tests: list[tuple[Scalar, bool]] = []
        together: list[Scalar] = []
        for part in conjuncts(predicate):
            if is_total(part):
                together.append(part)
                continue
            self._add(together)
            together = []
            self._tests.append((part, False))
        self._add(together)

    @property
    def key(self) -> Hashable:
        return "filter", tuple([(test.digest, at_once) for test, at_once in self._tests])

    def _add(self, parts: Sequence[Scalar]) -> None:
        """Take parts that may be tested in any order."""
        plain = conjunction([part for part in parts if _is_plain(part)])
        if plain is not None:
            self._tests.append((plain, True))
        self._tests += [(part, False) for part in parts if not _is_plain(part)]

    def consume(self, row: Row, emit: Emit) -> None:
        with ExitStack() as tests:
            for test, at_once in self._tests:
                tests.enter_context(row.cg.if_(row.truth(test), "{}", [test], at_once=at_once))
            emit(row)


def _is_plain(part: Scalar) -> bool:
    """Whether it only compares numbers."""
    nodes: list[Scalar] = postorder(part)
    return all(
        (isinstance(node, (Column, Literal)) and kind_of(node.dtype) is not None)
        or (isinstance(node, Call) and node.function in _PLAIN)
        for node in nodes
    )


class ProjectStage:
    """Columns computed from those of the row."""

    def __init__(self, exprs: Sequence[tuple[str, Scalar]], parameters: Literals = NO_LITERALS) -> None:
        self.exprs = list(exprs)
        self._parameters = parameters

    @property
    def key(self) -> Hashable:
        return "project", tuple([(name, scalar.digest) for name, scalar in self.exprs])

    def consume(self, row: Row, emit: Emit) -> None:
        for _, expression in self.exprs:
            if not is_total(expression):
                # An error must not depend on whether what comes later keeps the row.
                row.value(expression)
        emit(row.project(self.exprs))

    def bind(self, constants: Constants) -> None:
        constants.parameters(self._parameters)


class CountStage:
    """Rows as they come, which are counted for `explain(analyze=True)`."""

    def __init__(self, number: int, counted: CountRows) -> None:
        self._name = f"counted{number}"
        self._counted = counted

    @property
    def key(self) -> Hashable:
        return "count", self._name

    def consume(self, row: Row, emit: Emit) -> None:
        # A row with which the kernel goes on has been counted.
        with row.cg.if_(row.cg.truth(True) if row.resuming is None else ~row.resuming.get()):
            row.cg.count(self._name, row.number.lanes)
        emit(row)

    def note(self, frame: Frame) -> None:
        """Count what a kernel has counted."""
        self._counted.count(frame[self._name])


def bind_all(stages: Sequence[Stage], constants: Constants) -> None:
    """Put what stages look things up in among the constants of a kernel."""
    for stage in stages:
        if isinstance(stage, LooksUp):
            stage.bind(constants)


def may_take_long(stages: Sequence[Stage]) -> bool:
    """Whether what a single batch takes is not bounded by its rows."""
    return any(getattr(stage, "may_take_long", False) for stage in stages)


def note_counts(stages: Sequence[Stage], frame: Frame) -> None:
    """Count the rows that a kernel has counted."""
    for stage in stages:
        if isinstance(stage, CountStage):
            stage.note(frame)
