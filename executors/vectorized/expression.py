"""Expressions over a batch."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch
from lazyframe.executors.vectorized.kernel import KernelError, Value, broadcast
from lazyframe.executors.vectorized.program import ALL_ROWS, Program
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.parameters import NO_LITERALS, Literals
from lazyframe.planner.scalars import Column, Scalar, SortKey


class Expressions:
    """Several expressions over the same rows, computed together. Compiled once a pipeline, run once a batch.

    Compiled when the first batch is there: where kernels do the work, there is none.

    Attributes:
        dtypes: of their values.
        parameters: the values of placeholders in them.
    """

    __slots__ = ("_expressions", "_names", "_programs", "dtypes", "parameters")

    def __init__(self, expressions: Sequence[Scalar]) -> None:
        # Columns alone, which keys mostly are, need no program.
        self._names = [e.name for e in map(_sorted_by, expressions) if isinstance(e, Column)]
        self._expressions = expressions
        self._programs: list[Program] = []
        self.parameters: Literals = NO_LITERALS
        self.dtypes = [e.dtype for e in expressions]

    def with_parameters(self, parameters: Literals) -> Expressions:
        """The same with other values of placeholders; what is compiled of them is shared."""
        found = copy(self)
        found.parameters = parameters
        return found

    def values(self, batch: Batch) -> list[Value]:
        """One value for each expression: a column, or a scalar that holds for all rows.

        Raises:
            EvaluationError: at the site of the expression that has no answer for a row.
        """
        if len(self._names) == len(self._expressions):
            return [batch.columns[name] for name in self._names]
        if not self._programs:
            # Two threads may do so at once; what they find is the same.
            self._programs.append(Program(self._expressions))
        program = self._programs[0]
        state = program.state(batch, self.parameters)
        registers, lengths = state.registers, state.lengths
        for number, (step, scope, spent) in enumerate(zip(program.steps, program.scopes, program.spent, strict=True)):
            if scope != ALL_ROWS and lengths[scope] == 0:
                # No row takes this branch, so that nothing in it may be computed: not even of constants.
                registers.append(None)
                continue
            try:
                registers.append(step(state))
            except KernelError as error:
                raise error.kind(error.message, hint=error.hint, site=program.sites[number]) from error.__cause__
            except (pa.ArrowInvalid, OverflowError) as error:
                raise EvaluationError(str(error).splitlines()[0], site=program.sites[number]) from None
            for register in spent:
                registers[register] = None
        return [registers[number] for number in program.outputs]

    def columns(self, batch: Batch) -> list[pa.Array]:
        """One column for each expression, as long as the batch."""
        found = self.values(batch)
        return [broadcast(value, batch.length, dtype) for value, dtype in zip(found, self.dtypes, strict=True)]


def _sorted_by(expression: Scalar) -> Scalar:
    return expression.arg if isinstance(expression, SortKey) else expression


_NOTHING = arrow.scalar(False, pa.bool_())


class Predicate:
    """A condition over the rows of a batch."""

    __slots__ = ("_expressions",)

    def __init__(self, predicate: Scalar) -> None:
        self._expressions = Expressions([predicate])

    def with_parameters(self, parameters: Literals) -> Predicate:
        found = copy(self)
        found._expressions = self._expressions.with_parameters(parameters)
        return found

    def keep(self, batch: Batch, wanted: Sequence[str] | None = None) -> Batch:
        """The rows for which the condition is true, with the columns that are wanted (all by default)."""
        values = self._expressions.values(batch) if batch.length else [_NOTHING]
        if wanted is not None:
            batch = batch.select(wanted)
        (value,) = values
        if isinstance(value, pa.Scalar):
            return batch if value.as_py() is True else batch.slice(0, 0)
        return batch.filter(value)

    def mask(self, batch: Batch) -> np.ndarray:
        """For each row whether the condition is true."""
        (value,) = self._expressions.values(batch)
        if isinstance(value, pa.Scalar):
            return np.full(batch.length, value.as_py() is True)
        if value.null_count:
            value = pc.fill_null(value, False)
        return arrow.numpy_of(value)
