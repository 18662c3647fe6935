"""The user's own code in a query, results that are kept, and describe."""

from __future__ import annotations

import threading

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import lazyframe as lf
from lazyframe import col

FRAME = lf.from_dict({"x": [1, 2, 3], "s": ["a", "b", None]})


def test_pipe_hands_the_frame_on():
    def above(frame, least, *, column):
        return frame.filter(col(column) > least)

    assert FRAME.pipe(above, 1, column="x").to_dict()["x"] == [2, 3]
    assert FRAME.pipe(lambda frame: frame.count()) == 3


def test_map_batches_sees_all_rows_at_once(answer, in_parts):
    lengths = []

    def last(table: pa.Table) -> pa.Table:
        lengths.append(table.num_rows)
        return table.slice(table.num_rows - 1)

    frame = in_parts({"x": [1, 2, 3]}).map_batches(last)
    assert answer(frame) == {"x": [3]}
    assert lengths == [3, 3]  # once for each run


def test_map_batches_with_a_schema_of_its_own(answer):
    frame = FRAME.map_batches(lambda t: pa.table({"n": pa.array([t.num_rows], pa.int32())}), {"n": "int32"})
    assert frame.columns == ["n"]
    assert answer(frame) == {"n": [3]}
    declared = pa.schema([pa.field("n", pa.int64(), nullable=False)])
    promised = FRAME.map_batches(lambda t: pa.table({"n": [t.num_rows]}), declared)
    assert not promised.schema.field("n").nullable
    assert answer(promised) == {"n": [3]}


def test_map_batches_takes_whatever_exports_rows(answer):
    import polars as pl

    assert answer(FRAME.select("x").map_batches(lambda t: pl.DataFrame(t).reverse())) == {"x": [3, 2, 1]}
    assert answer(FRAME.select("x").map_batches(lambda t: t.to_batches()[0])) == {"x": [1, 2, 3]}
    assert answer(FRAME.select("x").map_batches(lambda t: lf.from_arrow(t).filter(col("x") > 2))) == {"x": [3]}


def test_streaming_map_batches_runs_batch_by_batch(answer, in_parts):
    lengths = []

    def double(table: pa.Table) -> pa.Table:
        lengths.append(table.num_rows)
        return table.set_column(0, "x", pc.multiply(table["x"], 2))

    assert in_parts({"x": [1, 2, 3]}).map_batches(double, streaming=True).to_dict() == {"x": [2, 4, 6]}
    assert lengths == [1, 1, 1]


def test_map_batches_of_no_rows(answer):
    assert answer(FRAME.head(0).map_batches(lambda t: t)) == {"x": [], "s": []}


def test_nothing_is_pushed_through_a_function(answer):
    def number(table: pa.Table) -> pa.Table:
        return table.set_column(0, "x", pa.array(range(table.num_rows)))

    assert answer(FRAME.map_batches(number).filter(col("x") == 0).select("s")) == {"s": ["a"]}
    assert answer(FRAME.map_batches(number).tail(1)) == {"x": [2], "s": [None]}
    assert answer(FRAME.map_batches(number).select("x").head(1)) == {"x": [0]}


@pytest.mark.parametrize(
    ("function", "schema", "message"),
    [
        (lambda t: 1 / 0, None, "<lambda> raised ZeroDivisionError: division by zero"),
        (lambda t: 5, None, "<lambda> gave an int"),
        (lambda t: t.select(["x"]), None, "gave no column 's', which it declares\nit gave 'x'"),
        (lambda t: pa.table({"x": ["a"]}), {"x": int}, "gave 'x' as string, but declares int64"),
        (lambda t: pa.table({"x": [None]}, pa.schema([("x", pa.int64())])),
         pa.schema([pa.field("x", pa.int64(), nullable=False)]), "gave nulls in 'x', which it declares not null"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("streaming", [False, True])
def test_functions_that_fail(function, schema, message, streaming):
    frame = FRAME.map_batches(function, schema, streaming=streaming)
    with pytest.raises(lf.errors.UserFunctionError) as caught:
        frame.collect()
    assert message in str(caught.value)
    assert "test_user_functions.py" in str(caught.value)


def test_the_cause_of_a_failure_is_kept():
    def broken(table):
        raise KeyError("k")

    with pytest.raises(lf.errors.UserFunctionError, match="broken raised KeyError") as caught:
        FRAME.map_batches(broken).collect()
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3,), "takes a function, not int"),
        ((lambda t: t, 3), "a mapping of names to types"),
        ((lambda t: t, {"x": "intt"}), "no type named 'intt'"),
    ],
)
def test_map_batches_arguments(arguments, message):
    with pytest.raises(lf.errors.InvalidArgumentError, match=message):
        FRAME.map_batches(*arguments)


def test_a_function_may_run_queries_of_its_own(in_parts):
    rows = in_parts({"x": list(range(40))})

    def inner(table: pa.Table) -> pa.Table:
        return rows.sort("x", descending=True).head(1).to_arrow()

    with lf.config(threads=2):
        found = rows.map_batches(inner, streaming=True).sort("x").to_dict()
    assert found == {"x": [39] * 40}


def test_cache_computes_once(answer):
    calls = []

    def noted(table):
        calls.append(threading.get_ident())
        return table

    kept = FRAME.map_batches(noted).sort("x", descending=True).cache()
    assert answer(kept)["x"] == [3, 2, 1]
    assert answer(kept.filter(col("x") > 1).select("x")) == {"x": [3, 2]}
    assert answer(kept.select("s")) == {"s": [None, "b", "a"]}
    assert kept.count() == 3
    assert answer(kept.join(kept, on="x").select("x")) == {"x": [3, 2, 1]}
    assert len(calls) == 1


def test_cache_keeps_all_rows_even_if_first_only_some_are_asked_for(answer, in_parts):
    kept = in_parts({"x": [1, 2, 3]}).cache()
    assert kept.head(1).to_dict() == {"x": [1]}
    assert answer(kept) == {"x": [1, 2, 3]}
    other = FRAME.cache()
    assert answer(other.select("x").filter(col("x") == 2)) == {"x": [2]}
    assert answer(other) == {"x": [1, 2, 3], "s": ["a", "b", None]}


def test_a_cache_that_failed_is_tried_again():
    calls = []

    def once(table):
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("not yet")
        return table

    kept = FRAME.map_batches(once).cache()
    with pytest.raises(lf.errors.UserFunctionError):
        kept.collect()
    assert kept.count() == 3


def test_checkpoint_writes_and_goes_on(answer, tmp_path):
    path = tmp_path / "kept.parquet"
    frame = FRAME.filter(col("x") > 1).checkpoint(path)
    assert path.exists()
    assert answer(frame) == {"x": [2, 3], "s": ["b", None]}
    assert answer(FRAME.head(1).checkpoint(path)) == {"x": [1], "s": ["a"]}


def test_describe(answer):
    frame = lf.from_dict({"x": [1, 2, 4, None], "s": ["b", "a", "b", "c"], "l": [[1], [2], None, []]})
    found = answer(frame.describe())
    assert list(found) == [
        "column",
        "type",
        "count",
        "nulls",
        "unique",
        "mean",
        "std",
        "min",
        "25%",
        "50%",
        "75%",
        "max",
    ]
    assert found["column"] == ["x", "s", "l"]
    assert found["type"] == ["int64", "string", "list<int64>"]
    assert found["count"] == [3, 4, 3]
    assert found["nulls"] == [1, 0, 1]
    assert found["unique"] == [3, 3, None]
    assert found["mean"] == [pytest.approx(7 / 3), None, None]
    # Of the squares of -4/3, -1/3 and 5/3, over 2.
    assert found["std"] == [pytest.approx((42 / 9 / 2) ** 0.5), None, None]
    assert found["min"] == ["1", "a", None]
    assert found["max"] == ["4", "c", None]
    assert found["50%"] == [2.0, None, None]
    assert found["25%"] == [1.5, None, None]


def test_describe_with_percentiles_of_ones_own(answer):
    found = answer(lf.from_dict({"x": [0, 10]}).describe(percentiles=[0.1, 0.999]))
    assert found["10%"] == [1.0]
    assert found["99.9%"] == [pytest.approx(9.99)]
    assert "50%" not in found
    assert answer(lf.from_dict({"x": [1]}).describe(percentiles=()))["max"] == ["1"]


def test_describe_of_nothing(answer):
    assert answer(lf.from_dict({"x": []}, {"x": int}).describe().select("column", "count", "min")) == {
        "column": ["x"], "count": [0], "min": [None],
    }  # fmt: skip
    assert answer(FRAME.select().describe().select("column")) == {"column": []}


@pytest.mark.parametrize("q", [-0.1, 2])
def test_percentiles_lie_between_0_and_1(q):
    with pytest.raises(lf.errors.InvalidArgumentError, match="between 0 and 1"):
        FRAME.describe(percentiles=[q])
