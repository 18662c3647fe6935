"""pivot(): values of rows as columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lazyframe import session
from lazyframe.planner import arrow_compute as pc
from lazyframe.planner.bind import bind
from lazyframe.planner.build.pivot import Cell, pivoted
from lazyframe.planner.build.projection import check_distinct
from lazyframe.planner.build.sets import distinct
from lazyframe.planner.errors import EvaluationError, InvalidArgumentError
from lazyframe.planner.literals import literal
from lazyframe.planner.parameters import has_parameters
from lazyframe.planner.relations import Aggregate, MapBatches, Plan
from lazyframe.planner.relations.project import choose, column
from lazyframe.planner.scalars import AggregateCall, Literal, Scalar
from lazyframe.planner.schema import fresh_name
from lazyframe.planner.types import DataType
from lazyframe.planner.unbound import Aggregated, Ref

Values = list[tuple[Literal, ...]]

AGGREGATES = ("min", "max", "first", "last", "sum", "mean", "median", "len", "count", "n_unique", "list")


def calls_of(plan: Plan, values: Sequence[str], function: str | None) -> list[tuple[str, Scalar]]:
    """For each column of values the aggregate call; where there is no function, there is but one value."""
    found: list[tuple[str, Scalar]] = []
    for name in values:
        args = () if function == "len" else (Ref(name),)
        # Where there is but one value, it is the first.
        found.append((name, bind(Aggregated(function or "first", args), plan.schema)))
    return found


def found_values(plan: Plan, on: Sequence[str], *, sort: bool) -> Values:
    """The different values of some columns, by running a query: in order of first appearance, or in their own."""
    if has_parameters(plan):
        raise InvalidArgumentError(
            "which columns a pivot gives must be known when it is written, and the rows depend on parameters",
            hint="name the values: on_columns=[...], or bind(...) the parameters first",
        )
    table = session.execute(distinct(choose(plan, on)))
    if sort:
        order = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in on])
        table = table.take(order)
    return [tuple([Literal(column[row]) for column in table.columns]) for row in range(table.num_rows)]


def given_values(plan: Plan, on: Sequence[str], wanted: Any) -> Values:
    """The values that the user names: one each, or a tuple each where there are several columns."""
    types = [plan.schema[name] for name in on]
    rows: Values = []
    for item in wanted:
        parts = (item,) if len(on) == 1 else tuple(item) if isinstance(item, (tuple, list)) else ()
        if len(parts) != len(on):
            raise InvalidArgumentError(f"on_columns has {item!r}, where there is a value for each of {', '.join(on)}")
        rows.append(tuple([_typed(part, dtype) for part, dtype in zip(parts, types, strict=True)]))
    return rows


def _typed(value: Any, dtype: DataType) -> Literal:
    found = literal(value, dtype)
    assert isinstance(found, Literal)
    return found


def pivot_plan(
    plan: Plan,
    on: Sequence[str],
    index: Sequence[str],
    aggregates: Sequence[tuple[str, Scalar]],
    wanted: Values,
    *,
    separator: str,
    single: bool,
) -> Plan:
    """The plan of a pivot.

    Args:
        plan: the rows.
        on: the columns whose values become columns.
        index: the columns that there is a row for.
        aggregates: for each column of values its name and the aggregate call.
        wanted: the values that become columns.
        separator: what stands in names between the column of values and the value.
        single: whether more than one row for a cell is an error.
    """
    if single:
        plan = _with_single_rows(plan, on, index, [name for name, _ in aggregates])
    labels = [_label(values) for values in wanted]
    several = len(aggregates) > 1
    cells = [
        Cell(f"{name}{separator}{label}" if several else label, values, number)
        for number, (name, _) in enumerate(aggregates)
        for label, values in zip(labels, wanted, strict=True)
    ]
    check_distinct(
        [*index, *[cell.name for cell in cells]], (), "rename a column of the index, or name other on_columns"
    )
    keys = [(name, column(plan.schema, name)) for name in index]
    calls = [call for _, call in aggregates]
    return pivoted(plan, keys, [column(plan.schema, name) for name in on], calls, cells)


def _with_single_rows(plan: Plan, on: Sequence[str], index: Sequence[str], values: Sequence[str]) -> Plan:
    """The rows, each the only one of its index and its values; an error when it runs where one is not."""
    keys = list(dict.fromkeys([*index, *on]))
    counted = fresh_name("len", plan.schema)
    calls = [(name, AggregateCall("first", (column(plan.schema, name),))) for name in values if name not in keys]
    groups = Aggregate(
        plan,
        tuple([(name, column(plan.schema, name)) for name in keys]),
        (*calls, (counted, AggregateCall("len", ()))),
    )

    def check(table: pa.Table) -> pa.Table:
        double = pc.greater(table.column(counted), 1)
        if pc.any(double).as_py():
            row = table.filter(double).slice(0, 1).select(keys).to_pylist()[0]
            shown = ", ".join([f"{name}={value!r}" for name, value in row.items()])
            raise EvaluationError(
                f"pivot() found several rows for {shown}",
                hint="say what to make of them: aggregate_function='sum', 'first', ...",
                site=groups.site,
            )
        return table

    return MapBatches(groups, check, tuple([(f.name, f.dtype, f.nullable) for f in groups.schema]), streaming=True)


def _label(values: tuple[Literal, ...]) -> str:
    """What the column for some values is called."""
    found = [value.value.as_py() for value in values]
    if len(found) == 1:
        return found[0] if isinstance(found[0], str) else _text(found[0])
    return "{" + ",".join([json.dumps(v, ensure_ascii=False) if isinstance(v, str) else _text(v) for v in found]) + "}"


def _text(value: object) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
