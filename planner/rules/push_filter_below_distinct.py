"""Filters over distinct rows."""

from __future__ import annotations

from lazyframe.planner.predicates import is_total_over, respects_equality, split
from lazyframe.planner.relations import Distinct, Filter, Plan
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_volatile


@rule(Filter, over=Distinct)
def push_filter_below_distinct(plan: Filter) -> Plan | None:
    """Filter (p & q) (Distinct on s x)  =>  Filter q (Distinct on s (Filter p x)), where p uses columns of s only.

    Sound for every `keep`: p is true for all rows that are equal in s or for none. Not for other columns: of (1, 'a') and
    (1, 'b') the first is kept, and a filter for 'b' leaves nothing; put before it would leave the second. Not where p tells
    equal values apart (`1 / x` of 0.0 and -0.0), nor where it may raise for a row that is a duplicate of none.
    """
    distinct = plan.input
    assert isinstance(distinct, Distinct)
    if is_volatile(plan.predicate):
        return None
    subset = frozenset(distinct.subset)
    pushed, kept = split(plan.predicate, lambda p: is_total_over(p, subset) and respects_equality(p))
    if pushed is None:
        return None
    below = distinct.with_children([Filter(distinct.input, pushed)])
    return below if kept is None else Filter(below, kept)
