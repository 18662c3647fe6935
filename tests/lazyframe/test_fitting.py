"""`lf.fit`: mini-batches, progress, what it leaves behind when it is stopped."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.errors import InvalidArgumentError

ROWS = 23
_rng = np.random.default_rng(3)
X = _rng.normal(size=ROWS)
Y = 2 * X - 1 + _rng.normal(size=ROWS) * 0.1
POINTS = lf.from_dict({"x": X.tolist(), "y": Y.tolist(), "k": [i % 3 for i in range(ROWS)]})
SIDE = lf.from_dict({"k": [0, 1, 2], "z": [1.0, 2.0, 3.0]})


def line(frame=POINTS):
    w, b = lf.param("w", 0.0), lf.param("b", 0.0)
    return w, b, frame.select(((w * col("x") + b - col("y")) ** 2).mean())


def sgd_by_hand(size, seed, epochs, lr):
    w = b = 0.0
    losses = []
    for epoch in range(epochs):
        order = np.random.default_rng([seed, epoch]).permutation(ROWS)
        for start in range(0, ROWS, size):
            rows = order[start : start + size]
            off = w * X[rows] + b - Y[rows]
            losses.append(np.mean(off**2))
            w, b = w - lr * np.mean(2 * off * X[rows]), b - lr * np.mean(2 * off)
    return w, b, losses


class TestBatches:
    def test_every_step_is_one_of_sgd_over_some_rows(self):
        w, b, loss = line()
        history = lf.fit(loss, [w, b], lf.optim.SGD([w, b], lr=0.05), epochs=3, batch_size=5, seed=7)
        expected = sgd_by_hand(5, 7, 3, 0.05)
        assert [w.value, b.value] == pytest.approx(expected[:2], rel=1e-12)
        assert history.losses == pytest.approx(expected[2], rel=1e-12)

    def test_the_same_seed_gives_the_same_bits_and_another_does_not(self):
        def run(seed):
            w, b, loss = line()
            lf.fit(loss, [w, b], lf.optim.Adam([w, b], lr=0.05), steps=40, batch_size=4, seed=seed)
            return w.value, b.value

        assert run(1) == run(1)
        assert run(1) != run(2)

    def test_an_epoch_visits_each_row_once(self):
        frame = lf.from_dict({"bit": [float(2**i) for i in range(10)]})
        w = lf.param("w", 1.0)
        loss = frame.select((col("bit") * w).sum())
        history = lf.fit(loss, [w], lf.optim.SGD([w], lr=0.0), epochs=2, batch_size=3)
        assert len(history.losses) == 8
        bits = [{i for i in range(10) if int(each) >> i & 1} for each in history.losses]
        assert [len(each) for each in bits] == [3, 3, 3, 1] * 2
        assert set().union(*bits[:4]) == set().union(*bits[4:]) == set(range(10))
        assert bits[:4] != bits[4:]

    def test_a_batch_of_all_rows_or_more(self):
        w, b, loss = line()
        history = lf.fit(loss, [w, b], lf.optim.SGD([w, b], lr=0.0), epochs=2, batch_size=100)
        assert history.losses == pytest.approx([loss.collect(w=0.0, b=0.0).item()] * 2, rel=1e-12)

    def test_joins_filters_and_groups_in_the_loss(self):
        w = lf.param("w", 1.0)
        batch = POINTS.filter(col("x") > -1)
        total = batch.join(SIDE, on="k").group_by("k").agg(s=(col("x") * col("z") * w).sum()).select(col("s").sum())
        history = lf.fit(total, [w], lf.optim.SGD([w], lr=0.0), epochs=1, batch_size=4, over=batch)
        z = np.array([1.0, 2.0, 3.0])[np.arange(ROWS) % 3]
        assert sum(history.losses) == pytest.approx((X * z)[X > -1].sum(), rel=1e-12)
        assert w.grad == pytest.approx(history.losses[-1], rel=1e-12)

    def test_a_frame_that_is_read_twice_is_the_same_batch_in_both_places(self):
        w = lf.param("w", 1.0)
        both = POINTS.join(POINTS.select("y", u=col("x")), on="y").select((col("x") - col("u") * w).abs().sum())
        history = lf.fit(both, [w], lf.optim.SGD([w], lr=0.0), epochs=1, batch_size=4, over=POINTS)
        assert history.losses == [0.0] * 6

    def test_sql_and_parquet(self, tmp_path):
        POINTS.sink_parquet(tmp_path / "points.parquet")
        points = lf.scan_parquet(str(tmp_path / "points.parquet"))
        w = lf.param("w", 0.5)
        loss = lf.sql("select avg((x * $w - y) ** 2) as l from points where k <> 1", w=w, points=points)
        lf.fit(loss, [w], lf.optim.SGD([w], lr=0.01), steps=5, batch_size=6, seed=2)
        assert w.value != 0.5

    def test_texts_and_nulls_stay(self):
        frame = lf.from_dict({"s": ["a", None, "b", "a"], "x": [1.0, 2.0, None, 4.0]})
        w = lf.param("w", 1.0)
        loss = frame.select(
            (lf.when(col("s") == "a").then(col("x")).otherwise(col("x") * 100) * w).sum().fill_null(0.0)
        )
        history = lf.fit(loss, [w], lf.optim.SGD([w], lr=0.0), epochs=1, batch_size=1)
        assert sorted(history.losses) == [0.0, 1.0, 4.0, 200.0]

    def test_it_is_planned_once(self, monkeypatch):
        from lazyframe.planner import optimizer

        w, b, loss = line()
        seen = []
        real = optimizer.optimize
        monkeypatch.setattr(optimizer, "optimize", lambda *args, **options: seen.append(1) or real(*args, **options))
        lf.fit(loss, [w, b], lf.optim.SGD([w, b]), steps=2, batch_size=5)
        before = len(seen)
        w, b, loss = line()
        lf.fit(loss, [w, b], lf.optim.SGD([w, b]), steps=20, batch_size=5)
        assert len(seen) == 2 * before

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"batch_size": 0, "steps": 1}, "at least one row"),
            ({"batch_size": 2, "steps": 1, "over": SIDE}, "does not read the frame"),
            ({"batch_size": 2, "steps": 1, "over": "points"}, "from a frame, not from a str"),
            ({"over": POINTS, "steps": 1}, "batch_size= beside it"),
            ({"steps": 1, "epochs": 1}, "either steps or epochs"),
            ({}, "either steps or epochs"),
            ({"steps": -1}, "0 or more"),
        ],
    )
    def test_refusals(self, arguments, message):
        w, b, loss = line()
        with pytest.raises(InvalidArgumentError, match=message):
            lf.fit(loss, [w, b], lf.optim.SGD([w, b]), **arguments)

    def test_which_table_must_be_said_and_have_rows(self):
        w = lf.param("w", 1.0)
        optimizer = lf.optim.SGD([w])
        joined = POINTS.join(SIDE, on="k").select((col("z") * w).sum())
        with pytest.raises(InvalidArgumentError, match="reads 2 tables"):
            lf.fit(joined, [w], optimizer, steps=1, batch_size=2)
        empty = POINTS.filter(col("x") > 100)
        with pytest.raises(InvalidArgumentError, match="no rows"):
            lf.fit(empty.select((col("x") * w).sum()), [w], optimizer, steps=1, batch_size=2, over=empty)
        moving = POINTS.with_columns(p=col("x") * w)
        with pytest.raises(InvalidArgumentError, match="has parameters"):
            lf.fit(moving.select(col("p").sum()), [w], optimizer, steps=1, batch_size=2, over=moving)


class TestHistory:
    def test_norms_and_seconds(self):
        w = lf.param("w", np.array([3.0, 4.0]))
        history = lf.fit(w[0] ** 2 / 2 + w[1] ** 2 / 2, [w], lf.optim.SGD([w], lr=0.5), steps=2)
        assert history.norms == [5.0, 2.5]
        assert len(history.seconds) == 2
        assert min(history.seconds) > 0


class Stopped(lf.optim.SGD):
    """Is interrupted in the third step of two parameters, between them."""

    moves = 0

    def _moved(self, value, slope, state):
        self.moves += 1
        if self.moves == 6:
            raise KeyboardInterrupt
        return super()._moved(value, slope, state)


def test_an_interrupt_leaves_the_last_full_step():
    w, b, loss = line()
    whole = lf.optim.SGD([w, b], lr=0.1, momentum=0.5)
    lf.fit(loss, [w, b], whole, steps=2)
    expected = w.value, b.value
    lf.fit(loss, [w, b], whole, steps=1)
    following = w.value, b.value
    w, b, loss = line()
    optimizer = Stopped([w, b], lr=0.1, momentum=0.5)
    with pytest.raises(KeyboardInterrupt) as caught:
        lf.fit(loss, [w, b], optimizer, steps=10)
    assert (w.value, b.value) == expected
    assert optimizer.steps == 2
    assert len(caught.value.history.losses) == 2
    assert caught.value.__notes__ == ["fit() stopped: the parameters have their values after step 2 of 10"]
    lf.fit(loss, [w, b], optimizer, steps=1)
    assert (w.value, b.value) == following


class Terminal(io.StringIO):
    def isatty(self):
        return True


class TestProgress:
    def run(self, **options):
        w, b, loss = line()
        lf.fit(loss, [w, b], lf.optim.SGD([w, b], lr=0.0), steps=3, **options)

    def test_nothing_is_shown_where_output_is_captured(self, capsys):
        self.run()
        assert capsys.readouterr() == ("", "")

    def test_a_terminal_has_a_bar_unless_it_is_not_wanted(self, monkeypatch):
        monkeypatch.setattr(sys, "stderr", Terminal())
        self.run(progress=False)
        assert sys.stderr.getvalue() == ""
        self.run()
        assert "3/3" in sys.stderr.getvalue()

    def test_a_bar_that_is_asked_for(self, capsys):
        self.run(progress=True)
        out, err = capsys.readouterr()
        assert out == ""
        assert "3/3" in err
        assert "loss" in err


def test_a_value_of_a_table_that_is_no_number_is_named_with_what_leaves_it_out():
    frame = lf.from_dict({"x": [1.0, float("nan"), 2.0], "y": [1.0, 2.0, 3.0]})
    w = lf.param("w", 0.0)
    with pytest.raises(lf.errors.EvaluationError) as caught:
        lf.fit(frame.select(((w * col("x") - col("y")) ** 2).mean()), [w], lf.optim.SGD([w], lr=0.1), steps=3)
    assert "became nan in step 1, with w = 0.0; it began in the column 'x'" in caught.value.message
    assert "filter(lf.col('x').is_finite())" in caught.value.hint
    known = frame.filter(col("x").is_finite())
    lf.fit(known.select(((w * col("x") - col("y")) ** 2).mean()), [w], lf.optim.SGD([w], lr=0.1), steps=3)
