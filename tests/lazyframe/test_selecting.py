"""Verbs that choose and compute columns, and rows by condition."""

from __future__ import annotations

import pyarrow as pa
import pytest

import lazyframe as lf
import lazyframe.selectors as cs
from lazyframe import col

FRAME = lf.from_dict({"k": ["a", "b", "a"], "x": [1, 2, None], "y": [0.5, 1.5, 2.5]})


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (FRAME.select("y", "k"), {"y": [0.5, 1.5, 2.5], "k": ["a", "b", "a"]}),
        (FRAME.select(["y", "x"]), {"y": [0.5, 1.5, 2.5], "x": [1, 2, None]}),
        (FRAME.select(col("x") + 1), {"x": [2, 3, None]}),
        (FRAME.select(1 - col("x")), {"x": [0, -1, None]}),
        (FRAME.select(z=col("x") * 2, w="k"), {"z": [2, 4, None], "w": ["a", "b", "a"]}),
        (FRAME.select((col("x") + col("y")).alias("s")), {"s": [1.5, 3.5, None]}),
        (FRAME.select(col("x"), col("x").alias("again")), {"x": [1, 2, None], "again": [1, 2, None]}),
        (FRAME.select(name for name in ("x", "y")), {"x": [1, 2, None], "y": [0.5, 1.5, 2.5]}),
        (FRAME.select(lf.lit(7).alias("c"), "k"), {"c": [7, 7, 7], "k": ["a", "b", "a"]}),
        (FRAME.select(1, "k"), {"literal": [1, 1, 1], "k": ["a", "b", "a"]}),
        (FRAME.select(col("x").sum()), {"x": [3]}),
        (FRAME.select(col("x").sum(), n=lf.len()), {"x": [3], "n": [3]}),
        (FRAME.select("k", share=col("y") / col("y").sum()), {"k": ["a", "b", "a"], "share": [0.5 / 4.5, 1.5 / 4.5, 2.5 / 4.5]}),
        (FRAME.select(col("x").sum(), lf.lit(1).alias("one")), {"x": [3], "one": [1]}),
        (FRAME.select(cs.numeric() * 2), {"x": [2, 4, None], "y": [1.0, 3.0, 5.0]}),
        (FRAME.select(cs.numeric().max().name.prefix("max_")), {"max_x": [2], "max_y": [2.5]}),
        (FRAME.select(col("^[xk]$")), {"k": ["a", "b", "a"], "x": [1, 2, None]}),
        (FRAME.select(col("x", "k")), {"x": [1, 2, None], "k": ["a", "b", "a"]}),
        (FRAME.select(col(pa.float64())), {"y": [0.5, 1.5, 2.5]}),
        (FRAME.select(col(str, int)), {"k": ["a", "b", "a"], "x": [1, 2, None]}),
        (FRAME.select(col("*").count()), {"k": [3], "x": [2], "y": [3]}),
    ],
)  # fmt: skip
def test_select(answer, frame, expected):
    assert answer(frame) == expected


def test_select_nothing_keeps_the_number_of_rows(answer):
    assert FRAME.select().columns == []
    assert FRAME.select().count() == 3
    assert FRAME.select().collect().shape == (3, 0)
    assert FRAME.select().to_dicts() == [{}, {}, {}]


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (FRAME.with_columns(z=col("x") + 1), {"k": ["a", "b", "a"], "x": [1, 2, None], "y": [0.5, 1.5, 2.5], "z": [2, 3, None]}),
        # Replaced where it stands; each expression sees the columns as they were before.
        (FRAME.with_columns(col("y") * 2, x=col("y")), {"k": ["a", "b", "a"], "x": [0.5, 1.5, 2.5], "y": [1.0, 3.0, 5.0]}),
        (FRAME.with_columns(x=col("y"), y=col("x")), {"k": ["a", "b", "a"], "x": [0.5, 1.5, 2.5], "y": [1, 2, None]}),
        (FRAME.with_columns(), {"k": ["a", "b", "a"], "x": [1, 2, None], "y": [0.5, 1.5, 2.5]}),
        (FRAME.select("x").with_columns(total=col("x").sum()), {"x": [1, 2, None], "total": [3, 3, 3]}),
        (FRAME.select("x").with_columns(agg=col("x").sum(), other=col("x").max()),
         {"x": [1, 2, None], "agg": [3, 3, 3], "other": [2, 2, 2]}),
        (FRAME.with_columns(cs.float().cast(int)), {"k": ["a", "b", "a"], "x": [1, 2, None], "y": [0, 1, 2]}),
    ],
)  # fmt: skip
def test_with_columns(answer, frame, expected):
    assert answer(frame) == expected


@pytest.mark.parametrize(
    ("frame", "kept"),
    [
        (FRAME.filter(col("x") > 1), [1.5]),
        (FRAME.filter(col("x") >= 1, k="a"), [0.5]),
        (FRAME.filter([col("x") >= 1, col("y") < 1]), [0.5]),
        (FRAME.filter(k="a"), [0.5, 2.5]),
        (FRAME.filter(), [0.5, 1.5, 2.5]),
        (FRAME.filter(col("x").is_null() | (col("k") == "b")), [1.5, 2.5]),
        (FRAME.filter(~(col("x") > 1)), [0.5]),
        (FRAME.filter(None), []),
        (FRAME.filter(lf.lit(True)), [0.5, 1.5, 2.5]),
        (FRAME.filter(col("y") > col("y").mean()), [2.5]),
        (FRAME.filter(col("y") == col("y").max().filter(col("k") == "b")), [1.5]),
        (FRAME.filter(cs.numeric() > 1), [1.5]),
    ],
)
def test_filter_keeps_rows_that_are_true(answer, frame, kept):
    found = answer(frame)
    assert list(found) == ["k", "x", "y"]
    assert found["y"] == kept


def test_filter_with_a_name_of_a_boolean_column(answer):
    assert answer(lf.from_dict({"ok": [True, None, False], "x": [1, 2, 3]}).filter("ok")) == {"ok": [True], "x": [1]}


def test_filters_are_tested_in_order_so_that_one_guards_the_next(answer):
    frame = lf.from_dict({"x": [6, 7], "d": [0, 2]})
    assert answer(frame.filter(col("d") != 0).filter(col("x") // col("d") == 3)) == {"x": [7], "d": [2]}
    assert answer(frame.filter(col("d") != 0, col("x") // col("d") == 3)) == {"x": [7], "d": [2]}


def test_drop(answer):
    assert FRAME.drop("x").columns == ["k", "y"]
    assert FRAME.drop("x", ["k"]).columns == ["y"]
    assert FRAME.drop(cs.numeric()).columns == ["k"]
    assert FRAME.drop("nothing", strict=False).columns == ["k", "x", "y"]
    assert FRAME.drop().columns == ["k", "x", "y"]
    assert answer(FRAME.drop("k", "x")) == {"y": [0.5, 1.5, 2.5]}


def test_rename(answer):
    assert answer(FRAME.rename({"x": "z"}))["z"] == [1, 2, None]
    assert FRAME.rename({"x": "y", "y": "x"}).columns == ["k", "y", "x"]
    assert answer(FRAME.rename({"x": "y", "y": "x"}))["y"] == [1, 2, None]
    assert FRAME.rename(str.upper).columns == ["K", "X", "Y"]
    assert FRAME.rename({"zz": "q"}, strict=False).columns == ["k", "x", "y"]


def test_cast(answer):
    assert FRAME.cast({"x": "int8"}).schema["x"] == pa.int8()
    assert answer(FRAME.cast({"x": str}))["x"] == ["1", "2", None]
    assert FRAME.cast({cs.numeric(): "float32"}).schema.types == [pa.string(), pa.float32(), pa.float32()]
    assert answer(FRAME.select("x", "y").cast(str)) == {"x": ["1", "2", None], "y": ["0.5", "1.5", "2.5"]}
    assert answer(FRAME.select("k").cast(int, strict=False)) == {"k": [None, None, None]}


def test_unnest_puts_fields_in_the_place_of_the_struct(answer):
    frame = lf.from_dict({"a": [1, 2], "s": [{"p": 1, "q": "x"}, None], "z": [3, 4]})
    assert answer(frame.unnest("s")) == {"a": [1, 2], "p": [1, None], "q": ["x", None], "z": [3, 4]}
    two = lf.from_dict({"s": [{"p": 1}], "t": [{"q": 2}]})
    assert answer(two.unnest("s", "t")) == {"p": [1], "q": [2]}
    assert answer(two.unnest(cs.nested())) == {"p": [1], "q": [2]}


def test_verbs_leave_the_frame_as_it_was(answer):
    before = FRAME.to_dicts()
    FRAME.with_columns(x=0).filter(col("x") > 1).drop("k").collect()
    assert FRAME.to_dicts() == before
    query = FRAME.filter(col("x") > 1)
    assert query.to_dicts() == query.to_dicts()


def test_all_and_exclude():
    frame = lf.from_dict({"a": [1], "b": [2.5], "c": ["x"]})
    assert frame.select(lf.all()).columns == ["a", "b", "c"]
    assert frame.select(lf.exclude("a", "c")).columns == ["b"]
    assert frame.select(lf.exclude("^[ab]$")).columns == ["c"]
    assert frame.select(lf.exclude(float)).columns == ["a", "c"]


def test_functions_of_several_columns_take_a_list():
    frame = lf.from_dict(
        {"a": ["x", None], "b": ["y", "z"], "p": [True, False], "q": [False, False], "m": [1, 5], "n": [2, 4]}
    )
    assert frame.select(
        c=lf.concat_str(["a", "b"], separator="-"), f=lf.coalesce(["a", "b"]), t=lf.any_horizontal(["p", "q"]),
        e=lf.all_horizontal(["p", "q"]), lo=lf.min_horizontal(["m", "n"]), hi=lf.max_horizontal(["m", "n"]),
        s=lf.struct(["m", "n"]),
    ).to_dicts() == [
        {"c": "x-y", "f": "x", "t": True, "e": False, "lo": 1, "hi": 2, "s": {"m": 1, "n": 2}},
        {"c": None, "f": "z", "t": False, "e": False, "lo": 4, "hi": 5, "s": {"m": 5, "n": 4}},
    ]  # fmt: skip
