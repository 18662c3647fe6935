"""Filters over window functions."""

from __future__ import annotations

from lazyframe.planner.predicates import is_total_over, respects_equality, split
from lazyframe.planner.relations import Filter, PartitionTopK, Plan, Window
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Column, WindowCall, is_volatile


@rule(Filter, over=(Window, PartitionTopK))
def push_filter_below_window(plan: Filter) -> Plan | None:
    """Filter (p & q) (Window w x)  =>  Filter q (Window w (Filter p x)), where p uses columns by which all of w are partitioned.

    And so with the one call of a PartitionTopK.

    Sound: p is true for all rows of a partition or for none, so that whole partitions go and the others keep all their
    rows. Not for other columns: `lag(v)` of a row is the value of the row before it, which a filter put before would take
    away. Not where p tells equal keys apart (`1 / k` of 0.0 and -0.0), nor where it may raise or is volatile.
    """
    window = plan.input
    assert isinstance(window, Window | PartitionTopK)
    calls = window.scalars()
    if is_volatile(plan.predicate) or any(map(is_volatile, calls)):
        return None
    shared: frozenset[str] | None = None
    for call in calls:
        assert isinstance(call, WindowCall)
        names = frozenset([key.name for key in call.partition if isinstance(key, Column)])
        shared = names if shared is None else shared & names
    if not shared:
        return None
    keys = shared
    # A predicate of no columns is one that nothing decided; it is no business of partitions.
    pushed, kept = split(plan.predicate, lambda p: bool(p.columns) and is_total_over(p, keys) and respects_equality(p))
    if pushed is None:
        return None
    below = window.with_children([Filter(window.input, pushed)])
    return below if kept is None else Filter(below, kept)
