"""Filters by a constant."""

from __future__ import annotations

from lazyframe.planner.relations import Filter, Limit, Plan
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Literal


@rule(Filter)
def simplify_filter(plan: Filter) -> Plan | None:
    """Filter true x  =>  x;  Filter false x  =>  Limit 0 x, and so with null.

    Sound: a filter keeps the rows for which the predicate is true. `p & null` is no such constant: where p is false it is
    false, and under a `not` that makes a difference.
    """
    if not isinstance(plan.predicate, Literal):
        return None
    return plan.input if plan.predicate.value.as_py() is True else Limit(plan.input, 0)
