"""The rows that the value of a window function was made of: by hand, and as DuckDB lists the rows of a frame."""

from __future__ import annotations

import random

import duckdb
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col

T = lf.from_dict(
    {
        "g": ["a", "b", "a", "a", "b", None, None],
        "d": [1, 1, 2, 2, 5, 3, 4],
        "x": [1.0, None, 3.0, None, 5.0, 6.0, None],
    }
)
WHOLE = [0, 1, 2, 3, 4, 5, 6]


def value(expr: lf.Expr) -> lf.LazyFrame:
    return T.select(z=expr)


SHIFTED = T.head(3).select("d", z=col("x").shift(1))

CASES = {
    "a running sum": (value(col("x").cum_sum()), 3, [0, 1, 2, 3]),
    "a running sum of each": (value(col("x").cum_sum().over("g")), 3, [0, 2, 3]),
    "a running sum of nulls": (value(col("x").cum_sum().over("g")), 6, [5, 6]),
    "a total of each": (value(col("x").sum().over("g")), 0, [0, 2, 3]),
    "a share of the total": (value(col("x") / col("x").sum()), 0, WHOLE),
    "a filtered total": (value(col("x").filter(col("d") > 1).sum().over("g")), 0, [0, 2, 3]),
    "a filtered total of the others": (value(col("x").filter(col("d") == 1).sum().over("g")), 2, [0, 2]),
    "a filtered total of all": (lf.sql("select sum(x) filter (where d > 3) over () z from t", t=T), 0, [0, 4, 6]),
    "the row before": (value(col("x").shift(1).over("g")), 2, [0, 2]),
    "none before": (value(col("x").shift(1).over("g")), 0, [0]),
    "the row behind": (value(col("x").shift(-1).over("g")), 2, [2, 3]),
    "two rows before": (value(col("x").shift(2).over("g")), 3, [0, 3]),
    "a difference": (value(col("x").diff()), 4, [3, 4]),
    "up to peers": (value(col("x").sum().over("g", order_by="d")), 2, [0, 2, 3]),
    "by another order": (value(col("x").cum_sum().over("g", order_by=lf.desc("d"))), 0, [0, 2, 3]),
    "a rank": (value(lf.rank().over("g", order_by="d")), 3, [0, 3]),
    "a rank of the first": (value(lf.rank().over("g", order_by="d")), 0, [0]),
    "a row number": (value(lf.row_number().over("g", order_by="d")), 2, [0, 2]),
    "a share": (value(lf.percent_rank().over("g", order_by="d")), 0, [0, 2, 3]),
    "a filled value": (value(col("x").forward_fill()), 3, [2, 3]),
    "a value that was there": (value(col("x").forward_fill()), 4, [4]),
    "filled from behind": (value(col("x").backward_fill().over("g")), 1, [1, 4]),
    "nothing to fill with": (value(col("x").backward_fill().over("g")), 3, [3]),
    "a moving mean": (value(col("x").rolling_mean(2)), 4, [3, 4]),
    "a weighted mean": (value(col("x").ewm_mean(alpha=0.5)), 2, [0, 1, 2]),
    "the first of each": (value(col("x").first().over("g")), 3, [0, 3]),
    "an interpolated value": (T.select("x").interpolate(), 1, [0, 1, 2]),
    "beside interpolation": (T.select("x").interpolate(), 2, [2]),
    "interpolated to the end": (T.select("x").interpolate(), 6, [5, 6]),
    "two windows": (T.select(z=col("x").shift(1).over("g") + col("x").shift(-1)), 2, [0, 2, 3]),
    "a window over a window": (
        T.with_columns(s=col("x").shift(1)).select(z=col("s").shift(1)), 4, [2, 3, 4]),
    "a window over groups": (
        T.group_by("d").agg(s=col("x").sum()).sort("d").select(z=col("s").shift(1)), 1, [0, 1, 2, 3]),
    "a window below a group": (T.with_columns(s=col("x").shift(1)).group_by("g").agg(col("s").sum()), 1, [0, 1, 3, 4]),
    "a window that was read twice": (
        SHIFTED.join(SHIFTED, on="d", suffix="_2"), 4, [1, 2]),
    "a window in a filter alone": (T.filter(col("x").cum_sum() > 3).select("d"), 0, [2]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_rows_by_hand(name):
    query, row, expected = CASES[name]
    assert query.why(row, t=T).numbers == {"t": expected}


def table(rng: random.Random) -> pa.Table:
    rows = 14

    def drawn(most: int) -> pa.Array:
        return pa.array([None if rng.random() < 0.15 else rng.randrange(most) for _ in range(rows)], pa.int64())

    return pa.table({"id": list(range(rows)), "g": drawn(2), "d": drawn(6), "x": drawn(50), "c": drawn(3)})


def bounded(rng: random.Random) -> str:
    unit = rng.choice(["rows", "range", "groups"])
    bounds = ["unbounded preceding", f"{rng.randrange(1, 4)} preceding", "current row", f"{rng.randrange(1, 4)} following",
              "unbounded following"]  # fmt: skip
    start = rng.randrange(0, 4)
    end = rng.randrange(max(start, 1), 5)
    exclude = rng.choice(["", "", "exclude current row", "exclude group", "exclude ties"])
    return f"{unit} between {bounds[start]} and {bounds[end]} {exclude}"


@pytest.mark.parametrize("seed", range(120))
def test_frames_are_those_that_duckdb_lists(seed):
    rng = random.Random(seed)
    t = table(rng)
    within = bounded(rng)
    # Only in rows the order of peers matters; DuckDB keeps none.
    order = "order by d, id" if within.startswith("rows") else f"order by d {rng.choice(['', 'desc'])}"
    over = f"over ({rng.choice(['', 'partition by g'])} {order} {within})"
    where = rng.choice(["", "filter (where c > 0)"])
    theirs = duckdb.sql(f"select id, list(id) {where} {over} as ids from t order by id").fetchall()
    ours = lf.sql(f"select id, sum(x) {where} {over} as s from t", t=(frame := lf.from_arrow(t)))
    ids = [row["id"] for row in ours.to_dicts()]
    for number in rng.sample(range(t.num_rows), 4):
        expected = {ids[number], *(theirs[ids[number]][1] or ())}
        assert ours.why(number, t=frame).numbers["t"] == sorted(expected), f"{over} at {ids[number]}"


@pytest.mark.parametrize(
    "call", ["lag({}, 2)", "lead({}, 1, 7)", "first_value({})", "last_value({})", "nth_value({}, 2)"]
)
@pytest.mark.parametrize("seed", range(8))
def test_values_are_of_the_row_that_duckdb_names(call, seed):
    rng = random.Random(seed)
    t = table(rng)
    over = f"over ({rng.choice(['', 'partition by g'])} order by d, id)"
    name = call.replace(", 7", "")
    theirs = duckdb.sql(f"select {name.format('id')} {over} as of from t order by id").fetchall()
    ours = lf.sql(f"select id, {call.format('x')} {over} as v from t", t=(frame := lf.from_arrow(t)))
    ids = [row["id"] for row in ours.to_dicts()]
    for number in range(0, t.num_rows, 3):
        (of,) = theirs[ids[number]]
        assert ours.why(number, t=frame).numbers["t"] == sorted({ids[number]} | ({of} - {None}))
