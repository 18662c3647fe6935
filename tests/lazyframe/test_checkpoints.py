"""What `lf.checkpoint` keeps, and what it computes again."""

from __future__ import annotations

import numpy as np
import pytest

import lazyframe as lf
from lazyframe import col, session
from lazyframe.errors import InvalidArgumentError
from lazyframe.executors.lower import lower
from lazyframe.executors.vectorized.operators.collect import Collect

_rng = np.random.default_rng(2)
ROWS = lf.DataFrame({"k": _rng.integers(0, 5, 300), "x": _rng.normal(size=300)})
SIDE = lf.from_dict({"k": [0, 1, 2, 3], "z": [1.0, 2.0, -1.0, 0.5]})


def losses(frame):
    a = lf.param("a", 0.6)
    p = col("x") * col("z") * a
    return a, [
        frame.select(((p - 1) ** 2).mean()),
        frame.with_columns(p=p).group_by("k").agg(m=col("p").max() - col("p").mean()).select((col("m") ** 2).sum()),
    ]


def kept_rows(frame):
    """How many pipelines keep all rows of what they read, for several readers."""
    context = session.new_context()
    sinks = [pipeline.sink for pipeline in lower([session.planned(frame._plan)], context).pipelines]
    return sum(type(sink) is Collect for sink in sinks)


@pytest.mark.parametrize("keep", [False, True])
def test_values_and_gradients_are_the_same(keep):
    joined = ROWS.join(SIDE, on="k")
    a, plain = losses(joined)
    b, marked = losses(lf.checkpoint(joined, keep=keep))
    for loss, other in zip(plain, marked, strict=True):
        assert lf.value_and_grad(loss, [a]) == lf.value_and_grad(other, [b])
        assert lf.grad(lf.grad(loss, a), a).item() == lf.grad(lf.grad(other, b), b).item()


def test_rows_are_computed_for_each_reader_and_none_are_kept():
    joined = ROWS.join(SIDE, on="k")

    def both(frame):
        product = col("x") * col("z")
        return lf.concat([frame.select(v=product.sum()), frame.select(v=product.max())])

    usual, again, kept = both(joined), both(lf.checkpoint(joined)), both(lf.checkpoint(joined, keep=True))
    assert usual.to_dict() == again.to_dict() == kept.to_dict()
    assert [kept_rows(frame) for frame in (usual, again, kept)] == [1, 0, 1]
    text = again.explain()
    assert "Recomputed for reader 1" in text
    assert "Recomputed for reader 2" in text
    assert "Shared" in kept.explain()


def test_a_checkpoint_within_another_and_several_of_them():
    inner = lf.checkpoint(ROWS.filter(col("x") > 0))
    outer = lf.checkpoint(lf.concat([inner, inner.filter(col("x") > 1)]))
    twice = lf.concat([outer.select(s=col("x").sum()), outer.select(s=col("x").max())])
    x = ROWS["x"].to_pylist()
    some = [v for v in x if v > 0] + [v for v in x if v > 1]
    assert twice.to_dict()["s"] == pytest.approx([sum(some), max(some)])


def test_one_reader_needs_no_mark():
    assert "Recomputed" not in lf.checkpoint(ROWS).select(col("x").sum()).explain()


def test_limits_and_empty_frames():
    first = lf.checkpoint(ROWS.limit(3))
    assert lf.concat([first.select("x"), first.select(x=col("x") * 2)]).count() == 6
    nothing = lf.checkpoint(ROWS.filter(col("x") > 100))
    assert lf.concat([nothing, nothing]).count() == 0


def test_refusals():
    with pytest.raises(InvalidArgumentError, match="drawn at random"):
        lf.checkpoint(ROWS.with_columns(r=lf.random()))
    drawn = lf.checkpoint(ROWS.with_columns(r=lf.random()), keep=True)
    assert drawn.join(drawn, on=["k", "x", "r"], how="anti").count() == 0
    with pytest.raises(InvalidArgumentError, match="takes a frame, not an Expr"):
        lf.checkpoint(col("x"))
