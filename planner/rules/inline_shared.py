"""Shared rows that need not be kept."""

from __future__ import annotations

from collections import Counter

from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Plan, Project, Recursion, Scan, Shared, Values
from lazyframe.planner.relations.shared import holds_volatile
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Column

_DEPTH = 8


@rule(Shared)
def inline_shared(plan: Plan) -> Plan | None:
    """Shared x  =>  x, where it is read once, or where x is a scan or some columns of one.

    Sound: with one reader there is nobody to share with. A scan gives the same rows each time, and to read it again with the
    filters and columns of each reader costs less than to keep all of it. Not where x is volatile and stands in a recursion,
    whose step is one reader but reads in each round.
    """
    order = postorder(plan)
    if not any([isinstance(current, Shared) for current in order]):
        return None
    readers = Counter([id(child) for current in order for child in current.children()])
    in_rounds = any([isinstance(current, Recursion) for current in order])
    built: dict[int, Plan] = {}
    for current in order:
        children = [built[id(child)] for child in current.children()]
        rebuilt = current.with_children(children) if children else current
        if isinstance(current, Shared):
            (below,) = children
            alone = readers[id(current)] <= 1 and not (in_rounds and holds_volatile(below))
            if alone or _is_part_of_scan(below):
                rebuilt = below
        built[id(current)] = rebuilt
    result = built[id(plan)]
    return None if result is plan else result


def _is_part_of_scan(plan: Plan) -> bool:
    for _ in range(_DEPTH):
        match plan:
            case Scan(predicate=None) | Values():
                return True
            case Project(exprs=exprs) if all([isinstance(scalar, Column) for _, scalar in exprs]):
                plan = plan.input
            case _:
                return False
    return False
