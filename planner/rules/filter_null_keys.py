"""Null keys, which match nothing, kept out of outer joins that fill them in."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.properties import rejects
from lazyframe.planner.relations import Join, Plan
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.relations.join import DROPS_LEFT, DROPS_RIGHT
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Call, Scalar, is_total, is_volatile

_OUTER = frozenset(["left", "right", "full"])


@rule(Join)
def filter_null_keys(plan: Join) -> Plan | None:
    """Join a b on k = l  =>  Join (Filter (k is not null) a) b on k = l, where a is an outer join that fills k with nulls.

    So with the right side. Sound: a null key has no partner, so that the row is one that the join does not give. With the
    filter the outer join can become an inner one, whose sides may be joined in another order. Not for a side whose rows
    without partners come out, as the left one of a left join; nor where null keys match, or partners are counted.
    """
    if plan.nulls_equal or plan.validate != "m:m" or not plan.left_keys:
        return None
    left = _is_outer(plan.left) and plan.kind in DROPS_LEFT
    right = _is_outer(plan.right) and plan.kind in DROPS_RIGHT
    if not (left or right):
        return None
    to_left = _not_null(plan.left, plan.left_keys) if left else []
    to_right = _not_null(plan.right, plan.right_keys) if right else []
    if not (to_left or to_right):
        return None
    return replace(plan, left=filtered(plan.left, to_left), right=filtered(plan.right, to_right))


def _is_outer(plan: Plan) -> bool:
    return isinstance(plan, Join) and plan.kind in _OUTER


def _not_null(side: Plan, keys: tuple[Scalar, ...]) -> list[Scalar]:
    """What keeps null keys out, where the outer join `side` would otherwise have filled them in."""
    assert isinstance(side, Join)
    filled = []
    if side.kind != "right":
        filled.append(side.right.schema.names)
    if side.kind != "left":
        filled.append(side.left.schema.names)
    found: list[Scalar] = []
    for key in keys:
        if not is_total(key) or is_volatile(key):
            continue
        part = Call("is_not_null", (key,))
        if any([rejects(part, names) for names in filled]):
            found.append(part)
    return found
