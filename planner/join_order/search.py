"""The search for the cheapest tree of joins.

A tree costs what its joins cost, and a join the rows that come out, that are looked up and that are put into its table.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from lazyframe.planner.join_order.cardinality import BUILD, PROBE, Cardinality, Step
from lazyframe.planner.join_order.graph import JoinGraph, members

MOST_PAIRS = 1500
"""So many pairs of sets are compared to find the best tree of all; where there are more, the best of some order is found."""


class Tree(NamedTuple):
    """How a set of relations is joined: what it costs, how many rows it gives, of which two trees, and by which step.

    A single relation has no parts.
    """

    of: int
    cost: float
    rows: float
    left: Tree | None = None
    right: Tree | None = None
    step: Step = Step(0.0)


def best_tree(graph: JoinGraph) -> Tree | None:
    """The cheapest tree that is found; None where there is none.

    The best of all where few pairs of sets are to be compared. Else a greedy tree, then the best of those whose relations
    stand in the order of the greedy one.
    """
    cardinality = Cardinality(graph)
    singles = [Tree(1 << number, 0.0, rows) for number, rows in enumerate(cardinality.base)]
    neighbours = _neighbours(graph)
    trees = []
    for part in _components(neighbours):
        found = _best_of(cardinality, [singles[number] for number in members(part)], part, neighbours)
        if found is None:
            # What connects them does not let them be joined by themselves.
            return _greedy(cardinality, singles)
        trees.append(found)
    return _greedy(cardinality, trees)


def _best_of(cardinality: Cardinality, singles: list[Tree], part: int, neighbours: list[int]) -> Tree | None:
    pairs = connected_pairs(neighbours, part, MOST_PAIRS)
    if pairs is not None:
        found = _dynamic(cardinality, singles, pairs)
        if found is not None:
            return found
    found = _greedy(cardinality, singles)
    return None if found is None else _best_of_order(cardinality, _relations(found), found)


def _joined(cardinality: Cardinality, a: Tree, b: Tree, *, cross: bool = False) -> Tree | None:
    if cardinality.graph.operators or cross:
        step = cardinality.step(a.of, b.of, a.rows, b.rows, cross=cross)
    else:
        step = cardinality.inner(a.of, b.of, a.rows * b.rows)
    if step is None:
        return None
    few, many = (a.rows, b.rows) if a.rows < b.rows else (b.rows, a.rows)
    return Tree(a.of | b.of, a.cost + b.cost + step.rows + BUILD * few + PROBE * many, step.rows, a, b, step)


def _dynamic(cardinality: Cardinality, singles: list[Tree], pairs: list[tuple[int, int]]) -> Tree | None:
    """The best tree of each connected set from those of its parts.

    Source: G. Moerkotte and T. Neumann, "Analysis of two existing and one new dynamic programming algorithm for the generation
    of optimal bushy join trees without cross products", VLDB 2006.
    """
    best = {tree.of: tree for tree in singles}
    for a, b in pairs:
        left, right = best.get(a), best.get(b)
        if left is None or right is None:
            continue
        known = best.get(a | b)
        if known is not None and left.cost + right.cost >= known.cost:
            continue
        found = _joined(cardinality, left, right)
        if found is not None and (known is None or found.cost < known.cost):
            best[found.of] = found
    return best.get(sum([tree.of for tree in singles]))


def connected_pairs(neighbours: list[int], part: int, most: int) -> list[tuple[int, int]] | None:
    """All pairs of connected sets that share nothing and are connected, each once and after those of its parts.

    Args:
        neighbours: of each relation.
        part: the relations that are asked for, which are connected.
        most: where there are more pairs, there is no answer.
    """
    if _has_too_many(neighbours, most):
        return None
    pairs: list[tuple[int, int]] = []
    around: dict[int, int] = {1 << number: of for number, of in enumerate(neighbours)}

    def near(of: int) -> int:
        """All neighbours of the members of a set, the set itself among them."""
        found = around.get(of)
        if found is None:
            lowest = of & -of
            found = around[of] = around[lowest] | near(of ^ lowest)
        return found

    def grown(start: int, without: int) -> list[int]:
        """A set and all connected ones that hold it and nothing of `without`; some of them where there are too many."""
        found: list[int] = []
        stack = [(start, near(start), without)]
        while stack and len(found) <= most:
            current, reached, excluded = stack.pop()
            found.append(current)
            more = reached & ~(excluded | current)
            some = more
            while some:
                stack.append((current | some, reached | near(some), excluded | more))
                some = (some - 1) & more
        return found

    for number in reversed(list(members(part))):
        below = (2 << number) - 1
        sets = grown(1 << number, below)
        if len(sets) > most:
            return None
        for a in sets:
            excluded = a | ((a & -a) * 2 - 1)
            beside = near(a) & ~excluded
            for start in reversed(list(members(beside))):
                lower = beside & ((1 << start) - 1)
                pairs += [(a, b) for b in grown(1 << start, excluded | lower | (1 << start))]
                if len(pairs) > most:
                    return None
    pairs.sort(key=lambda pair: (pair[0] | pair[1]).bit_count())
    return pairs


def _has_too_many(neighbours: list[int], most: int) -> bool:
    """Whether a relation and its neighbours alone have more pairs: of n that are all connected there are 3^n / 2."""
    for number, of in enumerate(neighbours):
        for other in members(of):
            common = (of & neighbours[other]).bit_count()
            if (
                common
                and 3**common > 2 * most
                and _all_connected(neighbours, of & neighbours[other] | 1 << number | 1 << other)
            ):
                return True
    return False


def _all_connected(neighbours: list[int], of: int) -> bool:
    return all([not of & ~(neighbours[number] | 1 << number) for number in members(of)])


def _greedy(cardinality: Cardinality, singles: list[Tree]) -> Tree | None:
    """Join the two trees whose join gives the fewest rows, until there is one; those that nothing connects at last.

    Source: L. Fegaras, "A new heuristic for optimizing large queries", DEXA 1998.
    """
    trees = dict(enumerate(singles))
    made: dict[tuple[int, int], Tree] = {}

    def compare(i: int, j: int) -> None:
        found = _joined(cardinality, trees[i], trees[j])
        if found is not None:
            made[i, j] = found

    for i, j in combinations(trees, 2):
        compare(i, j)
    following = len(trees)
    while len(trees) > 1:
        candidates = made
        if not candidates:
            crossed = [
                ((i, j), _joined(cardinality, trees[i], trees[j], cross=True)) for i, j in combinations(trees, 2)
            ]
            candidates = {pair: tree for pair, tree in crossed if tree is not None}
            if not candidates:
                return None
        pair = min(candidates, key=lambda pair: (candidates[pair].rows, candidates[pair].cost, pair))
        joined = candidates[pair]
        for number in pair:
            del trees[number]
        made = {other: tree for other, tree in made.items() if pair[0] not in other and pair[1] not in other}
        for other in list(trees):
            trees[following] = joined
            compare(other, following)
        trees[following] = joined
        following += 1
    (found,) = trees.values()
    return found


def _best_of_order(cardinality: Cardinality, order: list[Tree], greedy: Tree) -> Tree:
    """The best of the trees whose relations stand in an order, each join being of two neighbouring parts of it.

    Source: T. Neumann and B. Radke, "Adaptive optimization of very large join queries", SIGMOD 2018, with another order.
    """
    count = len(order)
    best: dict[tuple[int, int], Tree] = {(n, n + 1): tree for n, tree in enumerate(order)}
    for size in range(2, count + 1):
        for start in range(count - size + 1):
            end = start + size
            found: Tree | None = None
            for middle in range(start + 1, end):
                left, right = best.get((start, middle)), best.get((middle, end))
                if left is None or right is None or (found is not None and left.cost + right.cost >= found.cost):
                    continue
                joined = _joined(cardinality, left, right)
                if joined is not None and (found is None or joined.cost < found.cost):
                    found = joined
            if found is not None:
                best[start, end] = found
    whole = best.get((0, count))
    return whole if whole is not None and whole.cost < greedy.cost else greedy


def _relations(tree: Tree) -> list[Tree]:
    """The single relations of a tree from the left to the right."""
    found = []
    stack = [tree]
    while stack:
        current = stack.pop()
        if current.left is None or current.right is None:
            found.append(current)
        else:
            stack += [current.right, current.left]
    return found


def _neighbours(graph: JoinGraph) -> list[int]:
    """For each relation those that something connects it to, or might: not all pairs of connected sets can be joined."""
    found = [0] * len(graph.relations)
    for of in [
        *[each.of for each in graph.classes],
        *[each.needs for each in graph.equalities],
        *[each.needs for each in graph.operators],
        *[each.needs for each in graph.conditions if each.needs & graph.one_row],
    ]:
        for number in members(of):
            found[number] |= of & ~(1 << number)
    return found


def _components(neighbours: list[int]) -> list[int]:
    """The largest connected sets of relations."""
    found = []
    left = (1 << len(neighbours)) - 1
    while left:
        part, more = 0, left & -left
        while more:
            part |= more
            reached = 0
            for number in members(more):
                reached |= neighbours[number]
            more = reached & ~part
        found.append(part)
        left &= ~part
    return found


__all__ = ["MOST_PAIRS", "Tree", "best_tree", "connected_pairs"]
