"""Expressions and plans as text: exactly what is printed."""

from __future__ import annotations

import datetime
import decimal

import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.planner.bind import bind
from lazyframe.planner.formatting import format_plan, format_scalar

D = decimal.Decimal
FRAME = lf.from_dict(
    {
        "x": [1],
        "y": [2],
        "f": [0.5],
        "s": ["a"],
        "b": [True],
        "d": [datetime.date(2024, 1, 1)],
        "m": [D("1.50")],
        "two words": [1],
        "l": [[1]],
    }
)
X, Y, S, B = col("x"), col("y"), col("s"), col("b")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (X, "x"),
        (col("two words") + 1, "`two words` + 1"),
        (X + Y * 2, "x + y * 2"),
        ((X + Y) * 2, "(x + y) * 2"),
        (X - (Y - 1), "x - (y - 1)"),
        (X - Y - 1, "x - y - 1"),
        (X * (Y * 2), "x * (y * 2)"),
        (-(X + Y), "-(x + y)"),
        (-X + Y, "-x + y"),
        (X // Y % 2, "x // y % 2"),
        ((X > 1) & (Y < 2) | B, "x > 1 & y < 2 | b"),
        ((X > 1) & ((Y < 2) | B), "x > 1 & (y < 2 | b)"),
        ((X > 1) == (Y > 1), "(x > 1) == (y > 1)"),
        (~(X > 1), "not x > 1"),
        (~B & B, "not b & b"),
        (~(B & B), "not (b & b)"),
        (X.is_null(), "x is null"),
        ((X + 1).is_not_null(), "x + 1 is not null"),
        (X.is_in([1, 2]), "x in (1, 2)"),
        (X.is_in(range(9)), "x in (0, 1, 2, 3, 4, 5, … 3 more)"),
        (S == "it's", 's == "it\'s"'),
        (S + "x", "s + 'x'"),
        (col("d") >= datetime.date(2024, 2, 29), "d >= '2024-02-29'"),
        (col("m") == D("1.5"), "m == 1.5"),
        (X == None, "x == null"),  # noqa: E711
        (X.cast("int8"), "cast(x as int8)"),
        (X.try_cast("int8"), "try_cast(x as int8)"),
        (lf.when(X > 1).then(2).when(B).then(3).otherwise(Y), "case when x > 1 then 2 when b then 3 else y end"),
        (col("f").round(2), "round(f, digits=2)"),
        (X.sum(), "sum(x)"),
        (lf.len(), "len()"),
        (X.sum().filter(Y > 1), "sum(x) where y > 1"),
        (X.sum().distinct(), "sum(distinct x)"),
        (S.first(order_by=lf.desc("x", nulls_first=True)), "first(s, ignore_nulls=False order by x desc nulls first)"),
        (lf.random(), "random()"),
        (lf.lit("a" * 300), "'" + "a" * 198 + "…"),
    ],
    ids=lambda value: value[:50] if isinstance(value, str) else "",
)
def test_expressions(expr, text):
    assert format_scalar(bind(expr._node, FRAME.schema)) == text


def test_the_text_of_a_deep_expression_is_cut():
    expr = X
    for _ in range(3_000):
        expr = expr + 1
    text = format_scalar(bind(expr._node, FRAME.schema))
    assert " … " in text
    assert len(text) < 3_000


def shown(frame) -> str:
    return format_plan(frame._plan)


A = lf.from_dict({"k": [1], "x": [2]})
C = lf.from_dict({"k": [1], "z": [3]})


def one(frame):
    return shown(frame).split("\n")[0]


@pytest.mark.parametrize(
    ("frame", "line"),
    [
        (A, "Scan in memory [k, x]"),
        (A.filter((X > 1) & (col("k") == 1)), "Filter x > 1 & k == 1"),
        (A.filter((X > 1) | (col("k") == 1)), "Filter (x > 1 | k == 1)"),
        (A.filter(X > 1, (X > 2) | (col("k") == 1)), "Filter x > 1 & (x > 2 | k == 1)"),
        (A.select("x", y=X + 1), "Project x, x + 1 as y"),
        (A.select(X.alias("two words")), "Project x as `two words`"),
        (A.group_by("k").agg(X.sum(), n=lf.len()), "Aggregate sum(x) as x, len() as n by k"),
        (A.select(X.sum()), "Aggregate sum(x) as x"),
        (A.unique(), "Distinct keep first"),
        (A.unique("k", keep="last"), "Distinct on k keep last"),
        (A.join(C, on="k", how="semi"), "Join semi on k == `k:right`"),
        (A.join(C.rename({"k": "q"}), on=(col("x") < col("z")) & (col("k") == col("q"))), "Join inner on k == q if x < z"),
        (A.join(C.select("z"), how="cross"), "Join cross"),
        (A.sort("k", lf.desc("x")), "Sort by k, x desc"),
        (A.top_k(3, by="x"), "TopK 3 by x desc"),
        (A.head(3), "Limit 3"),
        (A.slice(2), "Limit all after 2"),
        (A.slice(2, 3), "Limit 3 after 2"),
        (A.tail(2), "Tail 2"),
        (A.reverse(), "Reverse"),
        (A.shift(-1), "Shift -1"),
        (A.interpolate(), "Interpolate k, x"),
        (lf.concat([A, A]), "Union"),
        (A.intersect(A), "Intersect"),
        (A.except_(A, keep_duplicates=True), "Except all"),
        (lf.concat([A, C.select("z")], how="horizontal"), "HorizontalConcat"),
        (FRAME.explode("l"), "Explode l"),
        (A.unpivot(["x"], index="k"), "Unpivot x"),
        (A.with_row_index("n"), "RowIndex as n"),
        (A.with_row_index("n", 5), "RowIndex as n from 5"),
        (A.sample(5, seed=1), "Sample 5 with seed 1"),
        (A.sample(fraction=0.25, seed=1), "Sample 0.25 of all with seed 1"),
        (A.map_batches(shown), "MapBatches shown"),
        (A.cache(), "Cache"),
        (lf.from_dict({f"c{n}": [1] for n in range(15)}), "Scan in memory [" + ", ".join(f"c{n}" for n in range(12)) + ", … 3 more]"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_nodes(frame, line):
    assert one(frame) == line


def test_trees_are_indented():
    frame = A.filter(X > 1).join(C.sort("z"), on="k").select("x", "z")
    assert shown(frame) == "\n".join(  # noqa: FLY002
        [
            "Project x, z",
            "  Project k, x, z",
            "    Join inner on k == `k:right`",
            "      Filter x > 1",
            "        Scan in memory [k, x]",
            "      Project k as `k:right`, z",
            "        Sort by z",
            "          Scan in memory [k, z]",
        ]
    )


def test_what_stands_in_several_places_is_written_once():
    common = A.filter(X > 1)
    frame = lf.concat([common, common.sort("x"), common])
    assert shown(frame) == "\n".join(  # noqa: FLY002
        ["Union", "  #1 Filter x > 1", "    Scan in memory [k, x]", "  Sort by x", "    see #1", "  see #1"]
    )


def test_deep_plans_are_shown():
    frame = A.lazy()
    for n in range(2_000):
        frame = frame.filter(n < X)
    text = shown(frame)
    assert len(text.split("\n")) == 2_001
    assert max(map(len, text.split("\n"))) < 200


def test_notes_stand_after_labels():
    assert (
        format_plan(A.filter(X > 1)._plan, lambda plan: f"  <{type(plan).__name__}>").split("\n")[0]
        == "Filter x > 1  <Filter>"
    )


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (lf.col("x").try_cast("int8"), "try_cast(col('x') as int8)"),
        (lf.col("x").cast("int8"), "cast(col('x') as int8)"),
        (lf.desc("x", nulls_first=True), "col('x') desc nulls first"),
        (lf.col("x").name.prefix("a_"), "col('x').name.prefix('a_')"),
        ((lf.col("x") + 1).name.suffix("_b"), "(col('x') + 1).name.suffix('_b')"),
    ],
)
def test_expressions_print_all_their_parts(expression, text):
    assert repr(expression) == text
