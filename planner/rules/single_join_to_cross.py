"""Scalar subqueries that depend on nothing."""

from __future__ import annotations

from lazyframe.planner.relations import Join, Plan
from lazyframe.planner.relations.values import ONE_ROW
from lazyframe.planner.rules.rule import rule


@rule(Join)
def single_join_to_cross(plan: Join) -> Plan | None:
    """Join single a b  =>  Join cross a (Join single (one row) b), where nothing relates the two sides.

    Sound: every row of a gets the one row of b, or nulls where b has none, and that is a row by itself. So it is a table of one
    row, which can be joined where it is used: `d_month = (select ...)` becomes a key of a join with d alone. That b has two
    rows is an error of the query, which may now be found where a has no row. Not with keys or a condition: which row of b is
    meant depends on that of a.
    """
    if plan.kind != "single" or plan.left_keys or plan.condition is not None or plan.left == ONE_ROW:
        return None
    row = Join(ONE_ROW, plan.right, "single", ordered=plan.ordered)
    return Join(plan.left, row, "cross", ordered=plan.ordered)
