"""Filters over groups."""

from __future__ import annotations

from lazyframe.planner.predicates import is_total_over, respects_equality, split, substituted
from lazyframe.planner.relations import Aggregate, Filter, Plan
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_volatile


@rule(Filter, over=Aggregate)
def push_filter_below_aggregate(plan: Filter) -> Plan | None:
    """Filter (p & q) (Aggregate by k x)  =>  Filter q (Aggregate by k (Filter p[k] x)), where p uses keys only.

    Sound: p is true for all rows of a group or for none, so that whole groups go and the others keep all their rows. Not
    without keys: `select count(*) having false` is no row, and the count of no rows is one row. Not where p tells equal
    keys apart: `1 / k > 0` of the keys 0.0 and -0.0, which are one group. Not where p may raise: it would be asked for rows
    that gave no group.
    """
    grouped = plan.input
    assert isinstance(grouped, Aggregate)
    if not grouped.keys or is_volatile(plan.predicate) or any(is_volatile(scalar) for scalar in grouped.scalars()):
        return None
    keys = dict(grouped.keys)
    pushed, kept = split(plan.predicate, lambda p: is_total_over(p, keys) and respects_equality(p))
    predicate = None if pushed is None else substituted(pushed, keys)
    if predicate is None:
        return None
    below = grouped.with_children([Filter(grouped.input, predicate)])
    return below if kept is None else Filter(below, kept)
