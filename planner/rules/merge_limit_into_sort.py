"""The first rows of a sort."""

from __future__ import annotations

from lazyframe.planner.relations import Limit, Plan, Sort, TopK
from lazyframe.planner.rules.merge_limits import remaining
from lazyframe.planner.rules.rule import rule


@rule(Limit, over=(Sort, TopK))
def merge_limit_into_sort(plan: Limit) -> Plan | None:
    """Limit c after o (Sort k x)  =>  TopK c after o by k x, and of a TopK a smaller one.

    Sound: a TopK is the first rows of a stable sort, ties included. Not for a limit without a count, `slice(3)`: all rows
    but a few must be sorted anyway. Nor for one of no rows, which runs nothing.
    """
    if plan.count == 0:
        return None
    match plan.input:
        case Sort(input=below, keys=keys) if plan.count is not None:
            return TopK(below, keys, plan.count, plan.offset)
        case TopK(input=below, keys=keys, count=count, offset=offset):
            left = remaining(count, plan)
            assert left is not None
            return TopK(below, keys, left, offset + plan.offset)
    return None
