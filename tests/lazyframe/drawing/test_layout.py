"""Graphs by chance: no boxes overlap, no arrow goes through a box, and texts stand within their boxes."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET

import pytest

from lazyframe.drawing import Arrow, Box, Drawing, Picture
from lazyframe.drawing.backward import with_gradients
from tests.lazyframe.drawing.shapes import SVG, frames, is_inside, overlaps, rectangles, ways


def graph(seed: int) -> Picture:
    rng = random.Random(seed)
    count = rng.randrange(2, 40)
    kinds = ["source", "rows", "columns", "joins"]
    boxes = [
        Box(f"n{n}", tuple(["x" * rng.randrange(1, 30)] * rng.randrange(1, 4)), rng.choice(kinds)) for n in range(count)
    ]
    arrows = [
        Arrow(f"n{rng.randrange(max(0, n - 8), n)}", f"n{n}")
        for n in range(1, count)
        for _ in range(rng.randrange(1, 3))
    ]
    # One box at the end, as a query has.
    ends = {arrow.tail for arrow in arrows}
    arrows += [Arrow(box.key, f"n{count - 1}") for box in boxes[:-1] if box.key not in ends]
    picture = Picture(tuple(boxes), tuple(dict.fromkeys(arrows)))
    if seed % 2:
        return picture
    moving = {f"n{count - 1}"}
    for arrow in sorted(arrows, key=lambda arrow: int(arrow.head[1:]), reverse=True):
        if arrow.head in moving and rng.random() < 0.7:
            moving.add(arrow.tail)
    return with_gradients(picture, f"n{count - 1}", {box.key: ("Backward",) for box in boxes if box.key in moving})


@pytest.mark.parametrize("seed", range(60))
def test_nothing_crosses_a_box(seed):
    picture = graph(seed)
    svg = Drawing(picture).to_svg()
    boxes = rectangles(svg)
    assert len(boxes) == len(picture.boxes)
    assert not any(overlaps(a, b) for number, a in enumerate(boxes) for b in boxes[:number])
    drawn = ways(svg)
    assert len(drawn) == len(picture.arrows)
    for way in drawn:
        assert not any(is_inside(point, box) for box in boxes for point in way)


@pytest.mark.parametrize("seed", range(0, 60, 2))
def test_both_directions_stand_level_and_apart(seed):
    picture = graph(seed)
    svg = Drawing(picture).to_svg()
    one, other = frames(svg)
    assert not overlaps(one, other)
    place = dict(zip([box.key for box in picture.boxes], rectangles(svg), strict=True))
    for box in picture.boxes:
        if box.level_with:
            assert place[box.key][1] == place[box.level_with][1]
        frame = other if box.level_with else one
        x, y, width, height = place[box.key]
        assert frame[0] < x
        assert x + width < frame[0] + frame[2]
        assert frame[1] < y
        assert y + height < frame[1] + frame[3]
    for way in ways(svg, "gradient"):
        assert way[0][1] > way[-1][1]
    for way in ways(svg, "data"):
        assert way[0][1] < way[-1][1]
    (seed_way,) = ways(svg, "seed")
    assert seed_way[0][1] == seed_way[-1][1]


def test_all_of_a_picture_is_on_its_page():
    for seed in range(20):
        root = ET.fromstring(Drawing(graph(seed)).to_svg())
        width, height = float(root.get("width", "0")), float(root.get("height", "0"))
        (moved,) = [each.get("transform", "") for each in root.findall(f"{SVG}g")]
        right, down = [float(number) for number in moved.removeprefix("translate(").removesuffix(")").split()]
        for x, y, w, h in rectangles(ET.tostring(root, encoding="unicode")):
            assert x + right >= 0
            assert y + down >= 0
            assert x + right + w <= width
            assert y + down + h <= height


def test_what_leaves_one_box_shares_its_way():
    boxes = tuple([Box(f"n{n}", ("text",), "columns") for n in range(6)])
    arrows = [Arrow(f"n{n}", f"n{n + 1}") for n in range(5)] + [Arrow("n0", f"n{n}") for n in range(2, 6)]
    drawn = ways(Drawing(Picture(boxes, tuple(arrows))).to_svg())
    first = [way for way in drawn if way[0][1] == min(each[0][1] for each in drawn)]
    # To the box below, and the trunk of all others.
    assert len(first) == 2
    trunk = max(first, key=len)
    for way in drawn[6:]:
        assert way is trunk or any(abs(way[0][0] - x) < 0.2 and abs(way[0][1] - y) < 0.2 for x, y in trunk)


def test_long_texts_are_cut_and_told_to_those_who_point_at_them():
    name = "a_name_" * 20
    svg = Drawing(Picture((Box("n", (name, "漢" * 60), "source"),), ())).to_svg()
    ((_, _, width, _),) = rectangles(svg)
    assert width < 400
    root = ET.fromstring(svg)
    (title,) = root.iter(f"{SVG}title")
    assert title.text == f"{name}\n{'漢' * 60}"
    texts = [each.text or "" for each in root.iter(f"{SVG}text")]
    assert all(text.endswith("…") for text in texts)
    # A line that could be too wide in another font is as wide as its box has room for.
    assert all(float(each.get("textLength", "0")) <= width - 16 for each in root.iter(f"{SVG}text"))


def test_a_picture_of_nothing():
    assert Drawing(Picture((), ())).to_svg().startswith("<svg")
    assert Drawing(Picture((), ())).to_dot().startswith("digraph")


def test_dark_pages():
    svg = Drawing(graph(2)).to_svg()
    (style,) = ET.fromstring(svg).iter(f"{SVG}style")
    rules = style.text or ""
    assert rules.startswith("@media (prefers-color-scheme:dark){")
    assert rules.count("{") == rules.count("}")
    # Nothing that stands elsewhere on a page is touched.
    assert all(
        rule.strip().startswith("svg.lazyframe ")
        for rule in rules[rules.index("{") + 1 : -1].split("}")
        if rule.strip()
    )
