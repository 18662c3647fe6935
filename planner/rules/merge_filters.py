"""Filters over filters."""

from __future__ import annotations

from lazyframe.planner.predicates import both, split
from lazyframe.planner.relations import Filter, Plan
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_total, is_volatile


@rule(Filter, over=Filter)
def merge_filters(plan: Filter) -> Plan | None:
    """Filter p (Filter q x)  =>  Filter (q & p) x.

    Sound: AND is true only where both are. Only for the parts of p that cannot raise: in `filter(y != 0).filter(x // y > 1)`
    the first guards the second. Not where one is volatile: `random()` would be asked for other rows.
    """
    inner = plan.input
    assert isinstance(inner, Filter)
    if is_volatile(plan.predicate) or is_volatile(inner.predicate):
        return None
    merged, kept = split(plan.predicate, is_total)
    if merged is None:
        return None
    below = Filter(inner.input, both(inner.predicate, merged))
    return below if kept is None else Filter(below, kept)
