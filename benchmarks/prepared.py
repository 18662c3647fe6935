"""Run a prepared query over 1,000 rows with one value after another: what it costs beside running the same plan as it is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import lazyframe as lf
from benchmarks.options import Options
from benchmarks.runner import OURS, Case, measure
from lazyframe import LazyFrame, col, session

_ROWS = 1_000
_VALUES = [number / 10 for number in range(-10, 10)]


def run(options: Options) -> Iterator[Case]:
    least, weight = lf.param("least", 0.0), lf.param("weight", 1.0)
    rows = _table()
    kept = rows.filter(col("x") > least)
    queries = {
        "one sum": kept.select(total=(col("v") * weight).sum()),
        "groups in order": kept.group_by("k").agg((col("v") * weight).sum(), lf.len()).sort("k"),
        "a join": kept.join(_names(), on="k").filter(col("v") * weight < 50).select("name", "v"),
    }
    for name, query in queries.items():
        yield _case(name, query, options)
    yield _values_for_duckdb(rows, queries["one sum"], options)


def _case(name: str, query: LazyFrame, options: Options) -> Case:
    prepared = lf.prepare(query)
    least, others = _values(), _values()
    ready = itertools.cycle([session.ready(query._plan, {"least": value}) for value in _VALUES])
    contenders: dict[str, Callable[[], Any]] = {
        "prepared": lambda: prepared.collect(least=next(least)),
        "running alone": lambda: session.run(next(ready), query._plan),
        "planned each time": lambda: session.execute(query.bind(least=next(others), weight=1.0)._plan),
    }
    return measure(f"{name}, {_ROWS:,} rows", contenders, rounds=options.rounds or 20, calls=40, check=False)


def _values_for_duckdb(rows: LazyFrame, query: LazyFrame, options: Options) -> Case:
    import duckdb

    prepared, ours, theirs = lf.prepare(query), _values(), _values()
    data = rows.to_arrow()  # noqa: F841 - DuckDB reads it by its name
    with duckdb.connect() as connection:
        connection.execute("create table data as from data")
        connection.execute(
            "prepare query as select sum(v * $weight::double) as total from data where x > $least::double"
        )
        contenders: dict[str, Callable[[], Any]] = {
            OURS: lambda: prepared.to_arrow(least=next(ours), weight=1.0),
            "duckdb": lambda: connection.execute(f"execute query(least := {next(theirs)}, weight := 1.0)").fetchall(),
        }
        return measure(
            f"one sum, {_ROWS:,} rows, prepared", contenders, rounds=options.rounds or 20, calls=40, check=False
        )


def _values() -> Iterator[float]:
    return itertools.cycle(_VALUES)


def _table() -> LazyFrame:
    random = np.random.default_rng(0)
    return lf.from_arrow(
        pa.table(
            {
                "k": random.integers(0, 10, _ROWS),
                "x": random.normal(size=_ROWS),
                "v": random.integers(0, 100, _ROWS),
            }
        )
    )


def _names() -> LazyFrame:
    return lf.from_dict({"k": list(range(10)), "name": list("abcdefghij")})
