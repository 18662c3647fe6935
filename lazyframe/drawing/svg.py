"""A picture as SVG. No script, no font and no style sheet from elsewhere."""

from __future__ import annotations

from html import escape
from itertools import pairwise

from lazyframe.display.escaping import visible
from lazyframe.display.width import cells
from lazyframe.drawing.layout import Layout, Placed, framed, lay_out
from lazyframe.drawing.picture import STROKES, STYLES, Box, Picture

_CELL, _LINE, _PAD = 6.7, 15.0, 7.0
_GAP, _LAYER_GAP, _MARGIN = 18.0, 34.0, 14.0
_ACROSS_LAYER_GAP = 190.0
_FRAME, _FRAME_TITLE = 8.0, 16.0


def to_svg(picture: Picture) -> str:
    """The picture as a text that begins with `<svg`."""
    grouped = any(box.group for box in picture.boxes)
    sizes = {box.key: _size(box, across=picture.across) for box in picture.boxes}
    gap = 6.0 if picture.across else _GAP
    layout = lay_out(picture, sizes, gap, _ACROSS_LAYER_GAP if picture.across else _LAYER_GAP)
    if picture.across and grouped:
        _part_groups(picture, layout)
    frames = framed(picture.boxes, layout, _FRAME)
    margin = _MARGIN + (_FRAME + _FRAME_TITLE if grouped else 0.0)
    width, height = (layout.length, layout.width) if picture.across else (layout.width, layout.length)
    legend = 24.0 if picture.key else 0.0
    width = max(width, 90.0 * len(picture.key)) + 2 * margin
    height += 2 * margin + legend
    shape = f'width="{width:.0f}" height="{height:.0f}"'
    font = 'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="11"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {shape} viewBox="0 0 {width:.0f} {height:.0f}" {font}>',
        f'<rect {shape} fill="#ffffff"/>',
        *_markers(picture),
        f'<g transform="translate({margin:g} {margin:g})">',
        *[_frame(name, frame, across=picture.across) for name, frame in frames.items()],
        *_arrows(picture, layout),
        *[_box(box, layout.boxes[box.key], across=picture.across) for box in picture.boxes],
        "</g>",
        *_legend(picture, margin, height - 16.0),
        "</svg>",
    ]
    return "\n".join(parts)


def _size(box: Box, *, across: bool) -> tuple[float, float]:
    """How much room a box takes along the arrows, and across them."""
    width = max(cells(_shown(line)) for line in box.lines) * _CELL + 2 * _PAD
    height = len(box.lines) * _LINE + 2 * _PAD - 4
    return (width, height) if across else (height, width)


def _part_groups(picture: Picture, layout: Layout) -> None:
    """Make room between the groups of a layer for the titles of their frames; boxes stand in their given order."""
    layers: dict[float, list[Box]] = {}
    for box in picture.boxes:
        layers.setdefault(layout.boxes[box.key].along, []).append(box)
    heights = []
    for boxes in layers.values():
        beside, last = 0.0, boxes[0].group
        for box in boxes:
            if box.group != last:
                beside += 2 * _FRAME + _FRAME_TITLE
                last = box.group
            placed = layout.boxes[box.key]
            placed.beside = beside
            beside += placed.width + 6.0
        heights.append(beside)
    layout.width = max(heights)
    for boxes, height in zip(layers.values(), heights, strict=True):
        for box in boxes:
            layout.boxes[box.key].beside += (layout.width - height) / 2


def _shown(text: str) -> str:
    return visible(text) if text else ""


def _turned(along: float, beside: float, *, across: bool) -> tuple[float, float]:
    return (along, beside) if across else (beside, along)


def _box(box: Box, placed: Placed, *, across: bool) -> str:
    style = STYLES[box.kind]
    x, y = _turned(placed.along, placed.beside, across=across)
    width, height = _turned(placed.length, placed.width, across=across)
    texts = []
    for number, line in enumerate(box.lines):
        bold = ' font-weight="bold"' if number == 0 and len(box.lines) > 1 else ""
        at = y + _PAD + 9 + number * _LINE
        texts.append(f'<text x="{x + _PAD:.1f}" y="{at:.1f}"{bold} xml:space="preserve">{escape(_shown(line))}</text>')
    return (
        f'<g class="{escape(box.kind)}"><rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4" '
        f'fill="{style.fill}" stroke="{style.stroke}"/>{"".join(texts)}</g>'
    )


def _frame(name: str, frame: tuple[float, float, float, float], *, across: bool) -> str:
    x, y = _turned(frame[0], frame[1], across=across)
    width, height = _turned(frame[2], frame[3], across=across)
    return (
        f'<rect x="{x:.1f}" y="{y - _FRAME_TITLE:.1f}" width="{width:.1f}" height="{height + _FRAME_TITLE:.1f}" rx="6" '
        f'fill="none" stroke="#bbbbbb"/><text x="{x + 6:.1f}" y="{y - 4:.1f}" font-weight="bold" fill="#555555">'
        f"{escape(_shown(name))}</text>"
    )


def _arrows(picture: Picture, layout: Layout) -> list[str]:
    drawn = []
    for arrow, bends in layout.bends.items():
        tail, head = layout.boxes[arrow.tail], layout.boxes[arrow.head]
        way = [
            (tail.along + tail.length, tail.beside + tail.width / 2),
            *[(bend.along, bend.beside + bend.width / 2) for bend in bends],
            (head.along, head.beside + head.width / 2),
        ]
        turned = [_turned(along, beside, across=picture.across) for along, beside in way]
        path = f"M{turned[0][0]:.1f} {turned[0][1]:.1f}"
        for (a, b), (c, d) in pairwise(way):
            middle = (a + c) / 2
            points = [(middle, b), (middle, d), (c, d)]
            path += "C" + " ".join(f"{x:.1f} {y:.1f}" for x, y in (_turned(*p, across=picture.across) for p in points))
        stroke = STROKES[arrow.kind]
        dashes = f' stroke-dasharray="{stroke.dashes}"' if stroke.dashes else ""
        drawn.append(
            f'<path class="{escape(arrow.kind)}" d="{path}" fill="none" stroke="{stroke.color}"{dashes} '
            f'marker-end="url(#lazyframe-{escape(arrow.kind)})"/>'
        )
    return drawn


def _markers(picture: Picture) -> list[str]:
    kinds = dict.fromkeys(arrow.kind for arrow in picture.arrows)
    if not kinds:
        return []
    tips = [
        f'<marker id="lazyframe-{escape(kind)}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{STROKES[kind].color}"/></marker>'
        for kind in kinds
    ]
    return ["<defs>", *tips, "</defs>"]


def _legend(picture: Picture, x: float, y: float) -> list[str]:
    drawn = []
    for kind, meaning in picture.key:
        stroke = STROKES[kind]
        dashes = f' stroke-dasharray="{stroke.dashes}"' if stroke.dashes else ""
        drawn.append(f'<path d="M{x:.0f} {y:.0f}h24" stroke="{stroke.color}" fill="none"{dashes}/>')
        drawn.append(f'<text x="{x + 29:.0f}" y="{y + 4:.0f}" fill="#555555">{escape(meaning)}</text>')
        x += 90.0
    return drawn


__all__ = ["to_svg"]
