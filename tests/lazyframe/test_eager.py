"""Verbs that run at once: the same rows as lazily, errors at their line, the whole query still known."""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import math
import pdb  # noqa: T100 - driven by a test
import random
import re
import threading
import traceback

import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.group_by import GroupBy

DATA = {
    "k": ["a", "b", None, "a", "c", "b", "a", "c"],
    "x": [3, 1, None, 7, 1, 4, 2, 2],
    "y": [0.5, float("nan"), 2.0, None, -1.5, 4.0, 8.0, 0.25],
    "t": [dt.datetime(2024, 1, 1, hour) for hour in range(8)],  # noqa: DTZ001
    "l": [[1, 2], [], None, [3], [4, 5], [6], [7], [8]],
    "s": [{"p": number, "q": str(number)} for number in range(8)],
}


def frame():
    return lf.from_dict(DATA)


OTHER = lf.from_dict({"k": ["a", "b", "z"], "x": [7, 1, 9], "z": [10, 20, 30]})
SOME = lf.from_dict(DATA)


def other():
    return OTHER.lazy()


def small():
    return SOME.lazy().select("k", "x")


W = lf.param("w", 2.0)
VERBS = {
    "bind": lambda f: f.filter(col("x") > lf.param("least", 1)).bind(least=2),
    "bottom_k": lambda f: f.select("k", "x").bottom_k(3, by="x"),
    "cache": lambda f: f.select("k", "x").cache().filter(col("x") > 1),
    "cast": lambda f: f.cast({"x": "float64"}),
    "clip": lambda f: f.select("x").clip(2, 3),
    "cube": lambda f: f.cube("k").agg(col("x").sum()),
    "describe": lambda f: f.select("x", "k").describe(),
    "drop": lambda f: f.drop("l", "s"),
    "drop_nulls": lambda f: f.drop_nulls("x"),
    "except_": lambda f: f.select("k", "x").except_(other().drop("z")),
    "explode": lambda f: f.explode("l"),
    "fill_nan": lambda f: f.select("y").fill_nan(0.0),
    "fill_null": lambda f: f.select("x").fill_null(0),
    "filter": lambda f: f.filter(col("x") > 1, k="a"),
    "grouping_sets": lambda f: f.grouping_sets(["k"], []).agg(col("x").sum()),
    "head": lambda f: f.head(3),
    "interpolate": lambda f: f.select("y").interpolate(),
    "intersect": lambda f: f.select("k", "x").intersect(other().drop("z")),
    "join": lambda f: f.join(other(), on="k", how="left"),
    "join_asof": lambda f: f.drop_nulls("x").join_asof(other().drop("k"), on="x"),
    "lazy": lambda f: f.filter(col("x") > 1).lazy(),
    "limit": lambda f: f.limit(2),
    "map_batches": lambda f: f.map_batches(lambda table: table.slice(1)),
    "pipe": lambda f: f.pipe(lambda g: g.head(1)),
    "pivot": lambda f: f.drop_nulls().pivot("k", index="x", values="y", aggregate_function="max"),
    "rename": lambda f: f.rename({"x": "renamed"}),
    "reverse": lambda f: f.reverse(),
    "rollup": lambda f: f.rollup("k", "x").agg(n=lf.len()),
    "sample": lambda f: f.sample(3, seed=7),
    "select": lambda f: f.select("k", share=col("x") / col("x").sum()),
    "shift": lambda f: f.shift(2),
    "slice": lambda f: f.slice(-3, 2),
    "sort": lambda f: f.sort("k", lf.desc("x")),
    "sql": lambda f: f.sql("select k, sum(x) as x from self group by k order by k"),
    "tail": lambda f: f.tail(2),
    "top_k": lambda f: f.select("k", "x").top_k(2, by="x"),
    "union": lambda f: f.select("k", "x").union(other().drop("z")),
    "unique": lambda f: f.unique("k"),
    "unnest": lambda f: f.unnest("s"),
    "unpivot": lambda f: f.select("k", "x", "y").unpivot(on=["x", "y"], index="k"),
    "value_counts": lambda f: f.value_counts("k"),
    "with_columns": lambda f: f.with_columns(r=col("x").rank().over("k")),
    "with_row_index": lambda f: f.with_row_index(),
    "group_by_dynamic": lambda f: f.group_by_dynamic("t", every="3h").agg(col("x").sum()),
    "rolling": lambda f: f.rolling("t", period="3h").agg(col("x").sum()),
    "concat": lambda f: lf.concat([f, f.head(1)]),
    "concat_horizontal": lambda f: lf.concat([f.select("x"), f.select("y")], how="horizontal"),
    "lf.sql": lambda f: lf.sql("select a.k, b.z from f as a join o as b on a.k = b.k", f=f, o=other()),
    "grad": lambda f: lf.grad(f.select((col("y").fill_null(0).fill_nan(0) * W).sum()), wrt=[W]),
}  # fmt: skip

GROUPED = {
    "agg": lambda g: g.agg(col("x").sum(), n=lf.len()),
    **{
        name: (lambda g, name=name: getattr(g, name)("x")) for name in ("first", "last", "max", "mean", "median", "min")
    },
    **{name: (lambda g, name=name: getattr(g, name)("x")) for name in ("n_unique", "std", "sum", "var")},
    "count": lambda g: g.count(),
    "len": lambda g: g.len(),
    "quantile": lambda g: g.quantile(0.5, "x"),
}

ACTIONS = {
    "backward", "checkpoint", "collect", "collect_batches", "columns", "count", "dtypes", "explain", "fetch", "grad_fn",
    "is_leaf", "item", "lineage", "requires_grad", "same_plan", "schema", "show", "show_graph", "sink_csv", "sink_ipc",
    "sink_json", "sink_parquet", "sql_tables", "submit", "to_arrow", "to_dict", "to_dicts", "to_numpy", "to_pandas",
    "to_polars", "to_sql", "why", "group_by",
}  # fmt: skip


def test_no_verb_is_forgotten():
    assert {name for name in dir(lf.LazyFrame) if not name.startswith("_")} - ACTIONS <= set(VERBS)
    assert {name for name in dir(GroupBy) if not name.startswith("_")} == set(GROUPED)


def same(lazily, at_once):
    assert at_once.columns == lazily.columns
    assert at_once.dtypes == lazily.dtypes
    assert at_once.schema == lazily.schema
    assert at_once.collect().equals(lazily.collect())


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize("rows", ["some", "none"])
def test_a_verb_gives_the_same_rows(name, rows):
    start = frame() if rows == "some" else frame().filter(col("x") > 100)
    lazily = VERBS[name](start.lazy())
    with lf.eager():
        from_lazy = VERBS[name](start.lazy())
        from_rows = VERBS[name](start.lazy().filter(lf.lit(True)))
    for at_once in (from_lazy, from_rows):
        if name != "lazy":
            assert type(at_once) is lf.DataFrame
        same(lazily, at_once)


@pytest.mark.parametrize("name", GROUPED)
def test_groups_give_the_same_rows(name):
    lazily = GROUPED[name](frame().group_by("k"))
    with lf.eager():
        at_once = GROUPED[name](frame().group_by("k"))
    assert type(at_once) is lf.DataFrame
    same(lazily, at_once)


STEPS = [
    lambda f: f.filter(col("x") > 1),
    lambda f: f.with_columns(x=col("x") * 2),
    lambda f: f.sort("k", "x"),
    lambda f: f.join(other().select("k", z_=col("z")), on="k", how="left").drop("z_"),
    lambda f: f.group_by("k").agg(col("x").sum()),
    lambda f: f.unique(),
    lambda f: f.head(5),
    lambda f: lf.concat([f, small()]),
    lambda f: f.with_columns(x=col("x").max().over("k")),
    lambda f: f.with_columns(x=col("x").fill_null(3)),
    lambda f: f.sql("select k, x + 1 as x from self where x is not null"),
    lambda f: f.reverse(),
    lambda f: f.select("k", x=lf.when(col("x") > 2).then(col("x")).otherwise(0)),
]


@pytest.mark.parametrize("seed", range(60))
def test_any_steps_give_the_same_rows(seed):
    steps = random.Random(seed).choices(STEPS, k=6)

    def script():
        found = small()
        for step in steps:
            found = step(found)
        return found

    lazily = script()
    with lf.eager():
        at_once = script()
    same(lazily, at_once)
    assert at_once.lazy().same_plan(lazily)


def test_rows_steer_the_code():
    def script():
        found = frame()
        seen = []
        for _ in range(10):
            if found.select(col("x").max()).item() < 4:
                break
            found = found.filter(col("x") < col("x").max())
            seen.append(found.count())
        return found, seen

    found, seen = script()
    with lf.eager():
        at_once, seen_at_once = script()
        assert len(at_once) == 5
        assert [row["x"] for row in at_once] == [3, 1, 1, 2, 2]
        assert at_once["x"].to_pylist() == [3, 1, 1, 2, 2]
        assert "8.0" in repr(frame())
        assert "│" in repr(at_once)
    assert seen == seen_at_once == [6, 5]
    same(found, at_once)


def stops_at(verb, kind, match, offset=0):
    """The error is raised by the call of the verb, and names its line."""
    with lf.eager(), pytest.raises(kind, match=match) as caught:
        verb()
    line = verb.__code__.co_firstlineno + offset
    assert [entry.lineno for entry in traceback.extract_tb(caught.tb) if entry.filename == __file__][-1] == line
    if "test_eager.py" in str(caught.value):
        assert int(re.findall(r'test_eager.py", line (\d+)', str(caught.value))[-1]) == line


def test_errors_stop_at_their_line():
    stops_at(lambda: frame().select("xx"), lf.errors.ColumnNotFoundError, "no column named 'xx'")
    stops_at(lambda: frame().select(col("k") + 1), lf.errors.TypeMismatchError, "not defined between string and int64")
    stops_at(lambda: frame().select(col("x") // 0), lf.errors.EvaluationError, "division by zero")
    stops_at(lambda: frame().select(col("k").cast(int)), lf.errors.EvaluationError, "cannot read 'a'")
    stops_at(lambda: frame().map_batches(lambda table: 1 / 0), lf.errors.UserFunctionError, "division")
    stops_at(lambda: lf.param("w", [1.0, 2.0]).dot(["x"]), lf.errors.InvalidArgumentError, "as many values")
    stops_at(lambda: lf.param("w", "a") + 1, lf.errors.TypeMismatchError, "string and int64")
    stops_at(lambda: lf.param("w", "a").cast(int), lf.errors.EvaluationError, "cannot read 'a'")
    stops_at(lambda: frame().filter(col("x") > lf.param("v")), lf.errors.InvalidArgumentError, "no value")


def test_lazily_the_same_mistake_shows_when_it_runs():
    wrong = frame().select(col("x") // 0)
    with pytest.raises(lf.errors.EvaluationError):
        wrong.collect()


def test_vectors_of_other_lengths_stop_at_their_line():
    vectors = {"a": [[1.0, 2.0]], "b": [[1.0, 2.0, 3.0]]}

    def script():
        found = lf.from_dict(vectors)
        found = found.sql("select list_distance(a, b) as d from self")
        return found.select("d")  # not reached

    stops_at(script, lf.errors.EvaluationError, "as many numbers", 2)


def test_a_block_ends_in_whatever_way():
    with pytest.raises(lf.errors.ColumnNotFoundError), lf.eager():
        frame().select("xx")
    assert type(frame().select("x")) is lf.LazyFrame
    with lf.eager():
        with pytest.raises(ZeroDivisionError), lf.eager(sample=1):
            raise ZeroDivisionError
        assert len(frame().select("x")) == 8
        with lf.eager(sample=2):
            assert len(frame().select("x")) == 2
        assert len(frame().select("x")) == 8
    assert type(frame().select("x")) is lf.LazyFrame


def test_one_block_may_be_entered_twice():
    block = lf.eager()
    with block, block:
        assert type(frame().select("x")) is lf.DataFrame
    assert type(frame().select("x")) is lf.LazyFrame


def test_other_threads_and_tasks_stay_lazy():
    kinds = []
    with lf.eager():
        thread = threading.Thread(target=lambda: kinds.append(type(frame().select("x"))))
        thread.start()
        thread.join()
    assert kinds == [lf.LazyFrame]

    async def at_once(entered, left):
        with lf.eager():
            entered.set()
            await left.wait()
            return type(frame().select("x"))

    async def lazily(entered, left):
        await entered.wait()
        kind = type(frame().select("x"))
        left.set()
        return kind

    async def both():
        entered, left = asyncio.Event(), asyncio.Event()
        return await asyncio.gather(at_once(entered, left), lazily(entered, left))

    assert asyncio.run(both()) == [lf.DataFrame, lf.LazyFrame]


def test_parameters_have_values():
    x, y, w = lf.param("x", 2.0), lf.param("y", 3.0), lf.param("w", 4.0)
    lazy = (x + y) * w
    with pytest.raises(lf.errors.LazyValueError):
        float(lazy)
    with lf.eager():
        z = (x + y) * w
        assert float(z) == float(lazy) == 20.0
        assert (int(z), math.sqrt(z), math.floor(z / 3), math.ceil(z / 3), round(z / 3, 1)) == (20, 20**0.5, 6, 7, 6.7)
        assert repr(z) == "(param('x') + param('y')) * param('w') = 20.0"
        assert f"{z} {z:.2f}" == "20.0 20.00"
        assert [bool(z > 3), bool(z > 30)] == [True, False]
        assert list(range(lf.param("n", 3))) == [0, 1, 2]
        assert ("small", "large")[z > 3] == "large"
        with pytest.raises(lf.errors.LazyValueError, match="no truth value"):
            bool(col("x") > z)
        with pytest.raises(lf.errors.LazyValueError, match="whole number"):
            range(z)
        with pytest.raises(lf.errors.LazyValueError, match="no number"):
            float(lf.param("v", dtype="float64") + 1)
        with pytest.raises(lf.errors.EvaluationError, match="null"):
            float(lf.when(w > 100).then(w))
        x.value = 3.0
        assert (float(z), float((x + y) * w), float(x)) == (20.0, 24.0, 3.0)
    with pytest.raises(lf.errors.LazyValueError):
        float(z)


def test_parts_that_are_used_often_are_looked_at_once():
    doubled = lf.param("w", 3.0)
    for _ in range(60):
        doubled = doubled + doubled
    with lf.eager():
        assert float(doubled) == 3.0 * 2**60


def test_backward_from_values_and_from_rows():
    x, y, w = lf.param("x", 2.0), lf.param("y", 3.0), lf.param("w", 4.0)
    with lf.eager():
        z = (x + y) * w
        z.backward()
        assert (x.grad, y.grad, w.grad) == (4.0, 4.0, 5.0)
        assert float(lf.grad(z, wrt=w)) == 5.0
        assert float(lf.grad(lf.grad(w**3, wrt=w), wrt=w)) == 24.0


def test_descent_by_hand():
    data = {"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 3.0, 5.0, 7.0]}

    def script():
        w, b = lf.param("w", 0.0), lf.param("b", 0.0)
        points = lf.from_dict(data)
        losses = []
        for _ in range(5):
            residuals = points.with_columns(r=w * col("x") + b - col("y"))
            loss = residuals.select((col("r") ** 2).mean())
            losses.append(loss.item())
            loss.backward()
            for each in (w, b):
                each.value = each.value - 0.05 * each.grad
                each.grad = None
        return losses, w.value, b.value

    lazily = script()
    with lf.eager():
        at_once = script()
    assert lazily[0] == pytest.approx(at_once[0], rel=1e-14)
    assert lazily[1:] == pytest.approx(at_once[1:], rel=1e-14)
    w = b = 0.0
    for found in lazily[0]:
        residuals = [w * x + b - y for x, y in zip(data["x"], data["y"], strict=True)]
        assert found == pytest.approx(sum(r * r for r in residuals) / 4)
        step = [2 * sum(r * x for r, x in zip(residuals, data["x"], strict=True)) / 4, 2 * sum(residuals) / 4]
        w, b = w - 0.05 * step[0], b - 0.05 * step[1]


def test_training_inside():
    w = lf.param("w", 0.0)
    with lf.eager():
        points = lf.from_dict({"x": [1.0, 2.0], "y": [2.0, 4.0]}).filter(col("x") > 0)
        loss = points.select(((w * col("x") - col("y")) ** 2).mean())
        assert loss.requires_grad
        lf.fit(loss, [w], lf.optim.SGD([w], lr=0.1), steps=50, progress=False)
    assert w.value == pytest.approx(2.0)


def test_the_whole_query_stays_known():
    w = lf.param("w", 2)
    with lf.eager():
        start = frame()
        found = start.filter(col("x") > w).group_by("k").agg(total=col("x").sum())
        lineage = found.lineage(start=start)
        assert (lineage["total"].value, lineage["total"].filter, lineage["total"].key) == (
            ["start.x"],
            ["start.x"],
            ["start.k"],
        )
        assert found.why(0).numbers == {"frame_1": [0, 3]}
        assert "Filter" in found.show_graph().to_mermaid()
        assert "WHERE" in start.filter(col("x") > 2).select("k").to_sql()
    query = found.lazy()
    assert type(query) is lf.LazyFrame
    assert query.collect(w=3).to_dicts() == [{"k": "a", "total": 7}, {"k": "b", "total": 4}]
    assert found.collect(w=3).to_dicts() == [{"k": "a", "total": 7}, {"k": "b", "total": 4}]
    assert found.to_dicts() == [{"k": "a", "total": 10}, {"k": "b", "total": 4}]
    assert lf.prepare(found).collect(w=3).count() == 2


def test_samples(tmp_path):
    path = str(tmp_path / "n.parquet")
    lf.from_dict({"n": list(range(1000)), "g": [n % 7 for n in range(1000)]}).sink_parquet(path)
    outside = lf.scan_parquet(path)
    with lf.eager(sample=10):
        assert len(lf.scan_parquet(path)) == 10
        kept = outside.filter(col("n") >= 5)
        assert kept["n"].to_pylist() == [5, 6, 7, 8, 9]
        joined = kept.join(outside, on="n")
        assert len(joined) == 5
        assert lf.sql("select count(*) as c from kept").item() == 5
        w = lf.param("w", 1.0)
        loss = kept.select((col("n") * w).sum())
        assert loss.item() == 35.0
        loss.backward()
        assert w.grad == 35.0
        assert kept.why(0).to_dict() == {"n": [{"n": 5, "g": 5}]}
    assert kept.lazy().count() == 995
    with pytest.raises(lf.errors.InvalidArgumentError, match="sample is a whole number"):
        lf.eager(sample=-1)


def test_what_is_read_is_what_verbs_need(tmp_path):
    path = str(tmp_path / "two.parquet")
    lf.from_dict({"a": list(range(100)), "b": ["x" * 100] * 100}).sink_parquet(path)
    with lf.watch() as watched, lf.eager():
        lf.scan_parquet(path).select(col("a").sum())
    assert len(watched.actions) == 1
    assert watched.actions[0].line.startswith("test_eager.py:")


def test_a_parameter_in_what_is_cached_is_refused_as_lazily():
    w = lf.param("w", 2)
    with lf.eager(), pytest.raises(lf.errors.InvalidArgumentError, match="depend on parameters"):
        frame().filter(col("x") > w).cache()


def test_a_truth_value_in_a_frame_is_not_whether_there_are_rows():
    with lf.eager():
        with pytest.raises(lf.errors.LazyValueError, match="item"):
            bool(frame().select((col("x") > 100).all()))
        assert float(frame().select(col("x").max())) == 7.0
        assert int(frame().select(col("x").max())) == 7


def script_for_the_debugger():
    found = frame().filter(col("x") > 1)
    found = found.select("x")
    return found.count()


def test_a_breakpoint_sees_rows():
    said = io.StringIO()
    debugger = pdb.Pdb(
        stdin=io.StringIO("next\nnext\nlen(found)\nfound['x'].to_pylist()\nfound\ncontinue\n"),
        stdout=said,
        nosigint=True,
    )
    debugger.use_rawinput = False
    with lf.eager():
        assert debugger.runcall(script_for_the_debugger) == 5
    assert "[3, 7, 4, 2, 2]" in said.getvalue()
    assert "5 rows × 1 column" in said.getvalue()


def test_expressions_that_share_their_parts_are_looked_through_once():
    """As trees they would have 2**60 leaves."""
    w = lf.param("w", 1.0)
    rows, value, expected = col("x"), w, 1.0
    for _ in range(60):
        rows, value, expected = rows * 0.5 + rows.sin(), value * 0.5 + value.sin(), expected * 0.5 + math.sin(expected)
    with lf.eager():
        assert float(value + 1) == pytest.approx(expected + 1, rel=1e-12)
        assert lf.from_dict({"x": [1.0]}).select(rows + value).item() == pytest.approx(2 * expected, rel=1e-12)
