"""Filters over set operations."""

from __future__ import annotations

from lazyframe.planner.predicates import respects_equality, split
from lazyframe.planner.relations import Filter, Plan, SetOperation
from lazyframe.planner.relations.project import column
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_total, is_volatile, substitute


@rule(Filter, over=SetOperation)
def push_filter_below_set_operation(plan: Filter) -> Plan | None:
    """Filter p (a intersect b)  =>  (Filter p a) intersect (Filter p b), and so with except.

    Sound: rows that are equal satisfy p together, so that the filter removes them from both sides or from none; counts of
    duplicates stay. Not where p tells equal rows apart (`1 / x` of 0.0 and -0.0), nor where it may raise: the other side may
    have removed the row, or hold rows that never came out.
    """
    operation = plan.input
    assert isinstance(operation, SetOperation)
    if is_volatile(plan.predicate):
        return None
    pushed, kept = split(plan.predicate, lambda p: is_total(p) and respects_equality(p))
    if pushed is None:
        return None
    columns = {name: column(operation.right.schema, name) for name in pushed.columns}
    below = operation.with_children(
        [Filter(operation.left, pushed), Filter(operation.right, substitute(pushed, columns))]
    )
    return below if kept is None else Filter(below, kept)
