"""Computing columns."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from lazyframe.executors.batch import Batch
from lazyframe.executors.vectorized.expression import Expressions
from lazyframe.planner.parameters import Literals
from lazyframe.planner.scalars import Column, Scalar


class ComputeColumns:
    """For each row the values of named expressions.

    Attributes:
        exprs: names and expressions.
        parameters: the values of placeholders in them.
    """

    def __init__(self, exprs: Sequence[tuple[str, Scalar]]) -> None:
        self.exprs = list(exprs)
        self._names = [name for name, _ in exprs]
        self._expressions = Expressions([scalar for _, scalar in exprs])

    @property
    def parameters(self) -> Literals:
        return self._expressions.parameters

    def with_parameters(self, parameters: Literals) -> ComputeColumns:
        found = copy(self)
        found._expressions = self._expressions.with_parameters(parameters)
        return found

    def process(self, batch: Batch) -> Batch:
        return Batch(dict(zip(self._names, self._expressions.columns(batch), strict=True)), batch.length)


class ChooseColumns:
    """Some of the columns, perhaps under other names."""

    def __init__(self, exprs: Sequence[tuple[str, Column]]) -> None:
        self.exprs = list(exprs)
        self._names = [(name, column.name) for name, column in exprs]

    def process(self, batch: Batch) -> Batch:
        columns = batch.columns
        return Batch({new: columns[old] for new, old in self._names}, batch.length)


def projection(exprs: Sequence[tuple[str, Scalar]]) -> ComputeColumns | ChooseColumns:
    chosen = [(name, scalar) for name, scalar in exprs if isinstance(scalar, Column)]
    return ChooseColumns(chosen) if len(chosen) == len(exprs) else ComputeColumns(exprs)
