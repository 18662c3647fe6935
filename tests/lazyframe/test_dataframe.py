"""Rows in memory: where they come from, items, iteration, how they print."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col

NAN = float("nan")
FRAME = lf.DataFrame({"x": [1, 2, 3], "s": ["a", None, "c"]})


def test_items():
    assert FRAME["x"].to_pylist() == [1, 2, 3]
    assert isinstance(FRAME["x"], pa.ChunkedArray)
    assert FRAME[0] == {"x": 1, "s": "a"}
    assert FRAME[-1] == {"x": 3, "s": "c"}
    assert FRAME[np.int64(1)] == {"x": 2, "s": None}
    assert FRAME[1, "x"] == 2
    assert FRAME[-1, "s"] == "c"
    assert FRAME[1:].to_dict() == {"x": [2, 3], "s": [None, "c"]}
    assert FRAME[-2:-1].to_dict() == {"x": [2], "s": [None]}
    assert FRAME[::2].to_dict() == {"x": [1, 3], "s": ["a", "c"]}
    assert FRAME[::-1].to_dict()["x"] == [3, 2, 1]
    assert FRAME[5:].to_dict() == {"x": [], "s": []}
    assert FRAME[["s"]].to_dict() == {"s": ["a", None, "c"]}
    assert isinstance(FRAME[1:], lf.DataFrame)


@pytest.mark.parametrize("key", [True, 1.5, None, ("x", 1), (True, "x"), ["x", 1], {"x"}])
def test_items_that_are_none(key):
    with pytest.raises(lf.errors.InvalidArgumentError, match="a frame has no item"):
        FRAME[key]


@pytest.mark.parametrize("row", [3, -4])
def test_rows_that_are_not_there(row):
    with pytest.raises(IndexError, match=f"row {row} of a frame of 3 rows"):
        FRAME[row]


@pytest.mark.parametrize("key", ["y", ["x", "y"], (0, "y")])
def test_columns_that_are_not_there(key):
    with pytest.raises(lf.errors.ColumnNotFoundError, match="'y'"):
        FRAME[key]


def test_length_truth_shape_and_iteration():
    assert len(FRAME) == 3
    assert FRAME.shape == (3, 2)
    assert FRAME
    assert not FRAME[5:]
    assert list(FRAME) == [{"x": 1, "s": "a"}, {"x": 2, "s": None}, {"x": 3, "s": "c"}]
    assert FRAME.collect() is FRAME
    assert type(FRAME.lazy()) is lf.LazyFrame


def test_verbs_give_lazy_frames():
    assert type(FRAME.head(1)) is lf.LazyFrame
    assert FRAME.head(1).collect().to_dict() == {"x": [1], "s": ["a"]}


def test_repr():
    text = repr(FRAME)
    for part in ("int64", "string", "null", "3 rows × 2 columns"):
        assert part in text
    with lf.config(max_rows=2):
        assert "showing" in repr(FRAME)
    assert "0 rows" in repr(FRAME[5:])


def test_html_is_escaped():
    html = lf.DataFrame({"<u>": ["<script>alert(1)</script>"]})._repr_html_()
    lazy = lf.DataFrame({"<u>": [1]}).select(col("<u>").alias("<i>"))._repr_html_()
    assert 'class="dataframe' in html
    for tag in ("<script>", "<u>", "<i>"):
        assert tag not in html
        assert tag not in lazy
    assert "&lt;u&gt;" in html


def test_repr_of_a_lazy_frame_says_that_it_did_not_run():
    text = repr(FRAME.select("x"))
    assert text.splitlines() == ["LazyFrame (not run)  1 column from in memory", "  x  int64"]


# Where rows come from.


def test_from_dict():
    frame = lf.from_dict({"a": [1, None], "b": (True, False), "c": np.array([1.5, 2.5]), "d": range(2)})
    assert frame.to_dict() == {"a": [1, None], "b": [True, False], "c": [1.5, 2.5], "d": [0, 1]}
    assert lf.from_dict({"a": [1]}, schema={"a": "int8"}).schema["a"] == pa.int8()
    assert lf.from_dict({"a": [1], "b": [2]}, schema={"b": float}).schema.types == [pa.int64(), pa.float64()]
    assert lf.from_dict({}).shape == (0, 0)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (True, pa.bool_()),
        (1, pa.int64()),
        (1.5, pa.float64()),
        ("a", pa.string()),
        (b"a", pa.binary()),
        (decimal.Decimal("1.50"), pa.decimal128(3, 2)),
        (datetime.date(2024, 2, 29), pa.date32()),
        (datetime.datetime(2024, 2, 29, 12), pa.timestamp("us")),  # noqa: DTZ001
        (datetime.time(12, 30), pa.time64("us")),
        (datetime.timedelta(hours=1), pa.duration("us")),
        ([1, 2], pa.list_(pa.field("item", pa.int64()))),
        ({"p": 1}, pa.struct([pa.field("p", pa.int64())])),
        (None, pa.null()),
    ],
)
def test_values_of_all_types(value, dtype, answer):
    frame = lf.from_dict({"v": [value, None]})
    assert frame.schema["v"] == dtype
    assert answer(frame) == {"v": [value, None]}


def test_fractions_are_not_cut_off():
    assert lf.from_dict({"x": [1.0, None]}, {"x": int}).to_dict() == {"x": [1, None]}
    for build in (
        lambda: lf.from_dict({"x": [1.0, 1.5]}, {"x": int}),
        lambda: lf.from_dicts([{"x": 1.0}, {"x": 1.5}], {"x": "int8"}),
    ):
        with pytest.raises(lf.errors.TypeMismatchError, match=r"column 'x', row 1: 1.5 .* is not an int"):
            build()


def test_from_dicts():
    assert lf.from_dicts([{"x": 1, "y": "a"}, {"x": 2, "y": None}]).to_dict() == {"x": [1, 2], "y": ["a", None]}
    assert lf.from_dicts([{"x": 1}, {"y": 2}]).to_dict() == {"x": [1, None], "y": [None, 2]}
    assert lf.from_dicts([{"x": 1}], schema={"x": "int16"}).schema["x"] == pa.int16()


def test_from_pandas_and_polars():
    pandas = pd.DataFrame({"x": [1, 2], "s": ["a", None]}, index=[7, 8])
    assert lf.from_pandas(pandas).to_dict() == {"x": [1, 2], "s": ["a", None]}
    assert lf.from_pandas(pandas.rename_axis("key")).to_dict()["key"] == [7, 8]
    polars = pl.DataFrame({"x": [1, 2], "c": ["a", "b"]}, schema_overrides={"c": pl.Categorical})
    assert lf.from_polars(polars).to_dict() == {"x": [1, 2], "c": ["a", "b"]}
    assert lf.from_polars(polars).schema["c"] == pa.string()


def test_from_arrow_of_many_things():
    table = pa.table({"x": [1, 2]})
    for data in (
        table,
        table.to_batches()[0],
        table.to_reader(),
        {"x": [1, 2]},
        [{"x": 1}, {"x": 2}],
        FRAME.head(2).select("x"),
    ):
        assert lf.from_arrow(data).to_dict() == {"x": [1, 2]}


@pytest.mark.parametrize("data", [3, "x", None, object()])
def test_what_holds_no_rows(data):
    with pytest.raises(lf.errors.LazyFrameError):
        lf.from_arrow(data)


def test_columns_of_different_lengths():
    with pytest.raises(lf.errors.LazyFrameError):
        lf.from_dict({"a": [1], "b": [1, 2]})


def test_layouts_are_the_types_that_they_mean(answer):
    table = pa.table(
        {
            "d": pa.array(["a", "b", "a"]).dictionary_encode(),
            "l": pa.array(["a", "b", "c"], pa.large_string()),
            "v": pa.array(["a", "b", "c"], pa.string_view()),
            "f": pa.array([b"ab", b"cd", None], pa.binary(2)),
        }
    )
    frame = lf.from_arrow(table)
    assert frame.schema.types == [pa.string(), pa.string(), pa.string(), pa.binary()]
    assert answer(frame.filter(col("d") == "a")) == {
        "d": ["a", "a"],
        "l": ["a", "c"],
        "v": ["a", "c"],
        "f": [b"ab", None],
    }
    assert frame.to_arrow().schema == frame.schema.to_arrow()


def test_columns_declared_not_null_are_believed_and_checked():
    schema = pa.schema([pa.field("x", pa.int64(), nullable=False)])
    frame = lf.from_arrow(pa.table({"x": [1]}, schema=schema))
    assert not frame.schema.field("x").nullable
    assert not frame.select(y=col("x") + 1).schema.field("y").nullable


def test_size_and_membership():
    assert (FRAME.height, FRAME.width, FRAME.shape) == (3, 2, (3, 2))
    assert "x" in FRAME
    assert "y" not in FRAME
    assert {"x": 1, "s": "a"} not in FRAME


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({"x": [1.0, NAN, None], "s": ["a", "b", None], "l": [[NAN], [], None]}, True),
        ({"x": [1.0, NAN, NAN], "s": ["a", "b", None], "l": [[NAN], [], None]}, False),
        ({"x": [1.0, None, None], "s": ["a", "b", None], "l": [[NAN], [], None]}, False),
        ({"x": [2.0, NAN, None], "s": ["a", "b", None], "l": [[NAN], [], None]}, False),
        ({"x": [1.0, NAN, None], "s": ["a", "b", None], "l": [[0.0], [], None]}, False),
        ({"x": [1.0, NAN, None], "s": ["a", "b", None], "l": [[NAN], None, None]}, False),
        ({"x": [1.0, NAN], "s": ["a", "b"], "l": [[NAN], []]}, False),
        ({"s": ["a", "b", None], "x": [1.0, NAN, None], "l": [[NAN], [], None]}, False),
        ({"x": [1, 2, 3], "s": ["a", "b", None], "l": [[NAN], [], None]}, False),
    ],
)
def test_equality_of_rows(other, same):
    frame = lf.DataFrame({"x": [1.0, NAN, None], "s": ["a", "b", None], "l": [[NAN], [], None]})
    assert frame.equals(lf.DataFrame(other)) is same
    assert frame.equals(lf.DataFrame(other).filter(lf.lit(True))) is same


def test_frames_are_not_compared_with_operators():
    for compare in (lambda: FRAME == FRAME.lazy(), lambda: FRAME.lazy() != FRAME):  # noqa: SIM300 - both are frames
        with pytest.raises(lf.errors.LazyValueError, match=r"\.equals\(b\)"):
            compare()


@pytest.mark.parametrize("kind", ["parquet", "csv", "ipc", "json"])
def test_results_are_written(kind, tmp_path):
    path = tmp_path / f"rows.{kind}"
    assert getattr(FRAME, f"write_{kind}")(path) == 3
    assert getattr(lf, f"read_{kind}")(path).equals(FRAME)
