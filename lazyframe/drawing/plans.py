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


def picture_of(plan: Plan, *, group: str = "", prefix: str = "n") -> Picture:
    """The picture of a plan, in which data flows down.

    Args:
        plan: its root.
        group: the name of a frame around it, for where it stands beside others.
        prefix: what the keys of its boxes begin with.
    """
    nodes = postorder(plan)
    keys = {id(node): f"{prefix}{number}" for number, node in enumerate(nodes)}
    boxes = tuple([Box(keys[id(node)], _lines(node), kind_of(node), group) for node in nodes])
    arrows = [Arrow(keys[id(child)], keys[id(node)]) for node in nodes for child in node.children()]
    return Picture(boxes, tuple(dict.fromkeys(arrows)))


def kind_of(node: Plan) -> str:
    """What sort of box a node is."""
    return next((kind for classes, kind in _KINDS if isinstance(node, classes)), "other")


def _lines(node: Plan) -> tuple[str, ...]:
    """The label of a node: what it is, and below that the rest in a few lines."""
    title, _, rest = label(node).partition(" ")
    lines = textwrap.wrap(rest, _WIDTH, break_on_hyphens=False)
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], lines[_LINES - 1][: _WIDTH - 2] + " …"]
    return (title, *lines)


__all__ = ["kind_of", "picture_of"]
