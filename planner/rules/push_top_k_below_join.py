"""The first rows of an order by columns of the left side of a join."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.properties import has_at_most, keeps_left_rows
from lazyframe.planner.relations import AsofJoin, Join, Plan, TopK
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_volatile


@rule(TopK, over=(Join, AsofJoin))
def push_top_k_below_join(plan: TopK) -> Plan | None:
    """TopK c after o by k (Join left a b)  =>  TopK c after o by k (Join left (TopK c + o by k a) b), where k uses a only.

    So with a mark, a single and an asof join. Sound: each row of a gives one row at least, all with its values of k, so that
    the first c + o rows come from the first c + o of a; rows with equal keys keep their order in both. The outer TopK stays,
    as a row may have several partners.

    Not where k uses a column of b, which only the join gives; not for an inner or a semi join, whose first row may come from
    the last of a; nor where partners are counted, or something is volatile.
    """
    join = plan.input
    assert isinstance(join, Join | AsofJoin)
    most = plan.count + plan.offset
    if not keeps_left_rows(join) or has_at_most(join.left, most):
        return None
    if not all([join.left.schema.covers(key.columns) and not is_volatile(key) for key in plan.keys]):
        return None
    return plan.with_children([replace(join, left=TopK(join.left, plan.keys, most))])
