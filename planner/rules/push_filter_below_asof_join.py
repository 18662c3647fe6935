"""Filters over asof joins."""

from __future__ import annotations

from lazyframe.planner.predicates import is_total_over, split
from lazyframe.planner.relations import AsofJoin, Filter, Plan
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_volatile


@rule(Filter, over=AsofJoin)
def push_filter_below_asof_join(plan: Filter) -> Plan | None:
    """Filter (l & p) (AsofJoin a b)  =>  Filter p (AsofJoin (Filter l a) b), where l uses columns of the left side only.

    Sound: each left row finds its partner by itself. Not for the right side: without the row that is nearest, the next
    nearest would be found. Only parts that cannot raise, as an inner join may remove the rows for which they would.
    """
    join = plan.input
    assert isinstance(join, AsofJoin)
    if is_volatile(plan.predicate) or any(map(is_volatile, join.scalars())):
        return None
    left = join.left.schema
    pushed, kept = split(plan.predicate, lambda part: is_total_over(part, left))
    if pushed is None:
        return None
    below = join.with_children([Filter(join.left, pushed), join.right])
    return below if kept is None else Filter(below, kept)
