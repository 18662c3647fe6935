"""Conditions of joins that are no business of both sides."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.predicates import is_total_over, key_pair_between
from lazyframe.planner.relations import Join, Plan
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.relations.join import DROPS_LEFT, DROPS_RIGHT
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Scalar, conjunction, conjuncts, is_total, is_volatile


@rule(Join)
def push_condition_below_join(plan: Join) -> Plan | None:
    """Join a b if l & r & k & c  =>  Join (Filter l a) (Filter r b) with key k if c.

    Sound: a row for which l (or r) is not true has no partner, as a row that is not there has none. So only for a side
    whose rows without partners the join does not give: an ON condition on the left side of a left join does not filter it.
    An equality of the two sides may be a key of any join. Only parts that cannot raise: others may be guarded by the keys.
    Not where the join validates how many partners there are, or where its null keys match.
    """
    if plan.condition is None or plan.validate != "m:m" or any(map(is_volatile, plan.scalars())):
        return None
    to_left: list[Scalar] = []
    to_right: list[Scalar] = []
    keys: list[tuple[Scalar, Scalar]] = []
    kept: list[Scalar] = []
    left, right = plan.left.schema, plan.right.schema
    for part in conjuncts(plan.condition):
        if plan.kind in DROPS_LEFT and part.columns and is_total_over(part, left):
            to_left.append(part)
        elif plan.kind in DROPS_RIGHT and is_total_over(part, right):
            to_right.append(part)
        elif not plan.nulls_equal and is_total(part) and (pair := key_pair_between(part, left, right)) is not None:
            known = zip(plan.left_keys, plan.right_keys, strict=True)
            if not any(a == pair.left and b == pair.right for a, b in known):
                keys.append((pair.left, pair.right))
            if not pair.exact:
                kept.append(part)
        else:
            kept.append(part)
    if not (to_left or to_right or keys):
        return None
    return replace(
        plan,
        left=filtered(plan.left, to_left),
        right=filtered(plan.right, to_right),
        left_keys=(*plan.left_keys, *[a for a, _ in keys]),
        right_keys=(*plan.right_keys, *[b for _, b in keys]),
        condition=conjunction(kept),
    )
