"""A million rows in memory, as each contender has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

import lazyframe as lf
from benchmarks.runner import OURS, Contenders

ROWS = 1_000_000


def table() -> pa.Table:
    """Two keys of many and of few values, a float and a text."""
    random = np.random.default_rng(0)
    return pa.table(
        {
            "id": random.integers(0, ROWS // 2, ROWS),
            "few": random.integers(0, 100, ROWS),
            "x": random.normal(size=ROWS),
            "text": np.char.add("customer#", random.integers(0, ROWS // 2, ROWS).astype(str)).tolist(),
        }
    )


@contextmanager
def contenders(
    queries: Mapping[str, tuple[Callable[[lf.LazyFrame], Any], Callable[[Any], Any], str]],
) -> Iterator[dict[str, Contenders]]:
    """By case, the contenders of queries: ours, polars' and DuckDB's SQL over a table `rows`."""
    import duckdb
    import polars as pl

    data = table()
    ours, theirs = lf.from_arrow(data), pl.from_arrow(data)
    assert isinstance(theirs, pl.DataFrame)
    with duckdb.connect() as connection:
        connection.execute("create table rows as select * from data")
        yield {
            case: {
                OURS: lambda query=query: query(ours.lazy()).collect(),
                "polars": lambda polars=polars: polars(theirs.lazy()).collect(),
                "duckdb": lambda sql=sql: connection.sql(sql).to_arrow_table(),
            }
            for case, (query, polars, sql) in queries.items()
        }
