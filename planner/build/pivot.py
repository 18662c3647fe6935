"""Values of rows as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lazyframe.planner import arrow
from lazyframe.planner.relations import Aggregate, Plan, Project
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import AggregateCall, Call, Column, Literal, Scalar, conjunction
from lazyframe.planner.schema import fresh_name

Named = tuple[str, Scalar]


class Cell(NamedTuple):
    """A column that a pivot makes.

    Args:
        name: what it is called.
        values: one for each of the expressions pivoted on, of its type: it is made of the rows that have these. A null is
            met by nulls.
        aggregate: the number of the aggregate that is computed of those rows.
    """

    name: str
    values: tuple[Literal, ...]
    aggregate: int


def pivoted(
    plan: Plan, index: Sequence[Named], on: Sequence[Scalar], aggregates: Sequence[Scalar], cells: Sequence[Cell]
) -> Plan:
    """A row for each different index, in order of first appearance, with a column for each cell.

    A cell without rows has the aggregate's value over no rows: 0 for counts, else null. Groups by index and values are
    made first, so that rows are not asked for the values of each cell.

    Args:
        plan: the rows.
        index: what there is one row for, with names; without any, there is one row.
        on: the expressions whose values tell the cells apart.
        aggregates: aggregate calls.
        cells: the columns that are made, in order; their names and those of the index differ.
    """
    taken = {name for name, _ in index} | {cell.name for cell in cells}

    def fresh(base: str) -> str:
        name = fresh_name(base, taken)
        taken.add(name)
        return name

    keys = [(fresh("on"), scalar) for scalar in on]
    calls = [(fresh("value"), call) for call in aggregates]
    assert all([isinstance(call, AggregateCall) for call in aggregates])
    groups = Aggregate(plan, (*index, *keys), tuple(calls))
    picks: list[Named] = []
    for cell in cells:
        value, _ = calls[cell.aggregate]
        tests = []
        for (key, scalar), wanted in zip(keys, cell.values, strict=True):
            assert wanted.dtype == scalar.dtype, f"{wanted!r} is no {scalar.dtype}"
            tests.append(Call("equal_missing", (column(groups.schema, key), wanted)))
        pick = AggregateCall("first", (column(groups.schema, value),), where=conjunction(tests))
        picks.append((cell.name, pick))
    rows = Aggregate(groups, tuple([(name, column(groups.schema, name)) for name, _ in index]), tuple(picks))
    if all([call.nullable for call in aggregates]):
        return rows
    exprs: list[Named] = [(name, column(rows.schema, name)) for name, _ in index]
    exprs += [(cell.name, _filled(column(rows.schema, cell.name), aggregates[cell.aggregate])) for cell in cells]
    return Project(rows, tuple(exprs))


def _filled(value: Column, aggregate: Scalar) -> Scalar:
    """A count of no rows is 0."""
    return value if aggregate.nullable else Call("coalesce", (value, Literal(arrow.scalar(0, value.dtype))))
