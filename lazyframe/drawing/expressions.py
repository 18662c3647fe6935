"""The graph of an expression as a picture: a box for each operation, above it those whose values it takes."""

from __future__ import annotations

from typing import cast

from lazyframe.drawing.backward import gradient_lines, parameter_lines, with_gradients
from lazyframe.drawing.picture import Arrow, Box, Picture
from lazyframe.drawing.plans import cut
from lazyframe.gradient_graph import GradFn, moving, operation
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.formatting import format_parts
from lazyframe.planner.functions.definition import lookup
from lazyframe.planner.graph import Node, postorder
from lazyframe.planner.site import ambient
from lazyframe.planner.unbound import Aggregated, Apply, Choose, Many, Placeholder, Ref, Unbound, Windowed

_KINDS: tuple[tuple[type[Unbound], str], ...] = (
    (Placeholder, "parameter"), (Ref, "source"), (Many, "source"), (Choose, "rows"), (Apply, "columns"),
    (Aggregated, "groups"), (Windowed, "groups"),
)  # fmt: skip


def picture_of(root: Unbound, *, backward: bool | None = None) -> Picture:
    """The picture of an expression, in which values flow down. Constants stand within what uses them.

    Args:
        root: of the expression.
        backward: whether to draw the way of its gradient; by default, where it has one.

    Raises:
        InvalidArgumentError: where it has none.
    """
    root = cast("Unbound", operation(root))
    nodes = [node for node in postorder(root) if operation(node) is node]
    varies: dict[int, bool] = {}
    for node in postorder(root):
        varies[id(node)] = isinstance(node, (Placeholder, Ref, Many)) or any(
            [varies[id(part)] for part in node.nodes()]
        )
    nodes = [node for node in nodes if varies[id(node)] or node is root]
    keys: dict[int, str] = {}
    of_equal: dict[Node, str] = {}
    boxes: list[Box] = []
    arrows: list[Arrow] = []
    operations: dict[str, tuple[str, ...]] = {}
    reached = _reached(root)
    texts = format_parts(root, _name)
    for node in nodes:
        # What is written twice is one value.
        key = of_equal.setdefault(node, f"n{len(boxes)}")
        keys[id(node)] = key
        if id(node) in reached:
            name = GradFn(node).name
            operations[key] = gradient_lines(node.cell, node.index) if isinstance(node, Placeholder) else (name,)
        if len(boxes) > int(key[1:]):
            continue
        text = texts[id(node)]
        boxes.append(Box(key, _lines(node, text), kind_of(node), hint=text))
        arrows += [Arrow(keys[id(operation(part))], key) for part in node.nodes() if id(operation(part)) in keys]
    picture = Picture(tuple(boxes), tuple(dict.fromkeys(arrows)))
    if backward is None:
        backward = bool(reached)
    if not backward:
        return picture
    if not reached:
        raise InvalidArgumentError(
            "the expression does not move with any parameter, so that nothing goes back from it",
            hint="make it from lf.param(...)s that are floats, or leave out backward=True",
            site=ambient.site,
        )
    return with_gradients(picture, keys[id(root)], operations)


def _reached(root: Unbound) -> set[int]:
    """The ids of the nodes that a gradient comes to on its way back."""
    moves = moving(root)
    found: set[int] = set()
    stack: list[Node] = [root]
    while stack:
        current = stack.pop()
        if moves[id(current)] and id(current) not in found:
            found.add(id(current))
            stack.extend(current.nodes())
    return found


def kind_of(node: Unbound) -> str:
    """What sort of box a node is."""
    return next((kind for cls, kind in _KINDS if isinstance(node, cls)), "other")


def _lines(node: Unbound, text: str) -> tuple[str, ...]:
    match node:
        case Placeholder(cell=cell, index=index):
            return parameter_lines(cell, index)
        case Apply(function=function):
            return (lookup(function).name, *cut(text, 2))
        case Aggregated(function=function) | Windowed(function=function):
            return (function, *cut(text, 2))
        case Ref() | Many():
            return (cut(text)[0],)
        case Choose():
            return ("choose", *cut(text, 2))
    return (type(node).__name__.lower(), *cut(text, 2))


def _name(node: Unbound) -> str | None:
    """What a parameter or column is called within a formula."""
    match node:
        case Placeholder(cell=cell, index=index):
            return parameter_lines(cell, index)[0]
        case Ref(name=name):
            return name
    return None


__all__ = ["kind_of", "picture_of"]
