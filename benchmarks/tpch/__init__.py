"""The 22 queries of TPC-H over Parquet files: our SQL is timed, and its answers are those of our fluent form."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import lazyframe as lf
from benchmarks.agreement import check_same
from benchmarks.contenders import suite
from benchmarks.contenders.parquet import ENGINES
from benchmarks.data import tpch
from benchmarks.options import Options
from benchmarks.runner import Case
from benchmarks.tpch.queries import QUERIES, QUESTIONS, our_tables

_USUAL = ("duckdb", "polars", "polars-streaming", "datafusion", *(("hyper",) if find_spec("tableauhyperapi") else ()))


def run(options: Options) -> Iterator[Case]:
    """One case a query, in which our two languages must agree, and what all come to."""
    scale = options.scale or 1
    folder = tpch(options.data, scale)
    for query in QUERIES:
        tables = our_tables(folder)
        fluent, sql = query.fluent(tables).collect(), lf.sql(query.sql, **vars(tables)).collect()
        check_same(query.name, {"fluent": fluent, "SQL": sql})
    yield from suite(f"22 queries from Parquet, scale {scale:g}", ENGINES, folder, QUESTIONS, options, _USUAL)
