"""The first rows of each partition."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.planner.bind import call
from lazyframe.planner.build.windows import window_call
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Filter, Plan, Window
from lazyframe.planner.relations.project import choose
from lazyframe.planner.scalars import Column, Scalar
from lazyframe.planner.schema import Fresh


def first_of_each(
    plan: Plan,
    partition: Sequence[Scalar],
    order: Sequence[Scalar],
    count: int | None,
    offset: int,
    fresh: Fresh,
) -> Plan:
    """What LIMIT and OFFSET leave of each partition, in an order or as the rows come."""
    number = fresh("number")
    numbered = Window(plan, ((number, window_call("row_number", [], partition, order)),))
    place = Column(number, numbered.schema[number], False)
    predicate = call("greater", place, literal(offset))
    if count is not None:
        predicate = call("and", predicate, call("less_equal", place, literal(offset + count)))
    return choose(Filter(numbered, predicate), plan.schema.names)


__all__ = ["first_of_each"]
