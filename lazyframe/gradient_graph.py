"""The graph as a gradient walks it, for a person to look at."""

from __future__ import annotations

from lazyframe.planner.functions.definition import lookup
from lazyframe.planner.gradients.partials import PARTIALS, STEPS
from lazyframe.planner.graph import Node
from lazyframe.planner.relations import Scan
from lazyframe.planner.scalars import AggregateCall, Call, Cast, Parameter, WindowCall
from lazyframe.planner.sources import learned
from lazyframe.planner.types import is_float, is_null
from lazyframe.planner.unbound import Aggregated, Apply, Convert, Member, Named, Ordered, Placeholder, Windowed

_PASSES = frozenset(PARTIALS) | STEPS | {"greatest", "least", "coalesce"}


class GradFn:
    """An operation of the graph, as a gradient goes back through it.

    Attributes:
        name: as in PyTorch: the operation, and `Backward`.
    """

    __slots__ = ("_node", "name")

    def __init__(self, node: Node) -> None:
        self._node = node
        self.name = _name(node)

    @property
    def next_functions(self) -> tuple[tuple[GradFn | None, int], ...]:
        """Where the gradient goes from here: for each thing that it is computed from the operation that made it, or None
        where that does not move; the numbers are 0, as each operation has one result.
        """
        if isinstance(self._node, (Placeholder, Parameter, Scan)):
            return ()
        return tuple([(GradFn(operation(part)) if requires_grad(part) else None, 0) for part in self._node.nodes()])

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradFn) and self._node == other._node

    def __hash__(self) -> int:
        return hash(self._node)


def grad_fn(node: Node) -> GradFn | None:
    """The operation that made it; None for a leaf and for what does not move."""
    found = operation(node)
    is_leaf = isinstance(found, (Placeholder, Parameter))
    return GradFn(found) if requires_grad(found) and not is_leaf else None


def requires_grad(root: Node) -> bool:
    """Whether it moves with a parameter."""
    return moving(root)[id(root)]


def moving(root: Node) -> dict[int, bool]:
    """For each node from a root down, by its id, whether it moves with a parameter."""
    found: dict[int, bool] = {}
    stack = [root]
    while stack:
        current = stack[-1]
        parts = current.nodes()
        waiting = [part for part in parts if id(part) not in found]
        if id(current) not in found and waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        found[id(current)] = is_parameter(current) or (passes(current) and any([found[id(part)] for part in parts]))
    return found


def is_parameter(node: Node) -> bool:
    """Whether it is one that gradients may be asked by."""
    match node:
        case Placeholder() | Parameter():
            dtype = node.cell.dtype or node.dtype
            return dtype is None or is_float(dtype) or is_null(dtype)
        case Scan(source=source):
            return learned(source) is not None
    return False


def passes(node: Node) -> bool:
    """Whether the operation has a derivative."""
    match node:
        case Apply(function=function) | Call(function=function):
            return function in _PASSES
        case Convert(to=to) | Cast(to=to):
            return is_float(to)
        case Aggregated(function=function) | AggregateCall(function=function):
            return function not in ("len", "count", "n_unique", "approx_n_unique")
        case Member():
            return False
    return True


def operation(node: Node) -> Node:
    """What computes it: a name is no operation."""
    while isinstance(node, (Named, Ordered)):
        node = node.arg
    return node


def _name(node: Node) -> str:
    match node:
        case Scan(source=source) if (known := learned(source)) is not None:
            return f"AccumulateGrad of {known.cell.name}"
        case Placeholder() | Parameter():
            return f"AccumulateGrad of {node.cell.label(node.index)}"
        case Apply(function=function) | Call(function=function):
            function = lookup(function).name
        case Aggregated() | AggregateCall() | Windowed() | WindowCall():
            function = node.function
        case _:
            return f"{type(node).__name__}Backward"
    return "".join([word.capitalize() for word in function.split("_")]) + "Backward"
