"""Filters over sorts."""

from __future__ import annotations

from lazyframe.planner.relations import Filter, Plan, Reverse, Sort
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_volatile


@rule(Filter, over=(Sort, Reverse))
def push_filter_below_sort(plan: Filter) -> Plan | None:
    """Filter p (Sort x)  =>  Sort (Filter p x), and so with Reverse.

    Sound: a sort removes no rows, and the rows that are left keep their order. Not below a TopK or a limit, which choose
    rows: with k from 1 to 5, `sort(k).head(3).filter(k > 2)` is the one row 3. Not where something is volatile: other rows
    would draw other numbers.
    """
    ordered = plan.input
    if is_volatile(plan.predicate) or any(is_volatile(scalar) for scalar in ordered.scalars()):
        return None
    (below,) = ordered.children()
    return ordered.with_children([Filter(below, plan.predicate)])
