"""Filters over joins."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.predicates import both, is_total_over, key_pair_between
from lazyframe.planner.relations import Filter, Join, Plan
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Scalar, conjunction, conjuncts, is_total, is_volatile

_LEFT = frozenset(["inner", "cross", "left", "semi", "anti", "mark", "single"])
_RIGHT = frozenset(["inner", "cross", "right"])
_PAIRS = frozenset(["inner", "cross"])


@rule(Filter, over=Join)
def push_filter_below_join(plan: Filter) -> Plan | None:
    """Filter (l & r & k & c) (Join a b)  =>  Join (Filter l a) (Filter r b) with key k and condition c.

    A part l that uses columns of the left side only goes to that side, one of the right side only to the right; of an inner
    or cross join an equality of the two sides becomes a key, and another part that uses both a condition. Sound: a row of a
    side that is removed before gives no pairs, and these are what the filter removes after.

    The sides that may be filtered are those that are not filled with nulls: a part on the nullable side of an outer join
    would let rows through with nulls that it removes above; and a part on the mark of a mark join stays above it. Only parts
    that cannot raise: the join may remove the rows for which they would. Not where the join validates how many partners
    there are: it would see fewer.
    """
    join = plan.input
    assert isinstance(join, Join)
    if join.kind == "full" or join.validate != "m:m" or is_volatile(plan.predicate):
        return None
    if any(is_volatile(scalar) for scalar in join.scalars()):
        return None
    to_left: list[Scalar] = []
    to_right: list[Scalar] = []
    keys: list[tuple[Scalar, Scalar]] = []
    conditions: list[Scalar] = []
    kept: list[Scalar] = []
    left, right = join.left.schema, join.right.schema
    for part in conjuncts(plan.predicate):
        if join.kind in _LEFT and is_total_over(part, left):
            to_left.append(part)
        elif join.kind in _RIGHT and is_total_over(part, right):
            to_right.append(part)
        elif join.kind not in _PAIRS or not is_total(part):
            kept.append(part)
        elif not join.nulls_equal and (pair := key_pair_between(part, left, right)) is not None:
            keys.append((pair.left, pair.right))
            if not pair.exact:
                conditions.append(part)
        else:
            conditions.append(part)
    if not (to_left or to_right or keys or conditions):
        return None
    changes: dict[str, object] = {"left": filtered(join.left, to_left), "right": filtered(join.right, to_right)}
    if keys or conditions:
        changes["kind"] = "inner"
        changes["left_keys"] = (*join.left_keys, *[a for a, _ in keys])
        changes["right_keys"] = (*join.right_keys, *[b for _, b in keys])
    if (condition := conjunction(conditions)) is not None:
        changes["condition"] = both(join.condition, condition)
    below = replace(join, **changes)
    return filtered(below, kept)
