"""In which order relations are joined."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from lazyframe.planner.graph import postorder, unified
from lazyframe.planner.join_graph import Group, JoinGraph, is_reorderable, taken_apart
from lazyframe.planner.relations import Join, Plan
from lazyframe.planner.relations.project import choose
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.site import ambient

_FEWEST = 3
"""Two relations have one order: which of them the table is built on is decided where that is done."""

_MOST = 100
"""More relations are joined as they are written: comparing all pairs of groups at each step would take too long."""


@rule(Plan)
def order_joins(plan: Plan) -> Plan | None:
    """Join (Join a b) c  =>  Join a (Join b c), and so any tree of inner joins whose rows may come in any order.

    Sound: such a tree gives all combinations of rows for which all keys are equal and all conditions true, in whatever
    order these are asked. What uses one relation alone is asked there, equalities become keys, and other conditions are
    asked as soon as their columns are there. Not through a join that fills with nulls, counts partners or keeps the order
    of its left side; not where a condition may raise, as in `b.x <> 0 and a.y // b.x > 1`, where one may guard another.

    The order is greedy: of all pairs of groups, those that an equality connects before those of which all pairs would be
    made, the two are joined whose result has the fewest rows by the estimates.
    """
    order = postorder(plan)
    users = Counter([id(child) for current in order for child in current.children()])
    inside: set[int] = set()
    trees: dict[int, tuple[list[Plan], list[tuple[Scalar, Scalar]], list[Scalar]]] = {}
    for current in reversed(order):
        if id(current) in inside or not is_reorderable(current):
            continue
        assert isinstance(current, Join)
        relations, joins, keys, parts = taken_apart(current, lambda below: users[id(below)] > 1)
        inside.update([id(join) for join in joins])
        if _FEWEST <= len(relations) <= _MOST:
            trees[id(current)] = (relations, keys, parts)
    if not trees:
        return None
    built: dict[int, Plan] = {}
    for current in order:
        if (tree := trees.get(id(current))) is None:
            built[id(current)] = current.with_children([built[id(child)] for child in current.children()])
            continue
        ambient.site = current.site
        relations, keys, parts = tree
        graph = JoinGraph([built[id(relation)] for relation in relations], keys, parts)
        built[id(current)] = choose(greedy(graph).plan, current.schema.names)
    before, result = unified([plan, built[id(plan)]])
    return None if result is before else result


def greedy(graph: JoinGraph) -> Group:
    """Join the two groups whose join gives the fewest rows, until there is one."""
    groups = dict(enumerate(graph.groups))
    connected: dict[tuple[int, int], tuple[float, float]] = {}

    def compare(i: int, j: int) -> None:
        a, b = groups[i], groups[j]
        if keys := graph.between(a.of, b.of):
            connected[i, j] = (graph.rows(a, b, keys), a.rows + b.rows)

    for i, j in combinations(groups, 2):
        compare(i, j)
    while len(groups) > 1:
        pairs = connected or {
            (i, j): (graph.rows(groups[i], groups[j], ()), groups[i].rows + groups[j].rows)
            for i, j in combinations(groups, 2)
        }
        i, j = min(pairs, key=lambda pair: (pairs[pair], pair))
        new = max(groups) + 1
        groups[new] = graph.joined(groups.pop(i), groups.pop(j))
        for pair in [pair for pair in connected if i in pair or j in pair]:
            del connected[pair]
        for other in groups:
            if other != new:
                compare(other, new)
    (group,) = groups.values()
    return group
