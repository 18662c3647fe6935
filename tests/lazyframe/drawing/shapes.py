"""What stands in an SVG: boxes, and the ways of arrows as points."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]
Rectangle = tuple[float, float, float, float]


def rectangles(svg: str, kind: str | None = None) -> list[Rectangle]:
    """The boxes, in their order: x, y, width, height."""
    return [
        tuple([float(each.get(name, "0")) for name in ("x", "y", "width", "height")])  # type: ignore[misc]
        for group in ET.fromstring(svg).iter(f"{SVG}g")
        for each in group.findall(f"{SVG}rect")
        if (group.get("class") if kind is None else group.get("class") == kind)
    ]


def frames(svg: str) -> list[Rectangle]:
    """The frames around groups."""
    return [
        tuple([float(each.get(name, "0")) for name in ("x", "y", "width", "height")])  # type: ignore[misc]
        for each in ET.fromstring(svg).iter(f"{SVG}rect")
        if each.get("class") == "frame"
    ]


def overlaps(a: Rectangle, b: Rectangle) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def ways(svg: str, kind: str | None = None) -> list[list[Point]]:
    """For each arrow points along it, curves included."""
    drawn = re.findall(r'<path class="([a-z]+)" d="([^"]+)"', svg)
    return [_points(path) for name, path in drawn if kind is None or name == kind]


def _points(path: str) -> list[Point]:
    points: list[Point] = []
    for letter, text in re.findall(r"([MLC])([^MLC]+)", path):
        numbers = [float(number) for number in text.split()]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        if letter == "M":
            points.append(pairs[0])
        elif letter == "L":
            a, b = points[-1], pairs[0]
            points += [(a[0] + (b[0] - a[0]) * t / 20, a[1] + (b[1] - a[1]) * t / 20) for t in range(1, 21)]
        else:
            points += [_curve([points[-1], *pairs], t / 20) for t in range(1, 21)] if len(pairs) == 3 else []
    return points


def _curve(p: list[Point], t: float) -> Point:
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
    return (
        sum([w * each[0] for w, each in zip(weights, p, strict=True)]),
        sum([w * each[1] for w, each in zip(weights, p, strict=True)]),
    )


def is_inside(point: Point, box: Rectangle) -> bool:
    return box[0] + 0.6 < point[0] < box[0] + box[2] - 0.6 and box[1] + 0.6 < point[1] < box[1] + box[3] - 0.6
