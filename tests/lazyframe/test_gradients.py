"""`lf.grad`, `lf.value_and_grad` and `backward()`: values worked out by hand, and what is refused."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import lazyframe as lf
from lazyframe.errors import EvaluationError, InvalidArgumentError, TypeMismatchError, UnsupportedError
from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Aggregate, Scan
from lazyframe.session import planned
from tests.differences import slopes


def parameters():
    return lf.param("x", 2.0), lf.param("y", 3.0), lf.param("w", 4.0)


class TestTextbook:
    def test_sum_times(self):
        x, y, w = parameters()
        assert lf.value_and_grad((x + y) * w, [x, y, w]) == (20.0, [4.0, 4.0, 5.0])

    def test_powers(self):
        x, y, _ = parameters()
        assert lf.value_and_grad((x**2 + y**3) * 2, [x, y]) == (62.0, [8.0, 54.0])

    def test_backward_adds_up(self):
        x, y, w = parameters()
        z = (x + y) * w
        z.backward()
        z.backward(w=1.0)
        assert (x.grad, y.grad, w.grad) == (5.0, 5.0, 10.0)

    def test_lazily_as_a_frame(self):
        x, y, w = parameters()
        assert lf.grad((x + y) * w, wrt=[x, w]).to_dicts() == [{"x": 4.0, "w": 5.0}]

    def test_second_derivatives_of_an_expression(self):
        x, y, _ = parameters()
        z = (x**2 + y**3) * 2
        assert lf.value_and_grad(lf.grad(z, y), [y]) == (54.0, [36.0])
        assert lf.value_and_grad(lf.grad(x * y * y, x), [y]) == (9.0, [6.0])

    def test_linear_regression_by_hand(self):
        # Residuals -1, 0, 1 of y = 2 x at w = 2: the mean of -2 r x is -2 (-1 + 0 + 3) / 3.
        w = lf.param("w", 2.0)
        frame = lf.from_dict({"x": [1.0, 2.0, 3.0], "y": [1.0, 4.0, 7.0]})
        loss = frame.select(((lf.col("y") - w * lf.col("x")) ** 2).mean())
        value, (slope,) = lf.value_and_grad(loss, [w])
        assert value == pytest.approx(2 / 3)
        assert slope == pytest.approx(-4 / 3)
        assert lf.value_and_grad(lf.grad(loss, w), [w])[1] == [pytest.approx(28 / 3)]

    def test_softmax_cross_entropy_of_two(self):
        a, b = lf.param("a", 1.0), lf.param("b", 3.0)
        loss = (a.exp() + b.exp()).log() - a
        share = np.exp([1.0, 3.0]) / np.exp([1.0, 3.0]).sum()
        assert lf.value_and_grad(loss, [a, b])[1] == pytest.approx([share[0] - 1, share[1]], rel=1e-14)


def network(frame, hidden, out):
    """Two inputs, four units, one output."""
    units = [unit.clip(0.0) for unit in hidden.dot(["p", "q", 1.0])]
    return frame.select(((out.dot([*units, 1.0]) - lf.col("t")) ** 2).mean())


def test_network_of_two_layers_follows_numpy():
    rng = np.random.default_rng(7)
    data = rng.normal(size=(64, 2))
    target = data[:, 0] * data[:, 1]
    first, second = rng.normal(size=(4, 3)), rng.normal(size=5)
    hidden, out = lf.param("hidden", first), lf.param("out", second)
    loss = network(
        lf.from_dict({"p": data[:, 0].tolist(), "q": data[:, 1].tolist(), "t": target.tolist()}), hidden, out
    )
    inputs = np.column_stack([data, np.ones(64)])
    for _ in range(20):
        before = inputs @ first.T
        units = np.column_stack([np.maximum(before, 0), np.ones(64)])
        residual = units @ second - target
        of_second = 2 * residual @ units / 64
        of_first = (2 * residual[:, None] / 64 * second[:4] * (before > 0)).T @ inputs
        value, (a, b) = lf.value_and_grad(loss, [hidden, out])
        assert value == pytest.approx((residual**2).mean(), rel=1e-12)
        np.testing.assert_allclose(a, of_first, rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(b, of_second, rtol=1e-10, atol=1e-13)
        first, second = first - 0.1 * of_first, second - 0.1 * of_second
        hidden.value, out.value = hidden.value - 0.1 * a, out.value - 0.1 * b


class TestPlans:
    def test_one_aggregate_over_one_scan(self):
        weights = lf.param("w", np.linspace(-1, 1, 20))
        frame = lf.from_dict({f"x{i}": [0.1 * i, 1.0, -0.3] for i in range(20)} | {"y": [1.0, 2.0, 3.0]})
        loss = frame.select(((lf.col("y") - weights.dot([f"x{i}" for i in range(20)])) ** 2).mean())
        plan = planned(lf.grad(loss, [weights])._plan)
        assert [type(node) for node in postorder(plan) if isinstance(node, (Scan, Aggregate))] == [Scan, Aggregate]
        np.testing.assert_allclose(
            lf.value_and_grad(loss, [weights])[1][0], slopes(loss, weights), rtol=1e-8, atol=1e-9
        )

    def test_gradient_of_an_array_is_a_column_of_lists(self):
        matrix = lf.param("m", np.array([[1.0, 2.0], [3.0, 4.0]]))
        loss = lf.from_dict({"x": [1.0, 2.0]}).select((lf.col("x") * matrix[0, 1] + matrix[1, 0] ** 2).sum())
        assert lf.grad(loss, [matrix]).to_dicts() == [{"m": [[0.0, 3.0], [12.0, 0.0]]}]
        assert lf.grad(loss, [matrix[1, 0]]).to_dicts() == [{"m[1, 0]": 12.0}]

    def test_the_gradient_is_a_plan_that_runs_with_other_values(self):
        w = lf.param("w", 1.0)
        slope = lf.grad(lf.from_dict({"x": [1.0, 2.0]}).select((w**2 * lf.col("x")).sum()), [w])
        assert slope.item() == 6.0
        assert slope.collect(w=5.0).item() == 30.0
        assert "$w" in slope.explain()

    def test_no_rows(self):
        w = lf.param("w", 1.0)
        loss = lf.from_dict({"x": [1.0]}).filter(lf.col("x") > 1).select((w * lf.col("x")).sum())
        assert lf.value_and_grad(loss, [w]) == (None, [None])
        with pytest.raises(EvaluationError, match="null"):
            loss.backward()
        assert w.grad is None

    def test_rows_that_do_not_count_give_nothing(self):
        # Where x is null, w + x is, and the sum leaves it out: it has three rows.
        w = lf.param("w", 1.0)
        frame = lf.from_dict({"x": [1.0, None, 2.0, 3.0], "g": [1, 1, 1, 2]})
        assert lf.value_and_grad(frame.select((w + lf.col("x")).sum()), [w]) == (9.0, [3.0])
        assert lf.value_and_grad(frame.select((w + lf.col("x")).mean()), [w]) == (3.0, [1.0])
        by_group = frame.group_by("g").agg(s=(w + lf.col("x")).sum()).select((lf.col("s") ** 2).sum())
        assert lf.value_and_grad(by_group, [w])[1] == [2 * 5.0 * 2 + 2 * 4.0]

    def test_expression_of_aggregates(self):
        w = lf.param("w", 2.0)
        frame = lf.from_dict({"x": [1.0, 2.0, 3.0]})
        total = (lf.col("x") * w).sum() ** 2
        assert frame.select(lf.grad(total, w)).item() == 2 * 12 * 6

    def test_random_numbers_are_drawn_once(self):
        w = lf.param("w", 1.0)
        frame = lf.from_dict({"x": [1.0] * 50}).with_columns(r=lf.random(), k=1)
        value, (slope,) = lf.value_and_grad(frame.select((w * lf.col("r") * lf.col("x")).sum()), [w])
        assert value == pytest.approx(slope, rel=1e-14)
        groups = frame.group_by("k").agg(s=(w * lf.col("r")).sum(), m=(w * lf.col("r")).max())
        value, (slope,) = lf.value_and_grad(groups.select(lf.col("s").sum() + lf.col("m").sum()), [w])
        assert value == pytest.approx(slope, rel=1e-14)

    def test_names_that_clash(self):
        w = lf.param("w", 2.0)
        frame = lf.from_dict({"w": [1.0, 2.0], "loss": [3.0, 4.0], "agg": [1.0, 1.0], "adjoint": [1.0, 1.0]})
        loss = frame.select(loss=(lf.col("loss") * w * lf.col("w") * lf.col("agg") * lf.col("adjoint")).max() + w)
        assert lf.value_and_grad(loss, [w]) == (18.0, [9.0])
        assert lf.grad(loss, [w]).columns == ["w"]

    def test_a_parameter_used_in_sql_over_a_frame(self):
        w = lf.param("w", 2.0)
        frame = lf.from_dict({"k": [1, 1, 2], "x": [1.0, 2.0, 3.0]}).with_columns(p=lf.col("x") * w)
        loss = lf.sql("with g as (select k, sum(p) as s from f group by k) select sum(s * s) as l from g", f=frame)
        assert lf.value_and_grad(loss, [w]) == (72.0, [72.0])


class TestStopping:
    def test_detach(self):
        x, y, _ = parameters()
        assert lf.value_and_grad(x * (x * y).detach(), [x]) == (12.0, [6.0])

    def test_no_grad(self):
        x, y, _ = parameters()
        with lf.no_grad():
            scale = x * y
            count = scale.sum() + x.sum()
        assert lf.value_and_grad(x * scale, [x]) == (12.0, [6.0])
        assert not scale.requires_grad
        assert not count.requires_grad
        assert (x * y).requires_grad

    def test_one_block_may_be_entered_twice(self):
        x, y, _ = parameters()
        block = lf.no_grad()
        with block, block:
            pass
        assert (x * y).requires_grad

    def test_tasks_record_each_for_itself(self):
        x, y, _ = parameters()

        async def without():
            with lf.no_grad():
                await asyncio.sleep(0)
                return (x * y).requires_grad

        async def recorded():
            return (x * y).requires_grad

        async def both():
            return await asyncio.gather(without(), recorded())

        assert asyncio.run(both()) == [False, True]

    def test_no_grad_leaves_values_and_names(self):
        with lf.no_grad():
            frame = lf.from_dict({"x": [1, 2, None], "k": [1, 1, 2]})
            found = frame.group_by("k").agg(
                (lf.col("x") * 2).sum(), n=lf.len(), f=lf.col("x").first().filter(lf.col("x") > 1)
            )
            shifted = frame.select(lf.col("x").shift(1), y=lf.when(lf.col("x") > 1).then("k").otherwise(0))
        assert found.to_dicts() == [{"k": 1, "x": 6, "n": 2, "f": 2}, {"k": 2, "x": None, "n": 1, "f": None}]
        assert shifted.to_dict() == {"x": [None, 1, 2], "y": [0, 1, 0]}


class TestGraph:
    def test_leaves(self):
        x, y, _ = parameters()
        assert (x.is_leaf, x.requires_grad, x.grad_fn) == (True, True, None)
        assert (lf.col("a").is_leaf, lf.col("a").requires_grad) == (True, False)
        assert not lf.param("n", 3).requires_grad
        assert (x + y).is_leaf is False

    def test_functions(self):
        x, y, w = parameters()
        made = ((x + y) * w).grad_fn
        assert made.name == "MultiplyBackward"
        (added, _), (leaf, _) = made.next_functions
        assert added.name == "AddBackward"
        assert leaf.name == "AccumulateGrad of w"
        assert leaf.next_functions == ()
        assert (x * 2).grad_fn.next_functions[1] == (None, 0)

    def test_frames(self):
        w = lf.param("w", 1.0)
        frame = lf.from_dict({"x": [1.0]})
        loss = frame.with_columns(p=w * lf.col("x")).select(lf.col("p").sum())
        assert (frame.requires_grad, loss.requires_grad) == (False, True)
        assert loss.grad_fn.name == "AggregateBackward"
        assert not frame.filter(lf.col("x") > w).requires_grad


def refusal(error, function):
    with pytest.raises(error) as caught:
        function()
    return str(caught.value)


class TestRefusals:
    """Each names the line, says why and what to do."""

    frame = lf.from_dict({"k": [1, 2, 2], "x": [1.0, 2.0, 3.0]})

    def test_no_use_of_the_parameter(self):
        x, y, _ = parameters()
        text = refusal(InvalidArgumentError, lambda: lf.value_and_grad(x * 2, [y]))
        assert "does not depend on the parameter 'y'" in text
        assert "lf.value_and_grad(x * 2, [y])" in text

    def test_only_steps(self):
        w = lf.param("w", 1.5)
        loss = self.frame.select((w.floor() * lf.col("x")).sum())
        text = refusal(InvalidArgumentError, lambda: lf.grad(loss, [w]))
        assert "no differentiable path" in text
        assert "it only passes floor(), constant between its steps, which has no slope" in text
        assert "w.floor() * lf.col" in text

    def test_only_a_condition(self):
        w = lf.param("w", 1.5)
        loss = self.frame.filter(lf.col("x") > w).select(lf.col("x").sum())
        text = refusal(InvalidArgumentError, lambda: lf.grad(loss, [w]))
        assert "the condition of a filter" in text
        assert 'filter(lf.col("x") > w)' in text

    def test_only_a_key(self):
        w = lf.param("w", 1.5)
        loss = self.frame.group_by(g=lf.col("x") * w).agg(n=lf.len()).select((lf.col("n") * 1.0).sum())
        text = refusal(InvalidArgumentError, lambda: lf.grad(loss, [w]))
        assert "a key of groups" in text

    def test_integer_parameter(self):
        n = lf.param("n", 2)
        text = refusal(TypeMismatchError, lambda: lf.grad(self.frame.select((lf.col("x") * n).sum()), [n]))
        assert "'n' is int64" in text
        assert "lf.param('n', 1.0)" in text

    def test_integer_column(self):
        text = refusal(TypeMismatchError, lambda: self.frame.select(lf.grad(lf.col("k") * 1.5, "k")))
        assert "the column 'k' is int64" in text

    def test_a_loss_of_many_rows(self):
        w = lf.param("w", 1.5)
        text = refusal(InvalidArgumentError, lambda: lf.grad(self.frame.select(p=lf.col("x") * w), [w]))
        assert "many rows" in text
        assert ".mean()" in text

    def test_a_loss_of_many_columns(self):
        w = lf.param("w", 1.5)
        loss = self.frame.select(a=(lf.col("x") * w).sum(), b=lf.col("x").sum())
        assert "2 columns: 'a', 'b'" in refusal(InvalidArgumentError, lambda: lf.grad(loss, [w]))

    def test_a_loss_that_counts(self):
        w = lf.param("w", 1.5)
        assert "int64" in refusal(TypeMismatchError, lambda: lf.grad(self.frame.select(lf.len()), [w]))

    def test_limit_without_order(self):
        w = lf.param("w", 1.5)
        loss = self.frame.with_columns(p=lf.col("x") * w).head(2).select(lf.col("p").sum())
        text = refusal(UnsupportedError, lambda: lf.grad(loss, [w]))
        assert "a limit without an order" in text
        assert ".head(2)" in text
        ordered = self.frame.with_columns(p=lf.col("x") * w).sort("x").head(2).select(lf.col("p").sum())
        assert lf.value_and_grad(ordered, [w]) == (4.5, [3.0])
        # The rows before the parameter is used are data like any other.
        assert lf.value_and_grad(self.frame.head(2).select((lf.col("x") * w).sum()), [w]) == (4.5, [3.0])

    @pytest.mark.parametrize("name", ["mode", "n_unique"])
    def test_aggregates_without_a_derivative(self, name):
        w = lf.param("w", 1.5)
        loss = self.frame.select(getattr(lf.col("x") * w, name)() * 1.0)
        error = UnsupportedError if name == "mode" else InvalidArgumentError
        assert f"{name}()" in refusal(error, lambda: lf.grad(loss, [w]))

    def test_a_python_function(self):
        w = lf.param("w", 1.5)
        frame = self.frame.with_columns(p=lf.col("x") * w)
        loss = frame.map_batches(lambda t: t, schema=frame.schema.to_arrow()).select(lf.col("p").sum())
        assert "Python function" in refusal(UnsupportedError, lambda: lf.grad(loss, [w]))

    def test_a_function_that_python_runs(self):
        w = lf.param("w", 1.5)

        @lf.trace(fallback=True, returns="float64")
        def opaque(value):
            return float(str(value))

        moving = opaque(lf.col("x") * w)
        loss = self.frame.select((moving + w).sum())
        assert "Python runs" in refusal(UnsupportedError, lambda: lf.grad(loss, [w]))
        still = moving.detach()
        rows = self.frame.count()
        assert lf.value_and_grad(self.frame.select((still + w).sum()), [w])[1] == [float(rows)]

    def test_what_is_no_parameter(self):
        assert "none" in refusal(InvalidArgumentError, lambda: lf.value_and_grad(lf.param("x", 1.0) * 2, [3]))
        loss = self.frame.select((lf.col("x") * lf.param("w", 1.0)).sum())
        assert "by parameters" in refusal(InvalidArgumentError, lambda: lf.grad(loss, [lf.col("x")]))
        assert "3 is none" in refusal(InvalidArgumentError, lambda: lf.grad(loss, 3))
        assert "3 is none" in refusal(InvalidArgumentError, lambda: lf.value_and_grad(loss, 3))

    def test_an_expression_over_columns_is_no_loss(self):
        w = lf.param("w", 1.5)
        text = refusal(InvalidArgumentError, lambda: lf.value_and_grad((lf.col("x") * w).sum(), [w]))
        assert "frame.select(loss)" in text

    def test_nothing_to_walk_back_to(self):
        assert "any parameter" in refusal(InvalidArgumentError, lambda: self.frame.select(lf.col("x").sum()).backward())


class TestNames:
    """Parameters by their names, as SQL has them."""

    frame = lf.from_dict({"x": [1.0, 2.0], "i": [1, 2]})

    def test_a_prepared_query(self):
        loss = lf.prepare("select sum((x * $w - $b) ** 2) as loss from f", f=self.frame)
        # (w - 1)² + (2w - 1)² at w = 2.
        value, found = lf.value_and_grad(loss, ["w", "b"], w=2.0, b=1.0)
        assert (value, found) == (10.0, [2 + 12, -2 * (1 + 3)])
        first = lf.grad(loss, "w")
        assert first.collect(w=2.0, b=1.0).to_dicts() == [{"w": 14.0}]
        assert lf.value_and_grad(first, "w", w=2.0, b=1.0) == (14.0, [10.0])

    def test_a_frame(self):
        w = lf.param("w", 3.0)
        loss = self.frame.select((lf.col("x") * w).sum())
        assert lf.value_and_grad(loss, "w") == (9.0, [3.0])

    def test_refusals(self):
        loss = lf.prepare("select sum(x) + sum(i * $w) as loss from f", f=self.frame)
        assert "$w::DOUBLE" in refusal(TypeMismatchError, lambda: lf.value_and_grad(loss, ["w"], w=2))
        typed = lf.prepare("select sum(x) + sum(i * $w::double) as loss from f", f=self.frame)
        assert lf.value_and_grad(typed, ["w"], w=2) == (9.0, [3.0])
        assert "did you mean 'w'?" in refusal(InvalidArgumentError, lambda: lf.value_and_grad(typed, ["v"], w=2))
