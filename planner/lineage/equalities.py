"""Which conditions are keys of joins, wherever they are written: `FROM a, b WHERE a.k = b.k` joins by a key as JOIN does."""

from __future__ import annotations

from collections.abc import Mapping

from lazyframe.planner.properties import has_at_most_one_row
from lazyframe.planner.relations import Filter, Join, Plan, Project
from lazyframe.planner.scalars import Call, Column, Scalar

_EQUAL = ("equal", "equal_missing")
_KEEPS_LEFT = ("semi", "anti", "mark", "single", "left")


def over_joins(plan: Plan, below: list[bool]) -> bool:
    """Whether columns of several relations come through a node: a step of `fold`."""
    return isinstance(plan, Join) or (isinstance(plan, (Project, Filter)) and below[0])


def relations(plan: Plan, joins: Mapping[int, bool]) -> dict[str, int]:
    """The columns of a tree of joins, each with the number of the relation that it comes from.

    Those that are computed above a join, or filled in by one, are left out, as are the values of a single row.

    Args:
        plan: the tree.
        joins: what `over_joins` says of each node, by its id.
    """
    found: dict[str, int] = {}
    count = 0
    stack: list[tuple[Plan, dict[str, list[str]]]] = [(plan, {name: [name] for name in plan.schema.names})]
    while stack:
        current, names = stack.pop()
        if has_at_most_one_row(current):
            # Its values are constants, as those of a scalar subquery are.
            continue
        match current:
            case Filter():
                stack.append((current.input, names))
            case Project(exprs=exprs) if joins[id(current)]:
                below: dict[str, list[str]] = {}
                for name, scalar in exprs:
                    if name in names and isinstance(scalar, Column):
                        below.setdefault(scalar.name, []).extend(names[name])
                stack.append((current.input, below))
            case Join(kind="inner" | "cross"):
                stack += [(side, {n: t for n, t in names.items() if n in side.schema}) for side in current.children()]
            case Join(left=left, kind=kind) if kind in _KEEPS_LEFT:
                stack.append((left, {n: t for n, t in names.items() if n in left.schema}))
            case _:
                found.update({top: count for tops in names.values() for top in tops})
                count += 1
    return found


def is_join_key(part: Scalar, of: Mapping[str, int]) -> bool:
    """Whether a condition says that values of one relation equal those of another."""
    if not isinstance(part, Call) or part.function not in _EQUAL:
        return False
    sides = []
    for arg in part.args:
        if not arg.columns or not all([name in of for name in arg.columns]):
            return False
        sides.append({of[name] for name in arg.columns})
    return sides[0].isdisjoint(sides[1])


__all__ = ["is_join_key", "over_joins", "relations"]
