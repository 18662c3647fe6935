"""Pictures of both directions."""

from __future__ import annotations

import base64
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.drawing.picture import BACK, BESIDE, Picture

DF = lf.from_dict({"x": [1.0, 2.0, 3.0], "k": [1, 2, 2]}).lazy()


def text(picture: Picture) -> dict[str, str]:
    return {box.key: " ".join(box.lines) for box in picture.boxes}


def edges(picture: Picture, way: str | None = None) -> set[tuple[str, str]]:
    """The arrows, by the texts of their boxes."""
    named = text(picture)
    return {(named[arrow.tail], named[arrow.head]) for arrow in picture.arrows if way is None or arrow.way == way}


def test_the_first_graph_of_a_textbook():
    x, y, w = lf.param("x", 2.0), lf.param("y", 3.0), lf.param("w", 4.0)
    z = (x + y) * w
    before = z.show_graph().picture
    assert edges(before, "along") == {
        ("x 2.0", "add x + y"),
        ("y 3.0", "add x + y"),
        ("add x + y", "multiply (x + y) * w"),
        ("w 4.0", "multiply (x + y) * w"),
    }
    assert ("AddBackward", "x.grad none yet") in edges(before)
    z.backward()
    after = z.show_graph().picture
    assert edges(after, BACK) == {
        ("MultiplyBackward", "AddBackward"),
        ("MultiplyBackward", "w.grad 5.0"),
        ("AddBackward", "x.grad 4.0"),
        ("AddBackward", "y.grad 4.0"),
    }
    assert edges(after, BESIDE) == {("multiply (x + y) * w", "MultiplyBackward")}
    # The functions that PyTorch would name, in the same order.
    assert [repr(each[0]) for each in z.grad_fn.next_functions] == ["<AddBackward>", "<AccumulateGrad of w>"]
    forward = z.show_graph(backward=False).picture
    assert len(forward.boxes) == 5
    assert edges(forward) == edges(after, "along")


def test_names_and_values_of_any_sort():
    odd = lf.param("<&>\"'", float("nan"))
    cube = lf.param("cube", np.full((2, 2, 2), 2.0))
    frame = lf.from_dict({"<x>": [1.0]}).select((col("<x>") * odd * cube[0, 1, 1]).sum())
    drawing = frame.show_graph()
    named = set(text(drawing.picture).values())
    assert {"<&>\"' nan", "cube 2 x 2 x 2, norm 5.657", "cube.grad none yet"} <= named
    ET.fromstring(drawing.to_svg())
    assert all(line.count('"') % 2 == 0 for line in drawing.to_mermaid().splitlines())
    one, other = lf.param("a", 1.0), lf.param("a", 2.0)
    assert sorted(text((one * other).show_graph(backward=False).picture).values()) == [
        "a 1.0",
        "a 2.0",
        "multiply a * a",
    ]


def test_shared_rows_are_walked_once():
    a = lf.param("a", 1.0)
    shared = DF.select(y=col("x") * a)
    picture = lf.concat([shared, shared]).select(col("y").mean()).show_graph().picture
    assert [" ".join(box.lines) for box in picture.boxes if box.group == "backward"] == [
        "a.grad none yet",
        "ProjectBackward",
        "UnionBackward",
        "AggregateBackward",
    ]


def test_what_is_written_twice_is_one_value():
    x = lf.param("x", 2.0)
    picture = (x.sin() + x.sin() * 2).show_graph(backward=False).picture
    assert sorted(text(picture).values()) == ["add sin(x) + sin(x) * 2", "multiply sin(x) * 2", "sin sin(x)", "x 2.0"]


def test_constants_and_what_does_not_move():
    x, n, given = lf.param("x", 2.0), lf.param("n", 3), lf.param("given", dtype="float64")
    picture = ((x > 1).cast("float64") + x * n + given.detach() + col("t")).show_graph().picture
    named = set(text(picture).values())
    assert {"x 2.0", "n 3", "given given when it runs", "t", "x.grad none yet"} <= named
    assert not {"n.grad none yet", "given.grad none yet", "GreaterBackward", "DetachBackward"} & named


def test_elements_of_arrays():
    weights = lf.param("weights", np.array([[1.0, 2.0], [3.0, 4.0]]))
    loss = weights[0, 1] * 2.0
    lf.from_dict({"x": [1.0]}).select((loss * col("x")).sum()).backward()
    named = set(text(loss.show_graph().picture).values())
    assert {"weights[0, 1] 2.0", "weights[0, 1].grad 2.0"} <= named


def test_a_loss_of_rows():
    a, b = lf.param("a", 1.0), lf.param("b", np.array([2.0, 0.5]))
    loss = DF.filter(col("k") > 1).select(e=col("x") * a + b[0]).select((col("e") ** 2).mean())
    loss.backward()
    picture = loss.show_graph().picture
    # d/da mean((x a + b)^2) = mean(2 x (x a + b)) at x = 2, 3: 2 * (2 * 4 + 3 * 5) / 2 = 23.
    assert ("ProjectBackward", "a.grad 23.0") in edges(picture, BACK)
    # d/db: 2 * (4 + 5) / 2 = 9.
    assert ("ProjectBackward", "b.grad 2: 9, 0") in edges(picture, BACK)
    assert ("AggregateBackward", "ProjectBackward") in edges(picture, BACK)
    assert not any("Filter" in box.lines[0] and "Backward" in box.lines[0] for box in picture.boxes)
    assert ("b 2: 2, 0.5", "Project x * $a + $b[0] as e") in edges(picture, "along")


def test_what_a_gradient_does_not_reach():
    a, b = lf.param("a", 1.0), lf.param("b", 2.0)
    unused = DF.with_columns(p=col("x") * a, q=col("x") * b).select(col("q").sum()).show_graph().picture
    named = set(text(unused).values())
    assert {"a 1.0", "b.grad none yet"} <= named
    assert "a.grad none yet" not in named
    condition = DF.filter(col("x") > b).select((col("x") * a).sum()).show_graph().picture
    assert not any("b.grad" in each for each in text(condition).values())
    both = DF.with_columns(p=col("x") * b).filter(col("p") > b).select(col("p").sum()).show_graph().picture
    assert ("FilterBackward", "b.grad none yet") not in edges(both)
    assert ("ProjectBackward", "b.grad none yet") in edges(both)


def test_tables_that_are_learned():
    factors = lf.param_table("factors", {"k": [1, 2], "f": [1.0, 2.0]}, key="k")
    loss = DF.join(factors, on="k").select((col("x") * col("f")).sum())
    loss.backward()
    named = text(loss.show_graph().picture)
    # The sums of x by k: 1, and 2 + 3.
    assert "factors.grad 2 x 1: 1, 5" in named.values()
    assert sum(each.startswith("Scan") for each in named.values()) == 2


def test_only_a_loss_has_both_directions_unasked():
    a = lf.param("a", 1.0)
    for frame in (DF, DF.select(y=col("x") * a), DF.select(col("x").sum()), DF.group_by("k").agg((col("x") * a).sum())):
        picture = frame.show_graph().picture
        assert not any(box.group for box in picture.boxes)
        with pytest.raises((lf.errors.InvalidArgumentError, lf.errors.TypeMismatchError)) as caught:
            frame.show_graph(backward=True)
        assert "test_backward.py" in str(caught.value)
    with pytest.raises(lf.errors.InvalidArgumentError, match="does not move with any parameter"):
        (col("x") * 2).show_graph(backward=True)
    with pytest.raises(lf.errors.InvalidArgumentError, match="does not move with any parameter"):
        DF.select(col("x").sum()).show_graph(backward=True)


def test_the_plan_that_runs():
    a = lf.param("a", 1.0)
    loss = DF.select(((col("x") * a) ** 2).mean())
    alone, both = loss.show_graph(optimized=True), loss.show_graph(optimized=True, backward=True)
    assert "gradient" not in alone.to_dot()
    assert "gradient" in both.to_dot()
    # One look at the rows for both.
    assert both.to_dot().count("Scan") == 1


def test_texts_and_notebooks():
    x, y = lf.param("x", 2.0), lf.param("y", 3.0)
    drawing = (x * y).show_graph()
    dot = drawing.to_dot()
    assert dot.count("dir=back") == 2
    assert dot.count("constraint=false") == 1
    mermaid = drawing.to_mermaid()
    assert 'subgraph g1["backward"]' in mermaid
    assert mermaid.count("stroke:#c2417c") == 4
    shown = drawing._repr_html_()
    address = shown.partition("base64,")[2].partition('"')[0]
    assert base64.b64decode(address).decode() == drawing._repr_svg_()


def test_deep_expressions():
    x = lf.param("x", 2.0)
    deep = x
    for _ in range(400):
        deep = deep * 1.01 + x
    picture = deep.show_graph().picture
    assert len(picture.boxes) == 2 * 801
    assert deep.show_graph().to_svg().count('<path class="gradient"') == 1200
