"""The ten grouping questions and five joins of H2O.ai's db-benchmark over tables in memory; `--scale` is the number of rows.

DuckDB is asked over the same Arrow tables (`duckdb-arrow`) and over its own; Polars has frames made of the tables before.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.contenders import ask, chosen
from benchmarks.contenders.memory import ENGINES
from benchmarks.h2o.data import grouping_table, join_tables
from benchmarks.h2o.questions import GROUPINGS, JOINS
from benchmarks.options import Options
from benchmarks.runner import Case
from benchmarks.summary import summary

_USUAL = ("duckdb-arrow", "duckdb", "polars", "polars-streaming")
_ROWS = 10_000_000


def run(options: Options) -> Iterator[Case]:
    """One case a question, and what each of the two parts comes to."""
    rows = int(options.scale or _ROWS)
    engines = chosen(ENGINES, options.peers, _USUAL)
    for title, tables_of, questions in (("groups", grouping_table, GROUPINGS), ("joins", join_tables, JOINS)):
        tables = tables_of(options.data, rows)
        cases = []
        for case in ask(engines, tables, questions, rounds=options.rounds or 3):
            cases.append(case)
            yield case
        yield from summary(f"h2o {title}, {rows:,} rows", cases)
        del tables
