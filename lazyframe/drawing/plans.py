"""The graph of a query as a picture: a box for each node, an arrow for the rows between two."""

from __future__ import annotations

import textwrap

from lazyframe.drawing.picture import Arrow, Box, Picture
from lazyframe.planner.formatting import label
from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import (
    Aggregate,
    AsofJoin,
    Distinct,
    Filter,
    HorizontalConcat,
    Interpolate,
    Join,
    Limit,
    PartitionTopK,
    Plan,
    Project,
    Reverse,
    RowIndex,
    Sample,
    Scan,
    SetOperation,
    Shift,
    Sort,
    Tail,
    TopK,
    Union,
    Values,
    Window,
)

_WIDTH, _LINES = 46, 4

_KINDS: tuple[tuple[tuple[type[Plan], ...], str], ...] = (
    ((Scan, Values), "source"),
    ((Filter, Limit, Tail, Sample, Distinct), "rows"),
    ((Project, RowIndex, Shift, Interpolate), "columns"),
    ((Aggregate, Window, PartitionTopK), "groups"),
    ((Join, AsofJoin, Union, SetOperation, HorizontalConcat), "joins"),
    ((Sort, TopK, Reverse), "order"),
)


def picture_of(plan: Plan) -> Picture:
    """The picture of a plan, in which data flows down."""
    nodes = postorder(plan)
    keys = {id(node): f"n{number}" for number, node in enumerate(nodes)}
    boxes = tuple([Box(keys[id(node)], lines_of(node), kind_of(node), hint=label(node)) for node in nodes])
    arrows = [Arrow(keys[id(child)], keys[id(node)]) for node in nodes for child in node.children()]
    return Picture(boxes, tuple(dict.fromkeys(arrows)))


def kind_of(node: Plan) -> str:
    """What sort of box a node is."""
    return next((kind for classes, kind in _KINDS if isinstance(node, classes)), "other")


def lines_of(node: Plan) -> tuple[str, ...]:
    """The label of a node: what it is, and below that the rest in a few lines."""
    title, _, rest = label(node).partition(" ")
    return (title, *cut(rest))


def cut(text: str, most: int = _LINES) -> list[str]:
    """A text in a few lines that are not too long."""
    lines = textwrap.wrap(text, _WIDTH, break_on_hyphens=False)
    if len(lines) > most:
        lines = [*lines[: most - 1], lines[most - 1][: _WIDTH - 2] + " …"]
    return lines


__all__ = ["cut", "kind_of", "lines_of", "picture_of"]
