"""A loss with all of its gradients as one plan, also where some are tables: what they have in common is computed once."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.planner.gradients.terms import ABSENT
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Plan, Project, Union
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Scalar, cast
from lazyframe.planner.sources import Learned
from lazyframe.planner.types import FLOAT64, INT64


def together(numbers: Plan, tables: Sequence[tuple[Learned, Plan]]) -> Plan:
    """One plan of a row of numbers and of the rows of some gradients by tables.

    Its columns are the number of the part that a row is of, 0 for the row of numbers; the row of the table; and then as many floats as the widest part
    has, of which a part has its own first.
    """
    parts: list[tuple[Plan, str | None, list[str]]] = [(numbers, None, list(numbers.schema.names))]
    parts += [(plan, known.row, list(known.columns)) for known, plan in tables]
    width = max(len(names) for _, _, names in parts)
    return Union(tuple([_part(number, *part, width) for number, part in enumerate(parts)]))


def _part(number: int, plan: Plan, row: str | None, names: Sequence[str], width: int) -> Plan:
    values: list[Scalar] = [cast(column(plan.schema, name), FLOAT64) for name in names]
    values += [ABSENT] * (width - len(values))
    place = literal(0, INT64) if row is None else column(plan.schema, row)
    named = [("part", literal(number, INT64)), ("row", place)]
    return Project(plan, (*named, *[(str(each), value) for each, value in enumerate(values)]))
