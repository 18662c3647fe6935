"""Pictures of graphs: what stands in them, and where."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.drawing import Arrow, Box, Drawing, Picture
from lazyframe.drawing.layout import lay_out
from tests.lazyframe.drawing.shapes import SVG, overlaps, rectangles


@pytest.fixture
def query() -> lf.LazyFrame:
    a = lf.from_dict({"k": [1, 2], "name": ["<&>", '"'], "x": [1.0, 2.0]})
    b = lf.from_dict({"k": [1, 2], "w": [3, 4]})
    return a.filter(col("name") != "<\"&'>").join(b, on="k").group_by("name").agg(total=col("x").sum()).sort("total")


def test_a_query_as_svg_is_well_formed_and_no_boxes_overlap(query):
    svg = query.show_graph().to_svg()
    boxes = rectangles(svg)
    assert len(boxes) == len(query.explain(optimized=False).splitlines())
    assert not any(overlaps(a, b) for i, a in enumerate(boxes) for b in boxes[:i])
    texts = " ".join([each.text or "" for each in ET.fromstring(svg).iter(f"{SVG}text")])
    assert "Aggregate" in texts
    assert "sum(x) as total" in texts
    assert '<"&' in texts
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")


def test_lineage_as_svg(query):
    svg = query.lineage().to_svg()
    boxes = rectangles(svg)
    # name, x, k and k; the two columns of the result, and what holds for both.
    assert len(boxes) == 4 + 3
    assert not any(overlaps(a, b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_a_count_without_columns_stands_with_the_result():
    df = lf.from_dict({"k": [1]})
    boxes = rectangles(df.group_by("k").agg(n=lf.len()).select("n", "k").lineage().to_svg())
    left, *right = [box[0] for box in boxes]
    assert all(x > left for x in right)


def test_arrows_go_down_and_children_stand_near(query):
    picture = query.show_graph().picture
    layout = lay_out(picture, {box.key: (20.0, 100.0) for box in picture.boxes}, 10.0, 30.0)
    for arrow in picture.arrows:
        assert layout.boxes[arrow.tail].along + 20 < layout.boxes[arrow.head].along


def test_an_arrow_past_a_layer_goes_around_the_boxes_in_it():
    boxes = tuple([Box(key, (key,), "other") for key in "abcd"])
    picture = Picture(boxes, (Arrow("a", "b"), Arrow("b", "c"), Arrow("a", "c"), Arrow("d", "c")))
    layout = lay_out(picture, {box.key: (10.0, 40.0) for box in boxes}, 8.0, 20.0)
    (bend,) = layout.bends[Arrow("a", "c")]
    b = layout.boxes["b"]
    assert bend.beside < b.beside or bend.beside > b.beside + b.width
    # What nothing leads to stands beside what it is joined with.
    assert layout.boxes["d"].along == b.along


def test_groups_stand_side_by_side():
    boxes = tuple([Box(f"{group}{n}", ("text",), kind, group) for group, kind in (("forward", "columns"), ("backward", "gradient"))
                   for n in range(3)])  # fmt: skip
    arrows = [Arrow(f"{group}{n}", f"{group}{n + 1}", kind) for group, kind in (("forward", "data"), ("backward", "gradient"))
              for n in range(2)]  # fmt: skip
    found = rectangles(Drawing(Picture(boxes, tuple(arrows))).to_svg())
    assert max(box[0] + box[2] for box in found[:3]) < min(box[0] for box in found[3:])


def test_texts_for_other_programs(query):
    dot, mermaid = query.show_graph().to_dot(), query.show_graph().to_mermaid()
    count = len(query.show_graph().picture.arrows)
    assert dot.count(" -> ") == mermaid.count(" --> ") == count
    assert dot.startswith("digraph {")
    assert dot.endswith("}")
    # Quotes within labels are escaped, in the one language by a backslash and in the other by a number.
    assert '\\"&' in dot
    assert "#60;" in mermaid
    assert all(line.count('"') % 2 == 0 for line in mermaid.splitlines())


def test_shared_nodes_are_drawn_once():
    shared = lf.from_dict({"x": [1]}).filter(col("x") > 0)
    assert repr(lf.concat([shared, shared]).show_graph()).startswith("Drawing of 3 boxes and 2 arrows")


def test_deep_graphs_are_drawn():
    deep = lf.from_dict({"x": [1]}).lazy()
    for number in range(3_000):
        deep = deep.filter(col("x") > number)
    assert deep.show_graph().to_svg().count("<path class") == 3_000


def test_files(query, tmp_path):
    drawing = query.show_graph(optimized=True)
    for suffix, start in ((".svg", "<svg"), (".dot", "digraph"), (".mmd", "flowchart")):
        drawing.save(tmp_path / f"graph{suffix}")
        assert (tmp_path / f"graph{suffix}").read_text().startswith(start)
    with pytest.raises(lf.errors.InvalidArgumentError, match=r"is not written to 'graph\.png'"):
        drawing.save("graph.png")
    with pytest.raises(lf.errors.SinkError):
        drawing.save(tmp_path / "no" / "graph.svg")
