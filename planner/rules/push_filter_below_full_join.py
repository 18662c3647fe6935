"""Filters on the coalesced keys of full joins."""

from __future__ import annotations

from collections.abc import Mapping

from lazyframe.planner.graph import replace, rewrite_top_down
from lazyframe.planner.predicates import respects_equality
from lazyframe.planner.relations import Filter, Join, Plan
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Call, Column, Scalar, conjuncts, is_total, is_volatile


@rule(Filter, over=Join)
def push_filter_below_full_join(plan: Filter) -> Plan | None:
    """Filter p(coalesce(x, y)) (Join full a b on x = y)  =>  Join full (Filter p(x) a) (Filter p(y) b) on x = y.

    Sound: a pair has equal keys, so that p is true of both rows or of none; a row without a partner has nulls in place of the
    other key, and is asked by its own. With null keys it is the same: they have no partner, and p is asked of null.

    Not where p uses another column, or one key alone: `x > 1` removes the rows of b without a partner as well. Not where p
    tells equal keys apart (-0.0 and 0.0), may raise or is volatile; nor where partners are counted.
    """
    join = plan.input
    assert isinstance(join, Join)
    if join.kind != "full" or join.validate != "m:m" or is_volatile(plan.predicate):
        return None
    if any(map(is_volatile, join.scalars())):
        return None
    pairs = {
        (a.name, b.name): (a, b)
        for a, b in zip(join.left_keys, join.right_keys, strict=True)
        if isinstance(a, Column) and isinstance(b, Column)
    }
    to_left: list[Scalar] = []
    to_right: list[Scalar] = []
    kept: list[Scalar] = []
    for part in conjuncts(plan.predicate):
        sides = _sides(part, pairs) if is_total(part) else None
        if sides is None:
            kept.append(part)
        else:
            to_left.append(sides[0])
            to_right.append(sides[1])
    if not to_left:
        return None
    below = replace(join, left=filtered(join.left, to_left), right=filtered(join.right, to_right))
    return filtered(below, kept)


def _sides(part: Scalar, pairs: Mapping[tuple[str, str], tuple[Column, Column]]) -> tuple[Scalar, Scalar] | None:
    """A condition on coalesced keys as one on the keys of each side; None where it is about anything else."""
    if len(part.columns) < 2:
        return None
    left, right = _with_keys(part, pairs, 0), _with_keys(part, pairs, 1)
    if not left.columns <= {a.name for a, _ in pairs.values()} or not right.columns <= {
        b.name for _, b in pairs.values()
    }:
        return None
    return (left, right) if respects_equality(left) and respects_equality(right) else None


def _with_keys(part: Scalar, pairs: Mapping[tuple[str, str], tuple[Column, Column]], side: int) -> Scalar:
    def step(current: Scalar) -> Scalar | None:
        match current:
            case Call(function="coalesce", args=(Column(name=x), Column(name=y))) if (x, y) in pairs:
                return pairs[x, y][side]
            case Call(function="coalesce", args=(Column(name=y), Column(name=x))) if (x, y) in pairs:
                return pairs[x, y][side]
        return None

    return rewrite_top_down(part, step)
