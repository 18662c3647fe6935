"""The 22 queries of TPC-H over Arrow tables in memory, ours in SQL.

DuckDB is asked over the same Arrow tables (`duckdb-arrow`) and over its own; Polars has frames made of the tables before.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.parquet as pq

from benchmarks.contenders import ask, chosen
from benchmarks.contenders.memory import ENGINES
from benchmarks.data import tpch
from benchmarks.options import Options
from benchmarks.runner import Case
from benchmarks.summary import summary
from benchmarks.tpch.queries import QUESTIONS, TABLES

_USUAL = ("duckdb-arrow", "duckdb", "polars", "polars-streaming", "datafusion")


def run(options: Options) -> Iterator[Case]:
    """One case a query, and what all come to."""
    scale = options.scale or 1
    folder = tpch(options.data, scale)
    tables = {name: pq.read_table(folder / f"{name}.parquet") for name in TABLES}
    cases = []
    for case in ask(chosen(ENGINES, options.peers, _USUAL), tables, QUESTIONS, rounds=options.rounds or 3):
        cases.append(case)
        yield case
    yield from summary(f"all 22 in memory, scale {scale:g}", cases)
