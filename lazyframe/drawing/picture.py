"""What is drawn: boxes, arrows between them, and the groups that boxes are in."""

from __future__ import annotations

from typing import NamedTuple


class Box(NamedTuple):
    """A node.

    Args:
        key: what arrows call it.
        lines: what stands in it; the first line is its title.
        kind: what it looks like: a key of `STYLES`.
        group: the name of the frame around it, if there is one. Groups stand side by side.
    """

    key: str
    lines: tuple[str, ...]
    kind: str
    group: str = ""


class Arrow(NamedTuple):
    """An edge, drawn from `tail` to `head`, that looks as `kind` says."""

    tail: str
    head: str
    kind: str = "data"


class Picture(NamedTuple):
    """A graph to be drawn.

    Args:
        boxes: its nodes, in the order in which they stand where nothing else says.
        arrows: its edges; they may not form a circle.
        across: whether arrows go from left to right, rather than down.
        key: kinds of arrows with what they mean, for a line below the picture.
    """

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    across: bool = False
    key: tuple[tuple[str, str], ...] = ()


class Style(NamedTuple):
    """Colours of a box."""

    fill: str
    stroke: str


class Stroke(NamedTuple):
    """Colour of an arrow, and its dashes as SVG writes them."""

    color: str
    dashes: str = ""


STYLES = {
    "source": Style("#e3f1e3", "#4b8b4b"),
    "rows": Style("#fdf0dc", "#b9822b"),
    "columns": Style("#e6eefb", "#4a73b8"),
    "groups": Style("#f3e8f8", "#8a58a5"),
    "joins": Style("#fde7e7", "#b85450"),
    "order": Style("#eeeeee", "#777777"),
    "other": Style("#ffffff", "#777777"),
    "result": Style("#fff8c9", "#a8962a"),
    "gradient": Style("#ffe3ee", "#c2417c"),
}
"""Kinds of boxes."""

STROKES = {
    "data": Stroke("#666666"),
    "value": Stroke("#333333"),
    "filter": Stroke("#c77d0a", "5 3"),
    "key": Stroke("#3a6fc4", "8 3"),
    "order": Stroke("#888888", "2 3"),
    "gradient": Stroke("#c2417c"),
}
"""Kinds of arrows."""


__all__ = ["STROKES", "STYLES", "Arrow", "Box", "Picture", "Stroke", "Style"]
