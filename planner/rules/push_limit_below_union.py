"""Limits over unions."""

from __future__ import annotations

from lazyframe.planner.properties import has_at_most
from lazyframe.planner.relations import Limit, Plan, Union
from lazyframe.planner.rules.rule import rule


@rule(Limit, over=Union)
def push_limit_below_union(plan: Limit) -> Plan | None:
    """Limit c after o (Union a b)  =>  Limit c after o (Union (Limit c + o a) (Limit c + o b)).

    Sound: the first c + o rows of all hold no more than the first c + o of each. The limit above stays: two inputs may have
    that many each. Not for inputs that have so few rows as it is, nor without a count.
    """
    union = plan.input
    assert isinstance(union, Union)
    if plan.count is None:
        return None
    most = plan.count + plan.offset
    limited = [child if has_at_most(child, most) else Limit(child, most) for child in union.inputs]
    below = union.with_children(limited)
    return None if below is union else plan.with_children([below])
