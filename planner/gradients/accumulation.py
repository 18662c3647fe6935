"""What reaches the same row from several places is summed."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.planner.bind import aggregate_call
from lazyframe.planner.gradients.segments import Cotangent
from lazyframe.planner.gradients.terms import ABSENT
from lazyframe.planner.relations import Aggregate, Plan, Union
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import cast
from lazyframe.planner.types import FLOAT64

Names = Sequence[tuple[str, str]]
"""The names of new columns, each with that of the source's column which it is of."""


def accumulated(cotangents: Sequence[Cotangent], keys: Names, adjoints: Names) -> Plan:
    """A row for each row of a source that anything reaches, with the sums of what reaches its columns.

    Args:
        cotangents: what reaches the source, for each place where its rows are used.
        keys: by which its rows are told apart.
        adjoints: the columns for which the sums are wanted.
    """
    parts: list[Plan] = []
    for each in cotangents:
        by = [(new, column(each.rows.schema, each.names[own])) for new, own in keys]
        sums = [(new, aggregate_call("sum", [cast(each.of.get(own, ABSENT), FLOAT64)])) for new, own in adjoints]
        parts.append(Aggregate(each.rows, tuple(by), tuple(sums)))
    if len(parts) == 1:
        return parts[0]
    united = Union(tuple(parts))
    by = [(new, column(united.schema, new)) for new, _ in keys]
    sums = [(new, aggregate_call("sum", [column(united.schema, new)])) for new, _ in adjoints]
    return Aggregate(united, tuple(by), tuple(sums))
