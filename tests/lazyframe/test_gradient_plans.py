"""Gradients through every relation, beside differences of the loss; and second derivatives, beside differences of the first."""

from __future__ import annotations

import numpy as np
import pytest

import lazyframe as lf
from lazyframe.planner.graph import postorder
from lazyframe.planner.optimizer import optimize
from lazyframe.walks_back import plan_with_gradients
from tests.differences import slopes

_rng = np.random.default_rng(5)
_ROWS = 40

FACTS = lf.from_dict(
    {
        "id": list(range(_ROWS)),
        "k": _rng.integers(0, 5, _ROWS).tolist(),
        "t": _rng.integers(0, 8, _ROWS).tolist(),
        "x": _rng.normal(size=_ROWS).tolist(),
        "y": [None if i % 7 == 0 else float(v) for i, v in enumerate(_rng.normal(size=_ROWS))],
    }
)
SIDE = lf.from_dict({"k": [0, 1, 2, 3, 9], "z": [0.5, 1.5, -0.3, 2.0, 1.0]})

ZEROS = lf.from_dict(
    {"k": [0, 0, 0, 1, 1, 1, 2, 2, 3], "x": [0, 1, 2, 0, 0, 3, 0, 0, 0], "c": [1.0, 2, 3, 4, 5, 6, 7, 8, 9]}
)
LISTS = lf.from_dict({"k": [0, 1, 2, 3], "l": [[1.0, 2.0], [], None, [3.0, None, 0.5]]})

a, b = lf.param("a", 0.7), lf.param("b", -0.4)
x, y, z = lf.col("x"), lf.col("y"), lf.col("z")
m = x * a + b
p, q, g = lf.col("p"), lf.col("q"), lf.col("g")
MOVED = FACTS.with_columns(p=m)


def _frame(query: str, **frames: lf.LazyFrame) -> lf.LazyFrame:
    return lf.sql(query, **frames)


_groups = FACTS.group_by("k").agg(g=(m**2).sum())
LOSSES = {
    "lag with a value for no row": FACTS.sort("id").with_columns(p=m).with_columns(q=p.shift(1, fill_value=0), g=p.shift(-2, fill_value=x)).select((q * x + g**2 * y).sum()),
    "sum": FACTS.select((m**2).sum()),
    "mean over nulls": FACTS.select((y * m + a).mean()),
    "filtered aggregate": FACTS.select((m**2).sum().filter(lf.col("t") > 3)),
    "var": FACTS.select((m * y).var()),
    "std": FACTS.select((m + x**2 * b).std(ddof=0)),
    "corr": FACTS.select(lf.corr(m + x**2 * a, y)),
    "corr of two that move": FACTS.select(lf.corr(m * x, y * b + x * x * a)),
    "product": FACTS.limit(6).select((m + 1.5).product()),
    "product with a zero": FACTS.limit(6).select(((m + 1.5) * lf.col("id")).product() + ((m + 1.5) * lf.col("id") + a * x).product()),
    "min": FACTS.select((m**2).min()),
    "max over nulls": FACTS.select((m * y).max()),
    "several aggregates": FACTS.select((m.max() * m.sum() + m.var() / m.std() + a).exp() * 0.001),
    "ordered aggregate": FACTS.select((m * x).sum().order_by("y")),
    "groups": FACTS.group_by("k").agg(g=(m**2).mean(), v=m.var()).select((g * lf.col("v")).sum()),
    "extremes of groups": FACTS.group_by("k").agg(g=(m * x).max(), q=(m * y).min()).select((g**2 + q * a).mean()),
    "groups of groups": FACTS.group_by("k", "t").agg(g=(m**2).sum()).group_by("k").agg(h=g.mean() * a).select((lf.col("h") ** 2).sum()),
    "rows of groups": FACTS.group_by("k").agg(f=m.first(order_by="y"), l=(m**2).last(), n=m.min_by("x")).select((lf.col("f") * lf.col("l") + lf.col("n") ** 2).sum()),
    "pairs of groups": FACTS.group_by("k").agg(r=lf.corr(m * x, y * a), s=m.std()).select((lf.col("r") * lf.col("s")).sum()),
    "products of groups": FACTS.group_by("k").agg(p=(m + 2.0).product()).select(p.log().sum()),
    "a null among the keys": FACTS.with_columns(k=lf.when(lf.col("k") > 2).then(None).otherwise(lf.col("k"))).group_by("k").agg(g=(m * y).sum()).select((g**2).sum()),
    "a filter above groups": _groups.filter(g > 3).select((g**2).sum()),
    "inner join": FACTS.join(SIDE, on="k").select(((z * a - y) ** 2).mean()),
    "both sides move": MOVED.join(SIDE.with_columns(q=z * b + 1), on="k").select((p * q - x).tanh().sum()),
    "left join": MOVED.join(SIDE.with_columns(q=z * b + 1, r=lf.lit(1.0) * a), on="k", how="left").select((p * q.fill_null(2.0) + lf.col("r").fill_null(0.3) * x).sum()),
    "full join": MOVED.join(SIDE.with_columns(q=z * b + 1), on="k", how="full").select((p.fill_null(a) * q.fill_null(b * 2)).sum()),
    "semi join": MOVED.join(SIDE, on="k", how="semi").select((p**2).sum()),
    "join of groups": FACTS.join(FACTS.group_by("k").agg(mu=m.mean()), on="k").select(((y - lf.col("mu") * a) ** 2).mean()),
    "join of a frame with itself": _groups.join(_groups.with_columns(h=g * a).select("k", "h"), on="k").select((g * lf.col("h")).sum()),
    "asof join": MOVED.sort("t").join_asof(SIDE.select(t="k", q=z * a).sort("t"), on="t").select((p * q.fill_null(0.1)).sum()),
    "totals beside rows": FACTS.with_columns(s=(m - m.mean()) / m.std()).select((lf.col("s") * y * x).sum()),
    "filter": FACTS.with_columns(p=m**2).filter(lf.col("t") > 2).select(p.mean()),
    "sort and limit": MOVED.sort("id").limit(10).select((p**3).sum()),
    "distinct": MOVED.unique("k").select((p**2).sum()),
    "union": lf.concat([FACTS.select(p=m, x="x"), SIDE.select(p=z * b, x=z)]).select((p**2 * x).sum()),
    "union of groups": lf.concat([FACTS.group_by("k").agg(p=m.sum()).select("p"), SIDE.select(p=z * b)]).select((p**2).sum()),
    "union of parts of one frame": lf.concat([MOVED.filter(x > 0), MOVED.filter(x <= 0)]).select((p**2 * x).sum()),
    "frames side by side": lf.concat([FACTS.select(p=m), SIDE.select(q=z * b)], how="horizontal").select((p * q.fill_null(1.0)).sum()),
    "windows of whole partitions": FACTS.with_columns(p=m.sum().over("k"), q=(m**2).max().over("k")).select((p * x + q).sum()),
    "running sum": FACTS.with_columns(p=m.cum_sum()).select((p**2).mean()),
    "sum over an order": FACTS.with_columns(p=(m * y).sum().over("k", order_by=["t", "id"])).filter(x > 0).select((p**2).sum()),
    "sum over peers": FACTS.with_columns(p=(m * y).sum().over("k", order_by="t")).select((p**2 * x).sum()),
    "rolling mean": FACTS.with_columns(p=(m**2).rolling_mean(3)).select((p * x).sum()),
    "neighbour": FACTS.with_columns(p=m.shift(1), q=(m * m).shift(-2)).select(((p - m * x) ** 2 + q).sum()),
    "window above a join": MOVED.join(SIDE, on="k").with_columns(c=(p * z).cum_sum()).join(SIDE.select("k", w="z"), on="k").select((lf.col("c") ** 2 * lf.col("w")).sum()),
    "case": FACTS.select(lf.when(m > 0).then(m.log()).otherwise(m * m).sum()),
    "greatest": FACTS.select(lf.max_horizontal(m, y * b, lf.lit(0.0)).sum()),
    "clip": FACTS.select((m.clip(-0.5, 0.5) * x).sum()),
    "query with views": _frame("with g as (select k, sum(p) as s from f where y is not null group by k) select sum(g.s * f.p) as l from f join g using (k)", f=MOVED),
    "scalar subquery": _frame("select sum((p - (select avg(p) from f)) * x) + max(p * x) as l from f", f=MOVED),
    "correlated subquery": _frame("select sum((select sum(h.p) from f h where h.k = f.k and h.x > f.x) * f.x) as l from f", f=MOVED),
    "product of subqueries": _frame("select (select sum(p) from f) * (select avg(p * p) from f) as l", f=MOVED),
    "window in a query": _frame("select sum(c * c) as l from (select sum(p) over (partition by k order by t, id rows between 2 preceding and 1 following) as c from f)", f=MOVED),
    "union in a query": _frame("select avg(p * p) as l from (select p from f where x > 0 union all select p * 2 from f)", f=MOVED),
    "products with zeros": ZEROS.group_by("k").agg(p=(x * 1.0 + (a - 0.7) * lf.col("c") + (b + 0.4) * lf.col("c") ** 2 * 0.1).product()).select((p * (a + lf.col("k") + 1)).sum()),
    "median": FACTS.select(m.median() ** 2 + (m * y).median().filter(x > 0) * a),
    "quantiles of groups": FACTS.group_by("k").agg(g=m.quantile(0.3), q=(m * y).quantile(0.8, "lower"), p=m.quantile(0.6, "midpoint")).select((g * lf.col("q") + p**2).sum()),
    "skew and kurtosis": FACTS.group_by("k").agg(g=(m * x).skew(), q=(m + x**2 * b).kurtosis()).select((g * a + lf.col("q") ** 2).sum()),
    "skewness and kurtosis of a sample": _frame("select skewness(p * y) * kurtosis(p) + kurtosis_pop(p + x * p) as l from f", f=MOVED.with_columns(p=p + x**2 * b)),
    "rows moved": MOVED.with_columns(q=p * y).select("q", "x", "p").shift(2).select((lf.col("q") ** 2 + p * x).sum()),
    "rows moved up": MOVED.shift(-1).select((p**2 * x).sum()),
    "quantiles of SQL": _frame("select sum(q * q) as l from (select k, quantile_disc(p, 0.4) as q from f group by k)", f=MOVED),
    "medians beside rows": MOVED.with_columns(q=p.median().over("k")).select(((p - q) ** 2 * x).sum()),
    "var over frames": _frame("select sum(c * c * x) as l from (select *, var_samp(p * y) over (partition by k order by id rows between 2 preceding and 1 following) as c from f)", f=MOVED),
    "std over a range": _frame("select sum(c * x) as l from (select *, stddev_pop(p) filter (x > 0) over (order by id range between 3 preceding and 2 following) as c from f)", f=MOVED),
    "rolling std": MOVED.with_columns(c=(p * y).rolling_std(4, min_samples=2)).select((lf.col("c") * p).sum()),
    "rolling max": MOVED.with_columns(c=(p * y).rolling_max(4, min_samples=2)).select((lf.col("c") * p).sum()),
    "max over other rows": _frame("select sum(c * c * x) as l from (select *, max(p) over (order by id rows between 2 preceding and 1 following exclude current row) as c from f)", f=MOVED),
    "running min": MOVED.with_columns(c=(p * y).cum_min()).select((lf.col("c") * p).sum()),
    "first of frames": _frame("select sum(c * c * x) as l from (select *, first_value(p * y ignore nulls) over (order by id rows between 2 preceding and current row) as c from f)", f=MOVED),
    "last and second of frames": _frame("select sum(c * d) as l from (select last_value(p) over w as c, nth_value(p, 2) over w as d from f window w as (partition by k order by id rows between 1 preceding and 1 following))", f=MOVED),
    "filled forwards and backwards": MOVED.with_columns(c=(p * y).forward_fill(), d=(p * y).backward_fill(1)).select((lf.col("c") ** 2 * x + lf.col("d") * p).sum()),
    "columns below each other": MOVED.with_columns(q=y * b * a).unpivot(on=["p", "q", "x"], index=["t"]).select((lf.col("value") ** 2 * lf.col("t")).sum()),
    "columns below each other without nulls": _frame("select sum(v * v * t) as l from (select * from (select t, p, p * y as q from f) unpivot (v for n in (p, q)))", f=MOVED),
    "rows of lists": MOVED.join(LISTS, on="k").explode("l").select((p**2 * lf.col("l")).sum()),
    "lists of what moves": _frame("select sum(e * e * t) as l from (select t, unnest([p, p * y, 1.0]) as e from f)", f=MOVED),
    "lists side by side": _frame("select sum(e * e * l) as l from (select unnest([p, p * y]) as e, unnest(l) as l from f join s using (k))", f=MOVED, s=LISTS),
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_gradient(name):
    loss = LOSSES[name]
    by = [each for each, used in ((a, "a"), (b, "b")) if _moves(loss, used)]
    value, found = lf.value_and_grad(loss, by)
    assert value == pytest.approx(loss.item(), rel=1e-12)
    for each, gradient in zip(by, found, strict=True):
        assert gradient == pytest.approx(slopes(loss, each, 1e-3), rel=2e-8, abs=2e-8)


@pytest.mark.parametrize("name", LOSSES)
def test_second_derivative(name):
    first = lf.grad(LOSSES[name], a)
    expected = slopes(first, a, 1e-3)
    if abs(expected) < 1e-7 and not _moves(first, "a"):
        return
    _, (found,) = lf.value_and_grad(first, [a])
    assert found == pytest.approx(expected, rel=2e-7, abs=2e-7)


def _moves(frame: lf.LazyFrame, name: str) -> bool:
    parameter = {"a": a, "b": b}[name]
    try:
        lf.grad(frame, parameter)
    except lf.errors.InvalidArgumentError:
        return False
    return True


def test_there_are_enough():
    assert len(LOSSES) >= 50


def test_the_plan_of_a_deep_network_grows_with_its_layers_alone():
    """Not with layers times parameters: what the gradients share stays shared while the optimizer rewrites them."""

    def size(layers):
        units = ["x", "y"]
        weights = [lf.param(f"w{number}", np.full((4, 4 if number else 2), 0.5)) for number in range(layers)]
        for weight in weights:
            units = [unit.tanh() for unit in weight.dot(units)]
        frame = lf.from_dict({"x": [1.0, 2.0], "y": [2.0, 4.0]})
        plan = optimize(plan_with_gradients(frame.select(((units[0] + units[1] - lf.col("y")) ** 2).mean())))
        seen: set[int] = set()
        stack = [scalar for node in postorder(plan) for scalar in node.scalars()]
        while stack:
            current = stack.pop()
            if id(current) not in seen:
                seen.add(id(current))
                stack.extend(current.children())
        return len(seen)

    assert size(16) < 2.5 * size(8)
