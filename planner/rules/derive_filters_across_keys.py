"""What is known of one side of a join, asked of the other side too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lazyframe.planner.graph import fold, postorder
from lazyframe.planner.properties.conditions import Conditions, conditions, derived
from lazyframe.planner.relations import Join, Plan
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Scalar, is_volatile


@rule(Join)
def derive_filters_across_keys(plan: Plan) -> Plan | None:
    """Join (Filter p(x) a) b on x = y  =>  Join (Filter p(x) a) (Filter p(y) b) on x = y, and so through any chain of keys.

    Sound: a row of b for which p(y) is not true is equal to no row of a, since p is true of all of those; it has no partner.
    So only towards a side whose rows without partners the join does not give: of a left, anti or mark join from the left side
    to the right one, of a right join from the right to the left, of a full join not at all. Keys that are equal are one
    value, but for -0.0 and 0.0: p must not tell them apart. Each condition is about one column, can raise no error, and is
    not known of the other side already.

    Not where null keys match a p that null meets: `x is null` goes with them, and is no condition of another key. Not where
    partners are counted: rows that are too many would go unseen.
    """
    order = postorder(plan)
    joins = [current for current in order if isinstance(current, Join) and current.left_keys]
    if not any([conditions(join.left) or conditions(join.right) for join in joins]):
        return None
    users = Counter([id(child) for current in order for child in current.children()])
    given: dict[int, list[Scalar]] = {}
    """What is asked of all rows of an inner join, besides what is known of them."""
    asked: dict[int, tuple[list[Scalar], list[Scalar]]] = {}
    """What a join asks of each of its sides."""
    for join in reversed(joins):
        if any(map(is_volatile, join.scalars())):
            continue
        from_above = given.get(id(join), [])
        of_left = [part for part in from_above if join.left.schema.covers(part.columns)]
        of_right = [part for part in from_above if join.right.schema.covers(part.columns)]
        to_left, to_right = derived(
            join, _with(conditions(join.left), of_left), _with(conditions(join.right), of_right)
        )
        to_left, to_right = of_left + to_left, of_right + to_right
        for side, parts in ((join.left, to_left), (join.right, to_right)):
            if parts and isinstance(side, Join) and side.kind == "inner" and users[id(side)] == 1:
                given.setdefault(id(side), []).extend(parts)
                parts.clear()
        if to_left or to_right:
            asked[id(join)] = (to_left, to_right)
    if not asked:
        return None

    def over(current: Plan, children: list[Plan]) -> Plan:
        parts = asked.get(id(current))
        return current.with_children(children if parts is None else map(filtered, children, parts))

    return fold(plan, over)


def _with(known: Conditions, parts: Sequence[Scalar]) -> Conditions:
    return {**known, **{part.digest: part for part in parts}} if parts else known
