"""Filter, group and sort 1,000 rows in memory: what a query costs before it has anything to do."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import lazyframe as lf
from benchmarks.options import Options
from benchmarks.runner import OURS, Case, measure
from lazyframe import col, session
from lazyframe.planner.optimizer import optimize

_ROWS = 1_000


def run(options: Options) -> Iterator[Case]:
    import duckdb
    import polars as pl

    data = _table()
    rows = pl.from_arrow(data)
    assert isinstance(rows, pl.DataFrame)
    with duckdb.connect() as connection:
        connection.execute("create table rows as select * from data")
        sql = "select k, sum(v), count(*) from rows where x > 0 group by k order by k"
        yield measure(
            "filter, group, sort of 1,000 rows",
            {
                OURS: _query(data, lambda frame: frame.collect()),
                "polars": lambda: (
                    rows.lazy()
                    .filter(pl.col("x") > 0)
                    .group_by("k")
                    .agg(pl.col("v").sum(), pl.len())
                    .sort("k")
                    .collect()
                ),
                "duckdb": lambda: connection.sql(sql).to_arrow_table(),
            },
            rounds=options.rounds or 20,
            calls=40,
        )
    build = _query(data, lambda built: built)
    written = build()._plan
    plan = optimize(written)
    parts: dict[str, Callable[[], Any]] = {
        "building": build,
        "optimizing": lambda: optimize(written),
        "running": lambda: session.execute(plan, optimize=False),
    }
    yield measure("the parts of it, lazyframe", parts, rounds=options.rounds or 20, calls=40, check=False)


def profile() -> None:
    """Print where our time goes, function by function."""
    query = _query(_table(), lambda frame: frame.collect())
    for _ in range(20):
        query()
    with cProfile.Profile() as profiler:
        for _ in range(500):
            query()
    pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(40)


def _table() -> pa.Table:
    random = np.random.default_rng(0)
    return pa.table(
        {
            "k": random.integers(0, 10, _ROWS),
            "x": random.normal(size=_ROWS),
            "v": random.integers(0, 100, _ROWS),
        }
    )


def _query(table: pa.Table, action: Callable[[lf.LazyFrame], Any]) -> Callable[[], Any]:
    frame = lf.from_arrow(table)

    def query() -> Any:
        built = frame.lazy().filter(col("x") > 0).group_by("k").agg(col("v").sum(), lf.len()).sort("k")
        return action(built)

    return query
