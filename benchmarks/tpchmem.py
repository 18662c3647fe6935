"""The 22 queries of TPC-H over Arrow tables in memory, ours in SQL.

DuckDB is asked over the same Arrow tables (`duckdb-arrow`) and over its own; Polars has frames made of the tables before.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.parquet as pq

from benchmarks.contenders import suite
from benchmarks.contenders.memory import ENGINES
from benchmarks.data import tpch
from benchmarks.options import Options
from benchmarks.runner import Case
from benchmarks.tpch.queries import QUESTIONS, TABLES

_USUAL = ("duckdb-arrow", "duckdb", "polars", "polars-streaming", "datafusion")


def run(options: Options) -> Iterator[Case]:
    """One case a query, and what all come to."""
    scale = options.scale or 1
    folder = tpch(options.data, scale)
    tables = {name: pq.read_table(folder / f"{name}.parquet") for name in TABLES}
    yield from suite(f"22 queries in memory, scale {scale:g}", ENGINES, tables, QUESTIONS, options, _USUAL)
