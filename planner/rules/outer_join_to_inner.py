"""Outer joins above which nothing is left of the rows that they fill with nulls."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.properties import rejects
from lazyframe.planner.relations import Filter, Join, Plan
from lazyframe.planner.relations.project import choose, column, widened
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import substitute

_KEEPS = {"left": (True, False), "right": (False, True), "full": (True, True), "inner": (False, False)}
"""Whether a join keeps rows without a partner of its left and of its right side; the other side is filled with nulls."""

_KINDS = {kept: kind for kind, kept in _KEEPS.items()}


@rule(Filter, over=Join)
def outer_join_to_inner(plan: Filter) -> Plan | None:
    """Filter p (Join left a b)  =>  Filter p (Join inner a b), where p is true of no row in which all of b is null.

    So with a right join and its left side; a full join becomes a left or a right one, or both an inner one. Sound: the rows
    without a partner are the ones that the filter removes, and the others come in the same order. A right join has the order
    of its right side, which becomes the left one of an inner join; a full join has that of its left side, and does not become
    a right one where order counts.

    Not where p may be true of nulls: `b.x is null`, `coalesce(b.x, 0) = 0`, `b.x = 1 or a.y = 2`. `not (b.x is null)`,
    `b.x > 1 and a.y = 2` and `coalesce(b.x, 0) > 0` remove them.
    """
    join = plan.input
    assert isinstance(join, Join)
    if join.kind == "inner" or join.kind not in _KEEPS:
        return None
    keeps_left, keeps_right = _KEEPS[join.kind]
    kind = _KINDS[
        keeps_left and not rejects(plan.predicate, join.right.schema.names),
        keeps_right and not rejects(plan.predicate, join.left.schema.names),
    ]
    if kind == join.kind or (kind == "right" and join.ordered):
        return None
    if join.kind == "right" and join.ordered and join.validate != "m:m":
        return None
    return plan.with_children([_as(join, kind)])


def _as(join: Join, kind: str) -> Plan:
    """The join as one of another kind, of the same schema."""
    (left_before, right_before), (left_after, right_after) = _KEEPS[join.kind], _KEEPS[kind]
    left = widened(join.left) if right_before and not right_after else join.left
    right = widened(join.right) if left_before and not left_after else join.right
    names = {
        name: column(new.schema, name)
        for old, new in ((join.left, left), (join.right, right))
        if new is not old
        for name in new.schema.names
    }
    changed = replace(
        join,
        left=left,
        right=right,
        kind=kind,
        left_keys=tuple([substitute(key, names) for key in join.left_keys]),
        right_keys=tuple([substitute(key, names) for key in join.right_keys]),
        condition=None if join.condition is None else substitute(join.condition, names),
    )
    if join.kind != "right" or not join.ordered:
        return changed
    swapped = replace(changed, left=right, right=left, left_keys=changed.right_keys, right_keys=changed.left_keys)
    return choose(swapped, join.schema.names)
