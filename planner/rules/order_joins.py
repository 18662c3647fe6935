"""In which order relations are joined."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from lazyframe.planner.graph import postorder, unified
from lazyframe.planner.relations import Join, Plan, Project
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Column
from lazyframe.planner.site import ambient

if TYPE_CHECKING:
    from lazyframe.planner.join_order.reading import JoinTree

_FEWEST = 3
"""Two relations have one order: which of them the table is built on is decided where that is done."""

_MOST = 100
"""More relations are joined as they are written: comparing all pairs of groups at each step would take too long."""


@rule(Plan)
def order_joins(plan: Plan) -> Plan | None:
    """Join (Join a b) c  =>  Join a (Join b c), and so any tree of joins whose rows may come in any order.

    Sound: a tree of inner joins gives all combinations of rows for which all keys are equal and all conditions true, in
    whatever order these are asked. What uses one relation alone is asked there, equalities become keys and so does what
    follows from them (a = b and b = c make a = c), and other conditions are asked as soon as their columns are there. Left,
    semi, anti and mark joins take part as far as `planner/join_order/conflicts.py` says. Not through a full join, or one
    that counts partners, matches nulls or keeps the order of its left side: (a left b) inner c on b.x = c.x is not
    a left (b inner c), which keeps all of a. Not where a condition may raise, as in `b.x <> 0 and a.y // b.x > 1`, where
    one may guard another.

    The tree is the cheapest by the estimates of all where that is quick to find, else of some (`planner/join_order/search.py`).
    """
    order = postorder(plan)
    if not any(isinstance(current, Join) for current in order):
        return None
    # Most plans of small questions have no joins, and do not load what orders them.
    from lazyframe.planner.join_order.reading import is_reorderable, joined_below

    users = Counter([id(child) for current in order for child in current.children()])
    inside: set[int] = set()
    trees: dict[int, JoinTree] = {}
    for current in reversed(order):
        if id(current) in inside or not is_reorderable(current):
            continue
        assert isinstance(current, Join)
        tree = joined_below(current, lambda below: users[id(below)] > 1)
        inside.update(map(id, tree.inside))
        if _FEWEST <= len(tree.relations) <= _MOST:
            trees[id(current)] = tree
    if not trees:
        return None
    made: dict[int, Plan] = {}
    for current in order:
        whole = trees.get(id(current))
        ordered = None if whole is None else _ordered(whole, made)
        if ordered is None:
            ordered = current.with_children([made[id(child)] for child in current.children()])
        made[id(current)] = ordered
    before, result = unified([plan, made[id(plan)]])
    return None if result is before else result


def _ordered(tree: JoinTree, made: dict[int, Plan]) -> Plan | None:
    """The joins of a tree in the best order; None where they stay as they are."""
    from lazyframe.planner.join_order.building import built
    from lazyframe.planner.join_order.reading import read
    from lazyframe.planner.join_order.search import best_tree

    ambient.site = tree.root.site
    graph = read(tree, made)
    if graph is None:
        return None
    found = best_tree(graph)
    if found is None:
        return None
    plan = built(graph, found)
    if plan.schema == tree.root.schema and all([old == new for old, new in graph.names.items()]):
        return plan
    # What was inside may have called a column nullable that is not.
    exprs = [(name, Column(graph.names[name], dtype, nullable)) for name, dtype, nullable in tree.root.schema]
    return Project(plan, tuple(exprs))


__all__ = ["order_joins"]
