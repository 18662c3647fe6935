"""Expressions over a batch: a list of steps, each a kernel over values computed before it.

Compiled once a pipeline, run once a batch. A subexpression that occurs several times is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lazyframe.executors.batch import Batch, decoded
from lazyframe.executors.vectorized.cast import cast_value
from lazyframe.executors.vectorized.functions import kernel_of
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, KernelError, Value, broadcast, plain
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.graph import postorder
from lazyframe.planner.scalars import Call, Case, Cast, Column, Literal, Scalar, SortKey, is_total
from lazyframe.planner.site import AnySite

Registers = list[Any]
Step = Callable[[Batch, Registers], Value]


class Expressions:
    """Several expressions over the same rows, computed together."""

    __slots__ = ("_outputs", "_sites", "_steps", "dtypes")

    def __init__(self, expressions: Sequence[Scalar]) -> None:
        self._steps: list[Step] = []
        self._sites: list[AnySite | None] = []
        self.dtypes = [e.dtype for e in expressions]
        order = [scalar for expression in expressions for scalar in _inline_order(expression)]
        # Beside leaves a single computation is equal to none.
        key = _key if sum([not isinstance(scalar, _LEAVES) for scalar in order]) > 1 else id
        numbers: dict[object, int] = {}
        for scalar in order:
            if key(scalar) not in numbers:
                numbers[key(scalar)] = len(self._steps)
                self._sites.append(scalar.site)
                self._steps.append(_step(scalar, [numbers[key(child)] for child in _inline_children(scalar)]))
        self._outputs = [numbers[key(expression)] for expression in expressions]

    def values(self, batch: Batch) -> list[Value]:
        """One value for each expression: a column, or a scalar that holds for all rows.

        Raises:
            EvaluationError: at the site of the expression that has no answer for a row.
        """
        registers: Registers = []
        for number, step in enumerate(self._steps):
            try:
                registers.append(step(batch, registers))
            except KernelError as error:
                raise EvaluationError(error.message, site=self._sites[number]) from None
            except (pa.ArrowInvalid, OverflowError) as error:
                raise EvaluationError(_first_line(error), site=self._sites[number]) from None
        return [registers[number] for number in self._outputs]

    def columns(self, batch: Batch) -> list[pa.Array]:
        """One column for each expression, as long as the batch."""
        found = self.values(batch)
        return [broadcast(value, batch.length, dtype) for value, dtype in zip(found, self.dtypes, strict=True)]


_NOTHING = pa.scalar(False)


class Predicate:
    """A condition over the rows of a batch."""

    __slots__ = ("_expressions",)

    def __init__(self, predicate: Scalar) -> None:
        self._expressions = Expressions([predicate])

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
        return value.to_numpy(zero_copy_only=False)


_LEAVES = (Column, Literal)


def _key(scalar: Scalar) -> object:
    """What equal expressions over the same rows share."""
    return scalar.name if isinstance(scalar, Column) else scalar.digest


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _inline_children(scalar: Scalar) -> tuple[Scalar, ...]:
    """The children computed for all rows before the node itself. A guarded CASE computes its own on the rows it needs."""
    if isinstance(scalar, Case) and not _is_unguarded(scalar):
        return ()
    return scalar.children()


def _is_unguarded(case: Case) -> bool:
    """Whether all branches can be computed for all rows: nothing in them can raise."""
    return all(is_total(child) for child in case.children()[1:])


def _inline_order(expression: Scalar) -> list[Scalar]:
    if isinstance(expression, _LEAVES):
        return [expression]
    order: list[Scalar] = []
    done: set[int] = set()
    stack = [expression]
    while stack:
        current = stack[-1]
        if id(current) in done:
            stack.pop()
            continue
        pending = [child for child in _inline_children(current) if id(child) not in done]
        if pending:
            pending.reverse()
            stack.extend(pending)
            continue
        stack.pop()
        done.add(id(current))
        order.append(current)
    return order


def _step(scalar: Scalar, inputs: list[int]) -> Step:
    match scalar:
        case Column(name=name):
            return lambda batch, registers: batch.columns[name]
        case Literal(value=value):
            return lambda batch, registers: value
        case SortKey():
            (only,) = inputs
            return lambda batch, registers: registers[only]
        case Cast():
            return _cast_step(scalar, inputs[0])
        case Case():
            return _unguarded_case_step(scalar, inputs) if inputs else _guarded_case_step(scalar)
        case Call():
            return _call_step(scalar, inputs)
    raise AssertionError(f"{type(scalar).__name__} stands in no row expression")


def _cast_step(scalar: Cast, source: int) -> Step:
    from_type = scalar.arg.dtype

    def run(batch: Batch, registers: Registers) -> Value:
        return cast_value(registers[source], from_type, scalar.to, lenient=scalar.lenient, rounding=scalar.rounding)

    return run


def _call_step(call: Call, inputs: list[int]) -> Step:
    kernel: Kernel = kernel_of(call.function)
    arguments = Arguments.of(call, call.options)
    result = call.dtype
    # A function of one dictionary column need be computed only once for each entry of the dictionary. An entry may stand in
    # no row, so it must not raise.
    literal = [isinstance(a, Literal) for a in call.args]
    by_dictionary = literal.count(False) == 1 and call.definition.nulls == "propagate" and is_total_alone(call)
    variable = literal.index(False) if by_dictionary else -1

    def run(batch: Batch, registers: Registers) -> Value:
        values = [registers[number] for number in inputs]
        if by_dictionary and isinstance(values[variable], pa.DictionaryArray):
            column = values[variable]

            def over(entries: pa.Array) -> Value:
                return kernel.run([*values[:variable], entries, *values[variable + 1 :]], arguments, len(entries))

            return _over_dictionary(column, over)
        if not kernel.encoded:
            values = [plain(value, dtype) for value, dtype in zip(values, arguments.types, strict=True)]
        return kernel.run(values, arguments, batch.length)

    def conform(batch: Batch, registers: Registers) -> Value:
        value = run(batch, registers)
        if value.type == result or kernel.encoded or isinstance(value, pa.DictionaryArray):
            return value
        return value.cast(result)

    return conform


def is_total_alone(call: Call) -> bool:
    """Whether this call raises nothing, whatever is below it."""
    return call.definition.is_total(call.args) and not call.definition.volatile


def _over_dictionary(column: pa.DictionaryArray, function: Callable[[pa.Array], Value]) -> Value:
    """`function` of each entry, spread over the rows; strings stay a dictionary."""
    entries = function(column.dictionary)
    if isinstance(entries, pa.Scalar):
        entries = broadcast(entries, len(column.dictionary), entries.type)
    if isinstance(entries, pa.DictionaryArray):
        entries = pc.dictionary_decode(entries)
    if entries.type in (pa.string(), pa.binary()) and entries.null_count == 0:
        return pa.DictionaryArray.from_arrays(column.indices, entries)
    return pc.array_take(entries, column.indices)


def _unguarded_case_step(case: Case, inputs: list[int]) -> Step:
    count = len(case.conditions)
    conditions, values, otherwise = inputs[:count], inputs[count : 2 * count], inputs[-1]
    dtype = case.dtype

    def run(batch: Batch, registers: Registers) -> Value:
        result = plain(registers[otherwise], dtype)
        for condition, value in zip(reversed(conditions), reversed(values), strict=True):
            test = registers[condition]
            if isinstance(test, pa.Scalar):
                result = plain(registers[value], dtype) if test.as_py() else result
                continue
            if test.null_count:
                test = pc.fill_null(test, False)
            result = pc.if_else(test, plain(registers[value], dtype), result)
        return result

    return run


def _guarded_case_step(case: Case) -> Step:
    conditions = [Expressions([c]) for c in case.conditions]
    values = [Expressions([v]) for v in (*case.values, case.otherwise)]
    dtype = case.dtype

    def run(batch: Batch, registers: Registers) -> Value:
        open_rows = np.arange(batch.length)
        pieces: list[pa.Array] = []
        positions: list[np.ndarray] = []
        rest = batch
        for condition, value in zip(conditions, values, strict=False):
            if len(open_rows) == 0:
                break
            (test,) = condition.columns(rest)
            mask = pc.fill_null(test, False).to_numpy(zero_copy_only=False)
            if mask.any():
                positions.append(open_rows[mask])
                taken = rest if mask.all() else rest.take(np.flatnonzero(mask))
                pieces.append(decoded(value.columns(taken)[0], dtype))
                open_rows = open_rows[~mask]
                rest = rest.take(np.flatnonzero(~mask))
        if len(open_rows):
            positions.append(open_rows)
            pieces.append(decoded(values[-1].columns(rest)[0], dtype))
        if not pieces:
            return pa.array([], dtype)
        if len(pieces) == 1:
            return pieces[0]
        order = np.empty(batch.length, dtype=np.int64)
        order[np.concatenate(positions)] = np.arange(batch.length)
        return pc.array_take(pa.concat_arrays(pieces), pa.array(order))

    return run
