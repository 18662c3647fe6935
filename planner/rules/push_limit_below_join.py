"""Limits over joins that keep each row of their left side."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.properties import gives_left_rows_once, has_at_most, keeps_left_rows
from lazyframe.planner.relations import AsofJoin, Join, Limit, Plan
from lazyframe.planner.rules.rule import rule


@rule(Limit, over=(Join, AsofJoin))
def push_limit_below_join(plan: Limit) -> Plan | None:
    """Limit c after o (Join left a b)  =>  Join left (Limit c after o a) b, where a row of a has one partner at most.

    So with a mark, a single and an asof join, which give one row for each of a. Where there may be more partners, the limit
    stays and a smaller one goes below it: Limit c after o (Join left (Limit c + o a) b), as each row of a gives one at least.

    Sound: the rows come in the order of the left side. Not for an inner or a semi join, whose first row may come from the
    last of a; nor for a right or a full one, nor where partners are counted, or something is volatile.
    """
    join = plan.input
    assert isinstance(join, Join | AsofJoin)
    if not keeps_left_rows(join):
        return None
    if gives_left_rows_once(join):
        return replace(join, left=replace(plan, input=join.left))
    if plan.count is None or has_at_most(join.left, plan.count + plan.offset):
        return None
    return plan.with_children([replace(join, left=Limit(join.left, plan.count + plan.offset))])
