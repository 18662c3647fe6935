"""What runs a query: results in all forms, batches, background queries, explain."""

from __future__ import annotations

import datetime
import gc
import threading

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col

FRAME = lf.from_dict({"x": [1, 2, None], "s": ["a", "b", "c"]})
QUERY = FRAME.filter(col("x").is_not_null()).with_columns(y=col("x") * 1.5)


def test_results_in_all_forms():
    assert QUERY.to_dicts() == [{"x": 1, "s": "a", "y": 1.5}, {"x": 2, "s": "b", "y": 3.0}]
    assert QUERY.to_dict() == {"x": [1, 2], "s": ["a", "b"], "y": [1.5, 3.0]}
    assert QUERY.to_arrow().equals(pa.table({"x": [1, 2], "s": ["a", "b"], "y": [1.5, 3.0]}))
    assert QUERY.to_pandas().equals(
        pd.DataFrame({"x": [1, 2], "s": pd.array(["a", "b"], dtype=QUERY.to_pandas()["s"].dtype), "y": [1.5, 3.0]})
    )
    assert QUERY.to_polars().equals(pl.DataFrame({"x": [1, 2], "s": ["a", "b"], "y": [1.5, 3.0]}))
    assert isinstance(QUERY.collect(), lf.DataFrame)
    assert QUERY.count() == 2
    assert FRAME.count() == 3


def test_schema_is_known_before_anything_runs():
    assert QUERY.columns == ["x", "s", "y"]
    assert QUERY.dtypes == [pa.int64(), pa.string(), pa.float64()]
    assert QUERY.schema["y"] == pa.float64()


def test_to_numpy():
    numbers = lf.from_dict({"a": [1, None], "b": [2.5, 3.0]}).to_numpy()
    assert numbers.dtype == np.float64
    assert np.array_equal(numbers, [[1, 2.5], [np.nan, 3.0]], equal_nan=True)
    assert lf.from_dict({"a": [1, 2]}).to_numpy().tolist() == [[1], [2]]
    day = datetime.date(2024, 1, 1)
    assert lf.from_dict({"a": [1], "d": [day], "s": ["q"], "b": [True]}).to_numpy().tolist() == [[1, day, "q", True]]
    assert FRAME.select().to_numpy().shape == (3, 0)


def test_item():
    assert FRAME.select(col("x").sum()).item() == 3
    assert FRAME.head(1).select("s").item() == "a"
    assert FRAME.select(col("x").sum()).collect().item() == 3
    for frame, message in [
        (FRAME.select("x"), "more than one row of 1 column"),
        (FRAME.head(1), "1 row of 2 columns"),
        (FRAME.head(0).select("x"), "0 rows of 1 column"),
    ]:
        with pytest.raises(lf.errors.InvalidArgumentError, match=message):
            frame.item()


def test_fetch_and_show(capsys):
    assert FRAME.lazy().fetch(2).to_dict() == {"x": [1, 2], "s": ["a", "b"]}
    assert len(FRAME.fetch()) == 3
    FRAME.lazy().show(2)
    out = capsys.readouterr().out
    assert "first 2 rows" in out
    assert "a" in out
    FRAME.lazy().show()
    assert "first" not in capsys.readouterr().out
    FRAME.show(1)
    out = capsys.readouterr().out
    assert out.startswith("first row\n")
    assert "│ 1 │" in out.replace("     ", " ")
    assert "│ 2 │" not in out.replace("     ", " ")


def test_queries_say_how_they_stand():
    query = FRAME.submit()
    query.result()
    assert repr(query) == "Query(done, 3 rows)"
    failing = FRAME.select(col("s").cast(int)).submit()
    with pytest.raises(lf.errors.EvaluationError):
        failing.result()
    assert repr(failing) == "Query(failed: EvaluationError)"


@pytest.mark.parametrize("frame", [FRAME, FRAME.lazy()])
@pytest.mark.parametrize("count", [-1, "2", 1.5, True, None])
def test_counts_of_rows_are_whole_numbers(frame, count):
    with pytest.raises(lf.errors.InvalidArgumentError, match="count is a whole number"):
        frame.fetch(count)
    with pytest.raises(lf.errors.InvalidArgumentError, match="count is a whole number"):
        frame.show(count)


# Other libraries take frames as they are.


def test_polars_pandas_pyarrow_and_duckdb_take_a_query():
    assert pl.DataFrame(QUERY).to_dict(as_series=False) == QUERY.to_dict()
    assert pa.table(QUERY).to_pydict() == QUERY.to_dict()
    assert pa.RecordBatchReader.from_stream(QUERY).read_all().to_pydict() == QUERY.to_dict()
    assert pd.DataFrame.from_arrow(QUERY)["y"].tolist() == [1.5, 3.0]
    query = QUERY
    assert duckdb.connect().sql("select s, y from query order by x desc").fetchall() == [("b", 3.0), ("a", 1.5)]
    frame = QUERY.collect()
    assert duckdb.connect().sql("select sum(y) from frame").fetchall() == [(4.5,)]
    assert query is QUERY
    assert frame.shape == (2, 3)


def test_what_they_make_comes_back():
    for other in (
        pl.DataFrame(QUERY),
        pd.DataFrame(QUERY.to_pandas()),
        QUERY.to_arrow(),
        duckdb.connect().sql("select 1 as x, 'a' as s, 1.5::double as y"),
    ):
        assert lf.from_arrow(other).columns == ["x", "s", "y"]
        assert lf.from_arrow(other).to_dicts()[0] == {"x": 1, "s": "a", "y": 1.5}


# Batches.


def test_batches_in_order(in_parts):
    frame = in_parts({"x": list(range(20))})
    for threads in (1, 3):
        with lf.config(threads=threads):
            assert [v for batch in frame.collect_batches() for v in batch["x"].to_pylist()] == list(range(20))


def test_batches_of_no_rows_and_of_no_columns():
    assert list(FRAME.filter(col("x") > 9).collect_batches()) == []
    assert [(b.num_rows, b.num_columns) for b in FRAME.select().collect_batches()] == [(3, 0)]


@pytest.mark.parametrize("how", ["close", "forget", "block"])
def test_batches_closed_early_stop_the_query(in_parts, how):
    read = []

    def noted(table):
        read.append(table["x"][0].as_py())
        return table

    with lf.config(threads=2):
        batches = in_parts({"x": list(range(200))}).map_batches(noted, streaming=True).collect_batches()
    assert next(batches)["x"].to_pylist() == [0]
    match how:
        case "close":
            batches.close()
        case "forget":
            del batches
            gc.collect()
        case "block":
            with batches:
                next(batches)
    so_far = len(read)
    assert so_far < 60
    assert FRAME.count() == 3
    assert len(read) == so_far
    if how == "close":
        assert list(batches) == []


def test_a_query_may_run_while_another_is_read(in_parts):
    frame = in_parts({"x": list(range(60))})
    with lf.config(threads=2):
        pairs = [
            (a["x"][0].as_py(), b["x"][0].as_py(), frame.sort("x").count())
            for a, b in zip(frame.collect_batches(), frame.filter(col("x") >= 0).collect_batches(), strict=True)
        ]
    assert pairs == [(n, n, 60) for n in range(60)]


# In the background.


def test_submit():
    query = QUERY.submit()
    assert query.result().to_dict() == QUERY.to_dict()
    assert query.done()
    assert query.result().to_dict() == QUERY.to_dict()
    assert query.progress()["rows"] == 3


def test_submitted_queries_can_be_cancelled():
    started, going = threading.Event(), threading.Event()

    def wait(table):
        started.set()
        going.wait(10)
        return table

    query = FRAME.map_batches(wait, streaming=True).sort("x").submit()
    assert started.wait(10)
    assert not query.done()
    with pytest.raises(TimeoutError, match="still runs"):
        query.result(timeout=0.001)
    query.cancel()
    going.set()
    with pytest.raises(lf.errors.QueryCancelledError, match="cancelled"):
        query.result()
    assert query.done()
    assert FRAME.count() == 3


def test_a_failure_in_the_background_is_raised_where_the_result_is_asked_for():
    query = FRAME.select(col("s").cast(int)).submit()
    for _ in range(2):
        with pytest.raises(lf.errors.EvaluationError, match="test_actions"):
            query.result()


def test_a_submitted_query_has_the_settings_of_the_line_that_starts_it():
    with lf.config(threads=1):
        query = FRAME.filter(col("x") > 1).submit()
    with lf.config(threads=2):
        assert query._context.threads == 1
        assert query.result().count() == 1


# explain.


FEW_ROWS = "pipelines: vectorized, as none is over 100,000 rows or more"


def test_explain(monkeypatch):
    monkeypatch.delenv("LAZYFRAME_COMPILED", raising=False)
    plan = FRAME.lazy().filter(col("x") > 1).select("x")
    assert plan.explain(optimized=False) == "Project x\n  Filter x > 1\n    Scan in memory [x, s]"
    assert plan.explain() == "Scan in memory [x] 1 of 2 columns where x > 1  ~1 rows\n" + FEW_ROWS
    verbose = plan.explain(verbose=True)
    assert "before" in verbose
    assert "push_filter" in verbose
    analyzed = plan.explain(analyze=True)
    assert "[1 rows]" in analyzed
    assert "read 3 rows" in analyzed


def test_explain_does_not_run_anything():
    def never(table):
        raise AssertionError("it ran")

    frame = FRAME.map_batches(never).sort("x")
    assert "MapBatches never" in frame.explain()
    repr(frame)
    frame._repr_html_()
    assert frame.columns == ["x", "s"]


def test_explain_shows_what_kernels_do():
    plan = FRAME.lazy().filter(col("x") > 1).select((col("x") * 2).alias("twice"))
    shown = plan.explain(code=True)
    tree, kernels = shown.split("\n\n")
    assert tree == plan.explain()
    assert kernels == "kernel 1:\n    for each row:\n        if x > 1:\n            keep twice"
    llvm = plan.explain(code="llvm").split("\n\n")[1]
    assert "    define i64 @kernel(ptr %p0) {" in llvm.splitlines()


def test_explain_says_why_there_is_no_kernel(monkeypatch):
    plan = FRAME.lazy().filter(col("x") > 1)
    with lf.config(compiled=False):
        assert plan.explain(code=True).endswith("\n\nno kernel: compiling is switched off")
    assert FRAME.lazy().explain(code=True).endswith("\n\nno kernel: nothing of this is compiled")
    monkeypatch.setattr("lazyframe.executors.compiled.machine.why_not", lambda: "LLVM cannot be loaded: no such file")
    assert plan.explain(code=True).endswith("\n\nno kernel: LLVM cannot be loaded: no such file")


@pytest.mark.parametrize("option", ["verbose", "analyze", "code"])
def test_what_runs_is_not_asked_of_the_plan_as_written(option):
    with pytest.raises(lf.errors.InvalidArgumentError, match=f"{option}=True is about the plan that runs"):
        lf.from_dict({"x": [1]}).lazy().explain(optimized=False, **{option: True})
