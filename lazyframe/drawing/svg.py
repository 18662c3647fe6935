"""A picture as SVG. No script, no font and no style sheet from elsewhere; on a dark page it is dark."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from lazyframe.display.escaping import visible
from lazyframe.display.width import cells
from lazyframe.drawing.layout import Layout, Placed, framed, lay_out
from lazyframe.drawing.paths import ways_of
from lazyframe.drawing.picture import STROKES, STYLES, Box, Picture

_CELL, _LINE, _PAD = 6.7, 15.0, 8.0
_GAP, _LAYER_GAP, _MARGIN = 20.0, 36.0, 16.0
_ACROSS_GAP, _ACROSS_LAYER_GAP = 6.0, 190.0
_MOST_CELLS, _LONG_CELLS = 52, 24
_FRAME, _FRAME_TITLE = 10.0, 17.0
_LEGEND, _LEGEND_LINE = 24.0, 26.0
_FONT = 'font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="11"'


def to_svg(picture: Picture) -> str:
    """The picture as a text that begins with `<svg`."""
    grouped = any(box.group for box in picture.boxes)
    sizes = _sizes(picture)
    gaps = (_ACROSS_GAP, _ACROSS_LAYER_GAP) if picture.across else (_GAP, _LAYER_GAP)
    layout = lay_out(picture, sizes, *gaps)
    if picture.across and grouped:
        _part_groups(picture, layout)
    frames = framed(picture, layout, _FRAME)
    side = _MARGIN + (_FRAME if grouped else 0.0)
    top = side + (_FRAME_TITLE if grouped else 0.0)
    width, height = (layout.length, layout.width) if picture.across else (layout.width, layout.length)
    legend = _LEGEND if picture.key else 0.0
    width = max(width, _legend_width(picture)) + 2 * side
    height += top + side + legend
    shape = f'width="{width:.0f}" height="{height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="lazyframe" {shape} viewBox="0 0 {width:.0f} {height:.0f}" {_FONT}>',
        _dark(picture),
        *_markers(picture),
        f'<rect class="page" {shape} rx="8" fill="#ffffff"/>',
        f'<g transform="translate({side:g} {top:g})">',
        *[_frame(name, frame, across=picture.across) for name, frame in frames.items()],
        *_arrows(picture, layout),
        *[_box(box, layout.boxes[box.key], across=picture.across) for box in picture.boxes],
        "</g>",
        *_legend(picture, side, height - _MARGIN),
        "</svg>",
    ]
    return "\n".join(parts)


def _sizes(picture: Picture) -> dict[str, tuple[float, float]]:
    """How much room each box takes along the arrows, and across them. In a list of columns all boxes are equally wide."""
    widths = {box.key: max(cells(_shown(line)) for line in box.lines) * _CELL + 2 * _PAD for box in picture.boxes}
    heights = {box.key: len(box.lines) * _LINE + 2 * _PAD - 5 for box in picture.boxes}
    if not picture.across:
        return {key: (heights[key], widths[key]) for key in widths}
    widest: dict[bool, float] = {}
    for box in picture.boxes:
        widest[box.kind == "source"] = max(widest.get(box.kind == "source", 0.0), widths[box.key])
    return {box.key: (widest[box.kind == "source"], heights[box.key]) for box in picture.boxes}


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
                beside += 2 * _FRAME + _FRAME_TITLE + 4
                last = box.group
            placed = layout.boxes[box.key]
            placed.beside = beside
            beside += placed.width + _ACROSS_GAP
        heights.append(beside - _ACROSS_GAP)
    layout.width = max(heights)
    for boxes, height in zip(layers.values(), heights, strict=True):
        for box in boxes:
            layout.boxes[box.key].beside += (layout.width - height) / 2


def _shown(text: str) -> str:
    """A line as it stands in a box, which is not wider than a page."""
    text = visible(text) if text else ""
    if cells(text) <= _MOST_CELLS:
        return text
    while cells(text) >= _MOST_CELLS:
        text = text[:-1]
    return text + "…"


def _fitted(shown: str) -> str:
    """What makes a long line as wide as its box has room for, whichever font there is."""
    count = cells(shown)
    return f' textLength="{count * _CELL - 2:.0f}"' if count >= _LONG_CELLS else ""


def _hint(box: Box) -> str:
    """What is said to those who point at a box: all of it, where the box does not."""
    whole = visible(box.hint) if box.hint else "\n".join([visible(line) for line in box.lines if line])
    said = " ".join([_shown(line) for line in box.lines])
    return "" if whole.replace("\n", " ") == said else f"<title>{escape(whole)}</title>"


def _turned(along: float, beside: float, *, across: bool) -> tuple[float, float]:
    return (along, beside) if across else (beside, along)


def _box(box: Box, placed: Placed, *, across: bool) -> str:
    style = STYLES[box.kind]
    x, y = _turned(placed.along, placed.beside, across=across)
    width, height = _turned(placed.length, placed.width, across=across)
    texts = [_hint(box)]
    for number, line in enumerate(box.lines):
        bold = ' font-weight="bold"' if number == 0 and len(box.lines) > 1 else ""
        at = y + _PAD + 9 + number * _LINE
        shown = _shown(line)
        texts.append(
            f'<text x="{x + _PAD:.1f}" y="{at:.1f}"{bold}{_fitted(shown)} xml:space="preserve">{escape(shown)}</text>'
        )
    return (
        f'<g class="{escape(box.kind)}"><rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="5" '
        f'fill="{style.fill}" stroke="{style.stroke}"/>{"".join(texts)}</g>'
    )


def _frame(name: str, frame: tuple[float, float, float, float], *, across: bool) -> str:
    x, y = _turned(frame[0], frame[1], across=across)
    width, height = _turned(frame[2], frame[3], across=across)
    return (
        f'<rect class="frame" x="{x:.1f}" y="{y - _FRAME_TITLE:.1f}" width="{width:.1f}" '
        f'height="{height + _FRAME_TITLE:.1f}" rx="8" fill="none" stroke="#bbbbbb"/>'
        f'<text class="quiet" x="{x + 9:.1f}" y="{y - 2:.1f}" font-weight="bold" fill="#555555">{escape(_shown(name))}</text>'
    )


def _arrows(picture: Picture, layout: Layout) -> list[str]:
    drawn = []
    for arrow, way in ways_of(layout, across=picture.across).items():
        stroke = STROKES[arrow.kind]
        kind = escape(arrow.kind)
        dashes = f' stroke-dasharray="{stroke.dashes}"' if stroke.dashes else ""
        tip = f' marker-end="url(#lazyframe-{kind})"' if way.has_tip else ""
        drawn.append(
            f'<path class="{kind}" d="{way.path}" fill="none" stroke="{stroke.color}" stroke-width="1.2"{dashes}{tip}/>'
        )
    return drawn


def _kinds(picture: Picture) -> Iterable[str]:
    return dict.fromkeys([*[arrow.kind for arrow in picture.arrows], *[kind for kind, _ in picture.key]])


def _markers(picture: Picture) -> list[str]:
    kinds = _kinds(picture)
    if not kinds:
        return []
    tips = [
        f'<marker id="lazyframe-{escape(kind)}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" '
        f'orient="auto" markerUnits="userSpaceOnUse"><path d="M0 0.5L8 4L0 7.5z" class="{escape(kind)}-tip" '
        f'fill="{STROKES[kind].color}"/></marker>'
        for kind in kinds
    ]
    return ["<defs>", *tips, "</defs>"]


def _dark(picture: Picture) -> str:
    """What is other on a dark page. Programs without style sheets leave it out, and show the light picture."""
    rules = [".page{fill:#0d1117}", "text{fill:#e6edf3}", "text.quiet{fill:#9aa4b0}", ".frame{stroke:#3d444d}"]
    for kind in dict.fromkeys([box.kind for box in picture.boxes]):
        style = STYLES[kind]
        rules.append(f".{kind} rect{{fill:{style.dark_fill};stroke:{style.dark_stroke}}}")
    for kind in _kinds(picture):
        rules.append(f"path.{kind}{{stroke:{STROKES[kind].dark}}}")
        rules.append(f"path.{kind}-tip{{fill:{STROKES[kind].dark}}}")
    scoped = " ".join([f"svg.lazyframe {rule}" for rule in rules])
    return f"<style>@media (prefers-color-scheme:dark){{{scoped}}}</style>"


def _legend_width(picture: Picture) -> float:
    return sum([_LEGEND_LINE + len(meaning) * _CELL + 28 for _, meaning in picture.key])


def _legend(picture: Picture, x: float, y: float) -> list[str]:
    drawn = []
    for kind, meaning in picture.key:
        stroke = STROKES[kind]
        dashes = f' stroke-dasharray="{stroke.dashes}"' if stroke.dashes else ""
        drawn.append(
            f'<path d="M{x:.0f} {y - 4:.0f}h{_LEGEND_LINE - 6:.0f}" stroke="{stroke.color}" '
            f'stroke-width="1.2" fill="none"{dashes} class="{escape(kind)}" marker-end="url(#lazyframe-{escape(kind)})"/>'
        )
        drawn.append(
            f'<text class="quiet" x="{x + _LEGEND_LINE:.0f}" y="{y:.0f}" fill="#555555">{escape(meaning)}</text>'
        )
        x += _LEGEND_LINE + len(meaning) * _CELL + 28
    return drawn


__all__ = ["to_svg"]
