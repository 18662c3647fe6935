"""What the alternatives of a condition over both sides of a join ask of one side."""

from __future__ import annotations

from functools import reduce

from lazyframe.planner.graph import fold, postorder
from lazyframe.planner.predicates import is_total_over, links
from lazyframe.planner.relations import Join, Plan
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.relations.join import DROPS_LEFT, DROPS_RIGHT
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Call, Scalar, conjunction, conjuncts, is_volatile
from lazyframe.planner.schema import Schema
from lazyframe.planner.site import ambient

_MOST = 64
"""Conditions of more alternatives are left alone: what they ask of a side is long, and seldom leaves out much."""


@rule(Join)
def derive_filters_from_alternatives(plan: Plan) -> Plan | None:
    """Join a b if (l1 & r1) | (l2 & r2)  =>  Join (Filter (l1 | l2) a) (Filter (r1 | r2) b) if (l1 & r1) | (l2 & r2).

    Sound: where the condition is true one alternative is, and so is all that it asks of a side; the condition itself stays.
    Only for a side whose rows without partners the join does not give, as of a condition that is about it alone. Only of
    parts that cannot raise, as they are asked for rows that may have no partner.

    Not where an alternative asks nothing of the side: in `(l1 & r1) | r2` every left row may do.
    """
    asked = {
        id(join): parts for join in postorder(plan) if isinstance(join, Join) and (parts := _asked(join)) is not None
    }
    if not asked:
        return None

    def over(current: Plan, children: list[Plan]) -> Plan:
        parts = asked.get(id(current))
        if parts is None:
            return current.with_children(children)
        ambient.site = current.site
        return current.with_children(map(filtered, children, parts))

    return fold(plan, over)


def _asked(join: Join) -> tuple[list[Scalar], list[Scalar]] | None:
    """What the condition of a join asks of each of its sides, in one way or another."""
    if join.condition is None or join.validate != "m:m" or any(map(is_volatile, join.scalars())):
        return None
    left: list[Scalar] = []
    right: list[Scalar] = []
    for part in conjuncts(join.condition):
        if not isinstance(part, Call) or part.function != "or":
            continue
        found = links(part)
        if len(found) > _MOST:
            continue
        if join.kind in DROPS_LEFT and (asked := _common(found, join.left.schema)) is not None:
            left.append(asked)
        if join.kind in DROPS_RIGHT and (asked := _common(found, join.right.schema)) is not None:
            right.append(asked)
    return (left, right) if left or right else None


def _common(found: list[Scalar], side: Schema) -> Scalar | None:
    asked = []
    for each in found:
        own = conjunction([part for part in conjuncts(each) if part.columns and is_total_over(part, side)])
        if own is None:
            return None
        asked.append(own)
    different = list({each.digest: each for each in asked}.values())
    return reduce(lambda a, b: Call("or", (a, b)), different)


__all__ = ["derive_filters_from_alternatives"]
