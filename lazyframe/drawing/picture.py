"""What is drawn: boxes, arrows between them, and the groups that boxes are in."""

from __future__ import annotations

from typing import NamedTuple

ALONG, BACK, BESIDE = WAYS = ("along", "back", "beside")


class Box(NamedTuple):
    """A node.

    Args:
        key: what arrows call it.
        lines: what stands in it; the first line is its title.
        kind: what it looks like: a key of `STYLES`.
        group: the name of the frame around it, if there is one. Groups stand side by side.
        level_with: the key of a box of another group that it stands beside.
        hint: all that could be said, for those who point at it.
    """

    key: str
    lines: tuple[str, ...]
    kind: str
    group: str = ""
    level_with: str = ""
    hint: str = ""


class Arrow(NamedTuple):
    """An edge, drawn from `tail` to `head`, that looks as `kind` says.

    Args:
        tail: the key of a box.
        head: the key of another.
        kind: what it looks like: a key of `STROKES`.
        way: where it goes: `along` with the others, `back` against them, or to a box `beside`.
    """

    tail: str
    head: str
    kind: str = "data"
    way: str = ALONG


class Picture(NamedTuple):
    """A graph to be drawn.

    Args:
        boxes: its nodes, in the order in which they stand where nothing else says.
        arrows: its edges; those that go along may not form a circle.
        across: whether arrows go from left to right, rather than down.
        key: kinds of arrows with what they mean, for a line below the picture.
    """

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    across: bool = False
    key: tuple[tuple[str, str], ...] = ()


class Style(NamedTuple):
    """Colours of a box, on a light page and on a dark one."""

    fill: str
    stroke: str
    dark_fill: str
    dark_stroke: str


class Stroke(NamedTuple):
    """Colour of an arrow, on a light page and on a dark one, and its dashes as SVG writes them."""

    color: str
    dark: str
    dashes: str = ""


STYLES = {
    "source": Style("#e3f1e3", "#4b8b4b", "#16281a", "#5fa869"),
    "rows": Style("#fdf0dc", "#b9822b", "#2e2412", "#cf9a42"),
    "columns": Style("#e6eefb", "#4a73b8", "#17233a", "#6d97dc"),
    "groups": Style("#f3e8f8", "#8a58a5", "#2a1b33", "#b180cd"),
    "joins": Style("#fde7e7", "#b85450", "#331b1b", "#d97671"),
    "order": Style("#eeeeee", "#777777", "#23262c", "#8d949e"),
    "other": Style("#ffffff", "#777777", "#161b22", "#8d949e"),
    "result": Style("#fff8c9", "#a8962a", "#2c280f", "#c7b445"),
    "parameter": Style("#e0f5f2", "#2a8c7f", "#10302c", "#4fb8a9"),
    "gradient": Style("#ffe9f1", "#c2417c", "#351725", "#e8709f"),
}
"""Kinds of boxes."""

STROKES = {
    "data": Stroke("#666666", "#9aa4b0"),
    "value": Stroke("#333333", "#d0d7de"),
    "filter": Stroke("#c77d0a", "#e0a03c", "5 3"),
    "key": Stroke("#3a6fc4", "#6f9fe8", "8 3"),
    "order": Stroke("#888888", "#8d949e", "2 3"),
    "gradient": Stroke("#c2417c", "#e8709f"),
    "seed": Stroke("#c2417c", "#e8709f", "4 3"),
}
"""Kinds of arrows."""


__all__ = ["ALONG", "BACK", "BESIDE", "STROKES", "STYLES", "WAYS", "Arrow", "Box", "Picture", "Stroke", "Style"]
