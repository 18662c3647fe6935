"""Frames and expressions that are copied, and those that are pickled and run elsewhere."""

import copy
import datetime
import pickle

import pyarrow as pa
import pytest

import lazyframe as lf
import lazyframe.selectors as cs
from lazyframe import col

ROWS = {"k": ["a", "b", "a"], "x": [1, 2, None]}


def travelled(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize(
    "expression",
    [
        col("x") + 1,
        col("x").cast("decimal(15,2)"),
        lf.when(col("x") > 1).then(1).otherwise(lf.lit("2", "string").cast(int)),
        col("x").is_in([1, None]),
        col("x").sum().filter(col("k") == "a"),
        cs.numeric() - cs.by_name("x"),
        col("d") + lf.interval(months=1, days=2),
        lf.lit(datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)),
        lf.lit(pa.scalar([1, 2])),
    ],
)
def test_expressions_travel(expression):
    there = travelled(expression)
    assert there._node == expression._node
    assert repr(there) == repr(expression)


def test_a_plan_travels_and_gives_the_same_rows():
    df = lf.from_dict(ROWS)
    plan = df.join(df.lazy().group_by("k").agg(n=lf.len()), on="k").filter(col("n") > 1).sort("x").select("k", "x", "n")
    there = travelled(plan)
    assert type(there) is lf.LazyFrame
    assert there.schema == plan.schema
    assert there.to_dicts() == [{"k": "a", "x": 1, "n": 2}, {"k": "a", "x": None, "n": 2}]


def test_a_data_frame_travels():
    there = travelled(lf.DataFrame(ROWS))
    assert type(there) is lf.DataFrame
    assert there.to_dict() == ROWS


def test_a_slice_of_a_table_travels_as_that_slice():
    there = travelled(lf.DataFrame({"x": list(range(100_000))})[5:7])
    assert there["x"].to_pylist() == [5, 6]
    assert len(pickle.dumps(there)) < 20_000


@pytest.mark.parametrize("kind", ["parquet", "csv", "ipc", "json"])
def test_files_are_opened_again(kind, tmp_path):
    path = tmp_path / f"rows.{kind}"
    getattr(lf.from_dict(ROWS), f"sink_{kind}")(path)
    frame = getattr(lf, f"scan_{kind}")(str(path)).filter(col("x") > 1)
    frame.count()
    assert travelled(frame).to_dicts() == [{"k": "b", "x": 2}]


def test_a_file_with_other_columns_is_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x\n1\n")
    pickled = pickle.dumps(lf.scan_csv(path))
    path.write_text("y\n1\n")
    with pytest.raises(lf.errors.SourceError, match="other columns or types"):
        pickle.loads(pickled)


def test_a_deep_chain_travels():
    df = lf.from_dict({"x": [0]})
    expression = col("x")
    for _ in range(3000):
        df = df.with_columns(x=col("x") + 1)
        expression = expression + 1
    assert travelled(df).schema == df.schema
    assert travelled(expression)._node == expression._node


def test_a_shared_part_stays_one():
    df = lf.from_dict({"x": [1]})
    for _ in range(200):
        df = lf.concat([df, df]).unique()
    assert travelled(df).schema == df.schema


def test_a_cache_travels_empty():
    cached = lf.from_dict(ROWS).filter(col("x") > 1).cache()
    assert cached.count() == 1
    there = travelled(cached)
    assert not there._plan.slot.is_filled
    assert there.count() == 1


def shortened(table):
    return table.slice(1)


def test_functions_travel_as_pickle_can():
    frame = lf.from_dict({"x": [1, 2]}).map_batches(shortened)
    assert travelled(frame).to_dicts() == [{"x": 2}]
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(lf.from_dict({"x": [1]}).map_batches(lambda table: table))


def test_errors_still_name_the_line():
    there = travelled(lf.from_dict({"x": [0]}).select(y=1 // col("x")))
    with pytest.raises(lf.errors.EvaluationError, match="division by zero") as caught:
        there.collect()
    assert "test_travelling.py" in str(caught.value)


def test_copies_are_the_same_thing():
    df = lf.DataFrame(ROWS)
    for value in (col("x") + 1, df, df.filter(col("x") > 1), (col("x") + 1)._node):
        assert copy.copy(value) is value
        assert copy.deepcopy(value) is value
    assert copy.deepcopy({"plan": df})["plan"] is df
