"""Expressions by a kernel and by the vectorized kernels, over columns in every layout: value, null and failure are the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from lazyframe.executors.batch import Batch, decoded
from lazyframe.executors.compiled.coverage import why_not_staged
from lazyframe.executors.compiled.layouts import layout_of
from lazyframe.executors.compiled.segment import CompiledRows
from lazyframe.executors.compiled.stages import FilterStage, ProjectStage, Stage
from lazyframe.executors.vectorized.expression import Expressions, Predicate
from lazyframe.planner.errors import EvaluationError
from lazyframe.planner.functions.definition import lookup
from lazyframe.planner.scalars import Call, Column, Literal, Scalar
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.types import BOOL, canonical

Given = pa.Array | pa.Scalar


class _FailedError(Exception):
    pass


def call(function: str, *given: Given | Scalar, **options: object) -> Scalar:
    """A call over columns `c0`, `c1`, ... of the types of arrays; scalars are literals."""
    scalars = [as_scalar(value, f"c{number}") for number, value in enumerate(given)]
    lookup(function).resolve(tuple(s.dtype for s in scalars), options)
    return Call(function, tuple(scalars), tuple(sorted(options.items())))


def as_scalar(value: Given | Scalar, name: str) -> Scalar:
    if isinstance(value, Scalar):
        return value
    if isinstance(value, pa.Scalar):
        return Literal(value)
    return Column(name, canonical(value.type), True)


def columns_of(*given: Given | Scalar) -> dict[str, pa.Array]:
    return {f"c{number}": value for number, value in enumerate(given) if isinstance(value, pa.Array)}


def agrees(function: str, *given: Given, may_give_up: bool = False, **options: object) -> pa.Array | None:
    """Check one call; see `check`."""
    return check(call(function, *given, **options), columns_of(*given), may_give_up=may_give_up)


def check(scalar: Scalar, columns: Mapping[str, pa.Array], *, may_give_up: bool = False) -> pa.Array | None:
    """What both give for an expression; None where both fail.

    Args:
        scalar: the expression.
        columns: in any layout that kernels read.
        may_give_up: whether a kernel may leave rows to the vectorized kernel for which that has an answer.
    """
    types = {name: canonical(array.type) for name, array in columns.items()}
    return _compared(scalar, _compiled(scalar, types), columns, types, may_give_up=may_give_up)


def each_row(function: str, *given: pa.Array, may_give_up: bool = False, **options: object) -> None:
    """Check a call for each row by itself, so that failures are told apart, and for all that do not fail together."""
    check_each(call(function, *given, **options), columns_of(*given), may_give_up=may_give_up)


def check_each(scalar: Scalar, columns: Mapping[str, pa.Array], *, may_give_up: bool = False) -> None:
    """The same of an expression."""
    types = {name: canonical(array.type) for name, array in columns.items()}
    compiled = _compiled(scalar, types)
    good = []
    for row in range(max(map(len, columns.values()))):
        one = {name: array.slice(row, 1) for name, array in columns.items()}
        if _compared(scalar, compiled, one, types, may_give_up=may_give_up) is not None:
            good.append(row)
    kept = pa.array(good, pa.int64())
    check(scalar, {name: array.take(kept) for name, array in columns.items()}, may_give_up=may_give_up)


def _compared(
    scalar: Scalar,
    compiled: CompiledRows,
    columns: Mapping[str, pa.Array],
    types: Mapping[str, pa.DataType],
    *,
    may_give_up: bool,
) -> pa.Array | None:
    rows = max(map(len, columns.values()), default=1)
    plain = Batch({name: _plain(array, types[name]) for name, array in columns.items()}, rows)
    try:
        (expected,) = Expressions([scalar]).columns(plain)
        expected = decoded(expected, scalar.dtype)
    except EvaluationError:
        expected = None
    try:
        (batch,) = _run(compiled, columns, types, rows)
        found = decoded(batch.columns["result"], scalar.dtype)
    except _FailedError:
        found = None
    if found is None and may_give_up:
        return expected
    assert (found is None) == (expected is None), f"only one fails: kernel {found}, vectorized {expected} of {columns}"
    if found is None:
        return None
    found.validate(full=True)
    assert found.type == expected.type
    assert same(found, expected), f"kernel\n{found}\nvectorized\n{expected}\nof {columns}"
    if scalar.dtype == BOOL and rows > 1:
        _check_filter(scalar, columns, types, plain, rows)
    return found


def _compiled(scalar: Scalar, types: Mapping[str, pa.DataType]) -> CompiledRows:
    why = why_not_staged(scalar)
    assert why is None, why
    schema = Schema([Field("result", scalar.dtype, scalar.nullable)])
    return _rows([ProjectStage([("result", scalar)])], types, schema)


def _rows(stages: Sequence[Stage], types: Mapping[str, pa.DataType], schema: Schema) -> CompiledRows:
    def fallback(batch: Batch) -> Iterator[Batch]:
        raise _FailedError

    given = Schema([Field(name, dtype) for name, dtype in types.items()])
    return CompiledRows(stages, {}, given, schema, fallback, waits=True)


def same(a: pa.Array, b: pa.Array) -> bool:
    """Whether two columns are the same, bit by bit where they hold floats."""
    if not pa.types.is_floating(a.type):
        return a.equals(b)
    if not a.is_valid().equals(b.is_valid()):
        return False
    x, y = (v.fill_null(0.0).to_numpy() for v in (a, b))
    same_nan = np.isnan(x) & np.isnan(y)
    return bool((same_nan | ((x == y) & (np.signbit(x) == np.signbit(y)))).all())


def _plain(array: pa.Array, dtype: pa.DataType) -> pa.Array:
    return array if isinstance(array, pa.DictionaryArray) and array.type.value_type == dtype else decoded(array, dtype)


def _check_filter(
    scalar: Scalar, columns: Mapping[str, pa.Array], types: Mapping[str, pa.DataType], plain: Batch, rows: int
) -> None:
    """As a condition it keeps the rows for which it is true."""
    numbered = {**columns, "row": pa.array(range(rows), pa.int64())}
    schema = Schema([Field("row", pa.int64(), False)])
    stages: list[Stage] = [FilterStage(scalar), ProjectStage([("row", Column("row", pa.int64(), False))])]
    types = {**types, "row": pa.int64()}
    (kept,) = _run(_rows(stages, types, schema), numbered, types, rows)
    assert kept.columns["row"].to_pylist() == np.flatnonzero(Predicate(scalar).mask(plain)).tolist()


def _run(
    compiled: CompiledRows, columns: Mapping[str, pa.Array], types: Mapping[str, pa.DataType], rows: int
) -> list[Batch]:
    for name, array in columns.items():
        assert layout_of(array, types[name]) is not None, f"kernels do not read {array.type}"
    return list(compiled.expand(Batch(dict(columns), rows)))


def layouts(array: pa.Array) -> list[pa.Array]:
    """The same values laid out in the ways that kernels read."""
    longer = pa.concat_arrays([array, array.slice(0, 1), array]).slice(len(array) + min(len(array), 1), len(array))
    found = [array, longer]
    if pa.types.is_string(array.type):
        found += [array.dictionary_encode(), longer.dictionary_encode()]
        found += [a.cast(t) for t in (pa.large_string(), pa.string_view()) for a in (array, longer)]
        found.append(longer.cast(pa.string_view()).slice(min(len(array), 1), 0))
    return found
