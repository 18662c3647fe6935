"""Which nodes of a plan have to be computed, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Cache, Join, Limit, Plan, Recursion
from lazyframe.planner.relations.recursion import fixed_inputs


class Needed:
    """The nodes that have to be computed, children first, each with those whose rows it reads; and which have several readers.

    `firsts` are the joins that a node is to give its keys to when it has been computed.

    Not those whose rows a cache above them has kept, nor those below nodes in `given`.

    Args:
        roots: where to begin.
        given: the identities of nodes whose rows are there already.
    """

    __slots__ = ("firsts", "nodes", "shared")

    def __init__(self, roots: Sequence[Plan], given: Collection[int] = ()) -> None:
        self.nodes: list[tuple[Plan, Sequence[Plan]]] = []
        self.firsts: dict[int, list[Join]] = {}
        needed = set(map(id, roots))
        for plan in reversed(list({id(plan): plan for root in roots for plan in _in_turn(root)}.values())):
            if id(plan) in needed and id(plan) not in given:
                inputs = inputs_of(plan)
                needed.update(map(id, inputs))
                self.nodes.append((plan, inputs))
                if isinstance(plan, Join) and plan.first:
                    first = plan.left if plan.first == "left" else plan.right
                    self.firsts.setdefault(id(first), []).append(plan)
        self.nodes.reverse()
        read: set[int] = set()
        self.shared: set[int] = set()
        for plans in (roots, *[inputs for _, inputs in self.nodes]):
            for plan in plans:
                (self.shared if id(plan) in read else read).add(id(plan))


def inputs_of(plan: Plan) -> Sequence[Plan]:
    """The nodes that have to be computed before: the children, and of the step of a recursion what no round changes.

    A limit of no rows needs none.
    """
    if isinstance(plan, Recursion):
        return [plan.base, *fixed_inputs(plan)]
    return () if _is_kept(plan) or (isinstance(plan, Limit) and plan.count == 0) else plan.children()


def _in_turn(root: Plan) -> list[Plan]:
    """As `postorder`, where of a join that gives keys the first side, with all below it, stands before the other one."""
    order = postorder(root)
    if not any([isinstance(plan, Join) and plan.first == "right" for plan in order]):
        return order
    found: dict[int, Plan] = {}
    stack: list[tuple[Plan, bool]] = [(root, False)]
    while stack:
        current, entered = stack.pop()
        if entered:
            found.setdefault(id(current), current)
        elif id(current) not in found:
            children = current.children()
            stack.append((current, True))
            is_turned = isinstance(current, Join) and current.first == "right"
            stack.extend([(child, False) for child in (children if is_turned else children[::-1])])
    return list(found.values())


def _is_kept(plan: Plan) -> bool:
    return isinstance(plan, Cache) and plan.slot.is_filled
