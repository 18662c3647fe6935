"""Asof joins on random values and groups, against DuckDB and Polars, and against their definition."""

from __future__ import annotations

import math
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyframe as lf
from tests.differential.tables import TYPES, pool

NUMBERS = ["i8", "i64", "u64", "f32", "f64", "dec", "wide"]


def value_key(value: Any) -> tuple[bool, Any]:
    """Values in the engine's order: NaN is the greatest."""
    nan = isinstance(value, float) and math.isnan(value)
    return nan, 0 if nan else value


def distance(a: Any, b: Any) -> float:
    if value_key(a) == value_key(b):
        return 0
    found = abs(a - b)
    return math.inf if isinstance(found, float) and math.isnan(found) else found


def partner(probe: dict, right: list[dict], strategy: str, strict: bool, tolerance: Any) -> int | None:
    """The row number of the partner, by going through all rows."""
    if probe["t"] is None or probe["g"] is None:
        return None
    rows = [row for row in right if row["g"] == probe["g"] and row["t"] is not None]
    if strict:
        rows = [row for row in rows if value_key(row["t"]) != value_key(probe["t"])]
    if tolerance is not None:
        rows = [row for row in rows if distance(row["t"], probe["t"]) <= tolerance]
    before = [row for row in rows if value_key(row["t"]) <= value_key(probe["t"])]
    after = [row for row in rows if value_key(row["t"]) >= value_key(probe["t"])]
    last = max(before, key=lambda row: (value_key(row["t"]), row["n"]), default=None)
    if strategy == "backward":
        return last and last["n"]
    if strategy == "forward":
        first = min(after, key=lambda row: (value_key(row["t"]), row["n"]), default=None)
        return first and first["n"]
    nearest = min(rows, key=lambda row: (distance(row["t"], probe["t"]), -(row in after), -row["n"]), default=None)
    return nearest and nearest["n"]


def table(data: st.DataObject, dtype: pa.DataType, *, integers: bool = False) -> pa.Table:
    size = data.draw(st.sampled_from([0, 1, 3, 8, 15]))
    values = st.integers(0, 9) if integers else st.one_of(pool(dtype), pool(dtype), st.none())
    groups = st.sampled_from(["a", "b", "a" * 20, None])
    return pa.table(
        {
            "t": pa.array(data.draw(st.lists(values, min_size=size, max_size=size)), dtype),
            "g": pa.array(data.draw(st.lists(groups, min_size=size, max_size=size)), pa.string()),
            "n": pa.array(range(size), pa.int64()),
        }
    )


def found(left: pa.Table, right: pa.Table, **options: Any) -> list[int | None]:
    query = lf.from_arrow(left).join_asof(lf.from_arrow(right), on="t", by="g", **options)
    return query.to_dict()["n_right"]


@settings(max_examples=150)
@given(data=st.data())
def test_any_type(data: st.DataObject) -> None:
    strategy = data.draw(st.sampled_from(["backward", "forward", "nearest"]))
    kind = data.draw(st.sampled_from(NUMBERS if strategy == "nearest" else [*TYPES]))
    dtype = TYPES[kind]
    left, right = table(data, dtype), table(data, dtype)
    strict = data.draw(st.booleans())
    tolerance = None
    if kind in NUMBERS and data.draw(st.booleans()):
        tolerance = data.draw(st.sampled_from([0, 1, 3, 200]))
    options = {"strategy": strategy, "allow_exact_matches": not strict, "tolerance": tolerance}
    ours = found(left, right, **options)
    expected = [partner(row, right.to_pylist(), strategy, strict, tolerance) for row in left.to_pylist()]
    assert ours == expected, f"{kind} {options}"


@settings(max_examples=100)
@given(data=st.data())
def test_against_polars(data: st.DataObject) -> None:
    left, right = (table(data, pa.int64(), integers=True) for _ in range(2))
    options = {
        "strategy": data.draw(st.sampled_from(["backward", "forward", "nearest"])),
        "allow_exact_matches": data.draw(st.booleans()),
        "tolerance": data.draw(st.sampled_from([None, 0, 1, 3])),
    }
    ours = found(left, right, **options)
    a, b = (pl.from_arrow(t).sort("t", maintain_order=True) for t in (left, right))
    theirs = a.join_asof(b, on="t", by="g", check_sortedness=False, **options).sort("n")
    assert ours == theirs["n_right"].to_list()


@settings(max_examples=60)
@given(data=st.data())
def test_against_duckdb(data: st.DataObject) -> None:
    dtype = TYPES[data.draw(st.sampled_from(["i8", "i64", "f64", "dec", "str", "date", "ts"]))]
    left, right = (table(data, dtype) for _ in range(2))
    # Of rows with equal values any may be found: keep one of each.
    right = lf.from_arrow(right).unique(["g", "t"], keep="first").to_arrow()
    strategy, strict = data.draw(st.sampled_from(["backward", "forward"])), data.draw(st.booleans())
    symbol = (">" if strategy == "backward" else "<") + "=" * (not strict)
    with duckdb.connect() as connection:
        connection.register("l", left)
        connection.register("r", right)
        theirs = connection.sql(
            f"SELECT l.n, r.n FROM l ASOF LEFT JOIN r ON l.g = r.g AND l.t {symbol} r.t ORDER BY l.n"
        ).fetchall()
    assert found(left, right, strategy=strategy, allow_exact_matches=not strict) == [n for _, n in theirs]


@pytest.mark.parametrize("strategy", ["backward", "forward", "nearest"])
def test_many_rows_in_many_groups(strategy: str) -> None:
    rng = np.random.default_rng(7)
    size = 200_000
    groups = pa.array(rng.integers(0, 500, size), mask=rng.random(size) < 0.01)
    left, right = (
        pa.table(
            {"t": np.sort(rng.integers(0, 10**6, size)), "g": groups.take(rng.permutation(size)), "n": range(size)}
        )
        for _ in range(2)
    )
    a, b = (pl.from_arrow(t) for t in (left, right))
    theirs = a.join_asof(b, on="t", by="g", strategy=strategy, tolerance=400, check_sortedness=False)
    assert found(left, right, strategy=strategy, tolerance=400) == theirs["n_right"].to_list()
