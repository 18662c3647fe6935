"""The steps of a program: each computes one value from values computed before it.

A step runs in a scope: all rows of the batch, or those of them that a branch of a CASE takes (see `program.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch, decoded
from lazyframe.executors.vectorized.cast import cast_value
from lazyframe.executors.vectorized.functions import kernel_of
from lazyframe.executors.vectorized.kernel import Arguments, Kernel, Value, broadcast, plain
from lazyframe.planner import arrow
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.parameters import Literals
from lazyframe.planner.scalars import Call, Case, Cast, Column, Literal, Parameter, Scalar, SortKey
from lazyframe.planner.types import is_null

Rows = np.ndarray


class State:
    """A run of a program over a batch.

    Attributes:
        batch: the rows.
        registers: the value of each step that has run.
        lengths: of each scope, how many rows it has.
        parameters: the values of placeholders.
        rows: of each scope, the numbers of its rows among those of its parent; None where it has all of them.
    """

    __slots__ = ("batch", "lengths", "parameters", "registers", "rows")

    def __init__(self, batch: Batch, scopes: int, parameters: Literals) -> None:
        self.batch = batch
        self.parameters = parameters
        self.registers: list[Any] = []
        self.lengths = [batch.length] + [0] * (scopes - 1)
        self.rows: list[Rows | None] = [None] * scopes


Step = Callable[[State], Value]


def step_of(scalar: Scalar, inputs: Sequence[int], scope: int) -> Step:
    """The step that computes `scalar` from the registers of its children."""
    match scalar:
        case Column(name=name):
            return lambda state: state.batch.columns[name]
        case Literal(value=value):
            return lambda state: value
        case Parameter():
            return lambda state: state.parameters[scalar].value
        case SortKey():
            (only,) = inputs
            return lambda state: state.registers[only]
        case Cast():
            return _cast(scalar, inputs[0])
        case Case():
            return _choose(scalar, inputs)
        case Call():
            return _call(scalar, inputs, scope)
    raise AssertionError(f"{type(scalar).__name__} stands in no row expression")


def _cast(scalar: Cast, source: int) -> Step:
    from_type = scalar.arg.dtype

    def run(state: State) -> Value:
        value = state.registers[source]
        return cast_value(value, from_type, scalar.to, lenient=scalar.lenient, rounding=scalar.rounding)

    return run


def _call(call: Call, inputs: Sequence[int], scope: int) -> Step:
    kernel: Kernel = kernel_of(call.function)
    arguments = Arguments.of(call, call.options)
    result = call.dtype
    definition = call.definition
    if definition.nulls == "propagate" and any(is_null(t) for t in arguments.types):
        # A column without a type holds nothing but nulls, which kernels of typed values need not know.
        nothing = arrow.scalar(None, result)
        return lambda state: nothing
    # A function of one dictionary column need be computed only once for each entry of the dictionary. An entry may stand in
    # no row, so it must not raise.
    literal = [isinstance(a, (Literal, Parameter)) for a in call.args]
    by_dictionary = (
        literal.count(False) == 1
        and definition.nulls == "propagate"
        and definition.is_total(call.args)
        and not definition.volatile
    )
    variable = literal.index(False) if by_dictionary else -1

    def computed(values: Sequence[Value], rows: int) -> Value:
        value = kernel.run(values, arguments, rows)
        return value if kernel.encoded or value.type == result else value.cast(result)

    def run(state: State) -> Value:
        registers = state.registers
        values = [registers[number] for number in inputs]
        if by_dictionary and isinstance(values[variable], pa.DictionaryArray):
            column = values[variable]

            def over(entries: pa.Array) -> Value:
                return computed([*values[:variable], entries, *values[variable + 1 :]], len(entries))

            return _over_dictionary(column, over)
        if not kernel.encoded:
            values = [plain(value, dtype) for value, dtype in zip(values, arguments.types, strict=True)]
        return computed(values, state.lengths[scope])

    return run


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


def _choose(case: Case, inputs: Sequence[int]) -> Step:
    """A CASE of which all branches were computed for all rows."""
    count = len(case.conditions)
    conditions, values, otherwise = inputs[:count], inputs[count : 2 * count], inputs[-1]
    dtype = case.dtype

    def run(state: State) -> Value:
        registers = state.registers
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


def split(condition: int, scope: int, taken: int, rest: int) -> Step:
    """Divide the rows of a scope into those for which a condition is true, and the others."""

    def run(state: State) -> Value:
        test, length = state.registers[condition], state.lengths[scope]
        if isinstance(test, pa.Scalar):
            state.lengths[taken if test.as_py() is True else rest] = length
            return test
        mask = arrow.numpy_of(pc.fill_null(test, False) if test.null_count else test)
        count = int(np.count_nonzero(mask))
        state.lengths[taken], state.lengths[rest] = count, length - count
        if 0 < count < length:
            state.rows[taken], state.rows[rest] = np.flatnonzero(mask), np.flatnonzero(~mask)
        return test

    return run


def narrow(register: int, scope: int) -> Step:
    """A value of the scope's parent for the rows of the scope."""

    def run(state: State) -> Value:
        value, rows = state.registers[register], state.rows[scope]
        if rows is None or isinstance(value, pa.Scalar):
            return value
        return pc.array_take(value, arrow.array(rows))

    return run


def merge(dtype: pa.DataType, scope: int, pieces: Sequence[tuple[int, int]], values: Sequence[int]) -> Step:
    """The value of a CASE from those of its branches.

    Args:
        dtype: its type.
        scope: where it stands.
        pieces: of each condition the scopes of the rows that it takes and of the rest, which the next one divides.
        values: the registers of the branches' values, and of what the last rest gets.
    """

    def run(state: State) -> Value:
        found: list[pa.Array] = []
        positions: list[Rows] = []
        open_rows = np.arange(state.lengths[scope])

        def add(part: int, rows: Rows, register: int) -> None:
            if state.lengths[part]:
                value = broadcast(state.registers[register], state.lengths[part], dtype)
                found.append(decoded(value, dtype))
                positions.append(rows)

        for (taken, rest), register in zip(pieces, values, strict=False):
            mine, others = state.rows[taken], state.rows[rest]
            add(taken, open_rows if mine is None else open_rows[mine], register)
            if others is not None:
                open_rows = open_rows[others]
        add(pieces[-1][1], open_rows, values[-1])
        if len(found) <= 1:
            return found[0] if found else arrow.array([], dtype)
        order = np.empty(state.lengths[scope], dtype=np.int64)
        order[np.concatenate(positions)] = np.arange(state.lengths[scope])
        return pc.array_take(pa.concat_arrays(found), arrow.array(order))

    return run
