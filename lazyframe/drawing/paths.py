"""The ways of arrows between boxes that have their places."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lazyframe.drawing.layers import ends
from lazyframe.drawing.layout import Layout, Placed
from lazyframe.drawing.picture import BACK, BESIDE, Arrow

_PORT_GAP = 22.0


class Way(NamedTuple):
    """The way of an arrow.

    Args:
        path: in SVG.
        has_tip: whether it ends at its box. One that joins a trunk going back does not.
    """

    path: str
    has_tip: bool


def ways_of(layout: Layout, *, across: bool) -> dict[Arrow, Way]:
    """The ways of all arrows: curved between layers and straight past them.

    Arrows at one side of a box stand apart, in the order of where they lead. Of those that share a trunk the longest draws it.
    """
    leaving: dict[str, dict[int, float]] = {}
    reaching: dict[str, dict[int, float]] = {}
    ordered = [arrow for arrow in layout.bends if arrow.way != BESIDE]
    for number, arrow in enumerate(ordered):
        upper, lower = ends(arrow)
        way = [layout.boxes[upper], *layout.bends[arrow], layout.boxes[lower]]
        leaving.setdefault(upper, {})[_first(layout, arrow, number)] = way[1].middle
        reaching.setdefault(lower, {})[number] = way[-2].middle
    first = {key: _apart(layout.boxes[key], at) for key, at in leaving.items()}
    last = {key: _apart(layout.boxes[key], at) for key, at in reaching.items()}
    longest: dict[str, Arrow] = {}
    for arrow in sorted(ordered, key=lambda arrow: len(layout.bends[arrow])):
        if layout.bends[arrow]:
            longest[ends(arrow)[0]] = arrow
    found = {}
    for number, arrow in enumerate(ordered):
        upper, lower = ends(arrow)
        ports = first[upper][_first(layout, arrow, number)], last[lower][number]
        found[arrow] = _way(arrow, layout, ports, is_whole=longest.get(upper, arrow) is arrow, across=across)
    for arrow in layout.bends:
        if arrow.way == BESIDE:
            found[arrow] = Way(_beside(layout.boxes[arrow.tail], layout.boxes[arrow.head]), has_tip=True)
    return found


def _first(layout: Layout, arrow: Arrow, number: int) -> int:
    """What arrows that leave a box at one place share."""
    return -1 if layout.bends[arrow] else number


def _apart(box: Placed, at: dict[int, float]) -> dict[int, float]:
    """Places at the side of a box, in the order of what they lead to."""
    step = min(box.width / (len(at) + 1), _PORT_GAP)
    start = box.middle - step * (len(at) - 1) / 2
    return {key: start + step * number for number, key in enumerate(sorted(at, key=lambda key: at[key]))}


def _way(arrow: Arrow, layout: Layout, ports: tuple[float, float], *, is_whole: bool, across: bool) -> Way:
    upper, lower = [layout.boxes[key] for key in ends(arrow)]
    bends = layout.bends[arrow]
    points = [(upper.along + upper.length, ports[0]), (upper.layer_end, ports[0])]
    for bend in bends:
        points += [(bend.layer, bend.beside), (bend.layer_end, bend.beside)]
    is_branch = bool(bends) and not is_whole
    if is_branch:
        points = points[-1:]
    points += [(lower.layer, ports[1]), (lower.along, ports[1])]
    if arrow.way == BACK:
        points.reverse()
    return Way(_drawn(points, across=across), has_tip=not (is_branch and arrow.way == BACK))


def _drawn(points: list[tuple[float, float]], *, across: bool) -> str:
    """Straight where only the first coordinate changes, otherwise a curve that begins and ends straight."""
    at = points[0]
    parts = [f"M{_text([at], across=across)}"]
    for point in points[1:]:
        if point == at:
            continue
        if point[1] == at[1]:
            parts.append(f"L{_text([point], across=across)}")
        else:
            middle = (at[0] + point[0]) / 2
            parts.append(f"C{_text([(middle, at[1]), (middle, point[1]), point], across=across)}")
        at = point
    return "".join(parts)


def _beside(tail: Placed, head: Placed) -> str:
    """From one box to another in the same layer, which stand side by side."""
    rightward = tail.beside < head.beside
    start = tail.beside + (tail.width if rightward else 0.0)
    end = head.beside + (0.0 if rightward else head.width)
    level = tail.along + min(tail.length, head.length) / 2
    return f"M{start:.1f} {level:.1f}L{end:.1f} {level:.1f}"


def _text(points: Iterable[tuple[float, float]], *, across: bool) -> str:
    return " ".join([f"{a:.1f} {b:.1f}" if across else f"{b:.1f} {a:.1f}" for a, b in points])


__all__ = ["Way", "ways_of"]
