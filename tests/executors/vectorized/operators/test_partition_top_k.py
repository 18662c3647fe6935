"""The first rows of each partition, beside what a sort in Python says."""

from __future__ import annotations

import math
import random

import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe.executors.vectorized.operators.partition_top_k import _SAMPLE
from lazyframe.frame import LazyFrame
from lazyframe.planner.relations import PartitionTopK, Window

RANKINGS = ("row_number", "rank", "dense_rank")


def table(rows: int, groups: int, seed: int = 0) -> pa.Table:
    draw = random.Random(seed)
    keys = [None, *range(groups)]
    values = [0.0, -0.0, 1.5, 2.0, float("nan"), None]
    return pa.table(
        {
            "g": pa.array([draw.choice(keys) for _ in range(rows)], pa.int64()),
            "x": pa.array([draw.choice(values) for _ in range(rows)], pa.float64()),
            "i": pa.array(range(rows), pa.int64()),
        }
    )


def kept(rows: pa.Table, function: str, count: int) -> LazyFrame:
    """The rows whose place is at most `count`, without the places."""
    found = lf.sql(f"select *, {function}() over (partition by g order by x desc) as n from t", t=rows)._plan
    while not isinstance(found, Window):
        (found,) = found.children()
    ((_, call),) = found.calls
    return LazyFrame(PartitionTopK(found.input, call, count))


def expected(rows: pa.Table, function: str, count: int) -> list[int]:
    """Which rows they are: NaN is the greatest and equal to itself, zeros are equal, nulls come last."""
    partitions: dict[object, list[tuple[tuple[bool, float], int]]] = {}
    for row in rows.to_pylist():
        x = row["x"]
        key = (x is None, 0.0 if x is None else -math.inf if math.isnan(x) else -x)
        partitions.setdefault(row["g"], []).append((key, row["i"]))
    found = []
    for members in partitions.values():
        members.sort()
        first: dict[tuple[bool, float], tuple[int, int]] = {}
        for place, (key, number) in enumerate(members):
            before, different = first.setdefault(key, (place, len(first)))
            if {"row_number": place, "rank": before, "dense_rank": different}[function] < count:
                found.append(number)
    return sorted(found)


@pytest.mark.parametrize("function", RANKINGS)
@pytest.mark.parametrize("count", [0, 1, 2, 50])
@pytest.mark.parametrize(("rows", "groups"), [(0, 1), (1, 1), (300, 3), (300, 200)])
def test_the_first_of_each_partition(function, count, rows, groups):
    given = table(rows, groups)
    assert kept(given, function, count).collect().to_arrow()["i"].to_pylist() == expected(given, function, count)


@pytest.mark.parametrize("groups", [3, 2 * _SAMPLE])
def test_many_batches_and_threads(groups):
    given = table(_SAMPLE + 70_000, groups)
    wanted = expected(given, "row_number", 2)
    for threads in (1, 2, 7):
        with lf.config(threads=threads):
            assert kept(given, "row_number", 2).collect().to_arrow()["i"].to_pylist() == wanted
