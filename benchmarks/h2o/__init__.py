"""The ten grouping questions and five joins of H2O.ai's db-benchmark over tables in memory; `--scale` is the number of rows.

DuckDB is asked over the same Arrow tables (`duckdb-arrow`) and over its own; Polars has frames made of the tables before.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.contenders import suite
from benchmarks.contenders.memory import ENGINES
from benchmarks.h2o.data import grouping_table, join_tables
from benchmarks.h2o.questions import GROUPINGS, JOINS
from benchmarks.options import Options
from benchmarks.runner import Case

_USUAL = ("duckdb-arrow", "duckdb", "polars", "polars-streaming")
_ROWS = 10_000_000


def run(options: Options) -> Iterator[Case]:
    """One case a question, and what each of the two parts comes to."""
    rows = int(options.scale or _ROWS)
    groups = grouping_table(options.data, rows)
    yield from suite(f"10 groupings, {rows:,} rows", ENGINES, groups, GROUPINGS, options, _USUAL)
    del groups
    joins = join_tables(options.data, rows)
    yield from suite(f"5 joins, {rows:,} rows", ENGINES, joins, JOINS, options, _USUAL)
