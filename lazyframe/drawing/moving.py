"""Through which nodes of a plan a gradient goes: those with a column that moves, and that the result is computed from."""

from __future__ import annotations

from lazyframe.gradient_graph import is_parameter, passes
from lazyframe.planner.graph import postorder, pullback
from lazyframe.planner.lineage.feeds import VALUE, Feeds, joined, seed
from lazyframe.planner.lineage.walk import Walk
from lazyframe.planner.relations import Aggregate, Plan, Project, Scan, Unpivot, Window
from lazyframe.planner.scalars import Column, Parameter, Scalar
from lazyframe.planner.sources import learned

Names = frozenset[str]


class Moving:
    """What moves in a plan.

    Attributes:
        nodes: the ids of the nodes that a gradient goes through.
        parameters: by the id of a node the parameters in its expressions, each with whether a gradient reaches it from there.
    """

    def __init__(self, plan: Plan) -> None:
        order = postorder(plan)
        fed = pullback(plan, seed(plan.schema), Walk(order).asks, joined)
        self.nodes: set[int] = set()
        self.parameters: dict[int, dict[Parameter, bool]] = {}
        columns: dict[int, Names] = {}
        for node in order:
            below = frozenset().union(*[columns[id(child)] for child in node.children()])
            columns[id(node)] = _columns(node, below)
            used = _used(fed.get(id(node)))
            if columns[id(node)] & used:
                self.nodes.add(id(node))
            reached = [part for name, scalar in _named(node) if name in used for part in _leaves(scalar, below)]
            found = dict.fromkeys(_parameters(node), False)
            for part in reached:
                if isinstance(part, Parameter):
                    found[part] = True
            self.parameters[id(node)] = found


def _used(feeds: Feeds | None) -> set[str]:
    """The columns that values of the result are computed from."""
    by_column = {} if feeds is None else feeds.by_column()
    return {name for name, uses in by_column.items() if any([role == VALUE for _, role in uses])}


def _columns(node: Plan, below: Names) -> Names:
    """The columns of a node that move, where some of its children do."""
    match node:
        case Scan(source=source):
            known = learned(source)
            return frozenset() if known is None else frozenset(known.columns)
        case Project() | Aggregate():
            return frozenset([name for name, scalar in _named(node) if _leaves(scalar, below)])
        case Window():
            return below | {name for name, scalar in _named(node) if _leaves(scalar, below)}
        case Unpivot(on=on, value_name=value):
            return below.difference(on) | ({value} if below.intersection(on) else set())
    return below.intersection(node.schema.names)


def _named(node: Plan) -> tuple[tuple[str, Scalar], ...]:
    """The expressions that columns of a node are computed by."""
    match node:
        case Project(exprs=exprs):
            return exprs
        case Aggregate(keys=keys, aggregates=aggregates):
            return (*keys, *aggregates)
        case Window(calls=calls):
            return calls
    return ()


def _leaves(scalar: Scalar, moving: Names) -> list[Scalar]:
    """The parameters and moving columns that an expression moves with."""
    found: list[Scalar] = []
    seen: set[int] = set()
    stack = [scalar]
    while stack:
        current = stack.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        if is_parameter(current) or (isinstance(current, Column) and current.name in moving):
            found.append(current)
        elif passes(current):
            stack.extend(current.children())
    return found


def _parameters(node: Plan) -> list[Parameter]:
    """The parameters in the expressions of a node, as they come."""
    found: list[Parameter] = []
    for scalar in node.scalars():
        found += [part for part in postorder(scalar) if isinstance(part, Parameter)]
    return found


__all__ = ["Moving"]
