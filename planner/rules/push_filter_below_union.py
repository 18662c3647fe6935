"""Filters over unions."""

from __future__ import annotations

from lazyframe.planner.relations import Filter, Plan, Union
from lazyframe.planner.relations.project import column
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_volatile, substitute


@rule(Filter, over=Union)
def push_filter_below_union(plan: Filter) -> Plan | None:
    """Filter p (Union a b)  =>  Union (Filter p a) (Filter p b).

    Sound: a union removes no rows and keeps their order. Not where p is volatile: it would be asked anew for each input.
    """
    union = plan.input
    assert isinstance(union, Union)
    if is_volatile(plan.predicate):
        return None
    filtered = []
    for child in union.inputs:
        columns = {name: column(child.schema, name) for name in plan.predicate.columns}
        filtered.append(Filter(child, substitute(plan.predicate, columns)))
    return union.with_children(filtered)
