"""How many rows the plans of TPC-H and TPC-DS move: ours beside DuckDB's, over the same Parquet files.

Each engine runs its own plan and counts; DuckDB by its profile. The measures are those of the plan, not of the machine:

* *rows scanned* leave the scans of tables, after the filters that the scans apply;
* *rows joined* leave the joins, of every kind;
* *intermediate rows* leave any operator that keeps or makes rows (scan, filter, join, aggregate, window, distinct, set
  operation, sort or top rows, limit, unnesting) other than the one that gives the answer. Projections and unions do neither.

What is alike is counted alike. A filter over a scan or a join, with nothing but projections between them, is part of it: one
engine asks a condition there that the other asks a step later. Rows that are computed once for several readers count where
they are computed, and not where they are read, and so where a plan was changed while it ran; a file that is read twice
counts twice. Rows written in the query are no table, and a join with them is a filter. What DuckDB's operators are in these
terms is a table in `benchmarks/plans/duckdb_profile.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import lazyframe as lf
from benchmarks.data import tpch
from benchmarks.options import Options
from benchmarks.plans.duckdb_profile import duckdb_operators
from benchmarks.plans.operators import Rows, measured
from benchmarks.plans.our_profile import our_operators
from benchmarks.runner import OURS, Case
from benchmarks.suites import conformance, duckdb_views, our_frames, texts, tpcds
from benchmarks.tpch.queries import QUERIES

_MEASURES = {"rows scanned": "scanned", "rows joined": "joined", "intermediate rows": "intermediate"}
_WORST = 5
_TIMEOUT = 60


def run(options: Options) -> Iterator[Case]:
    """For each suite the totals of each measure, and the queries that move the most rows that DuckDB does not."""
    scale = options.scale or 1
    folder = tpch(options.data, scale)
    yield from _suite(f"TPC-H, scale {scale:g}", folder, {query.name: query.sql for query in QUERIES}, options)
    queries, found = texts(conformance() / "tpcds" / "queries"), tpcds(options.data, scale)
    if queries and found is not None:
        folder, about = found
        yield from _suite(f"TPC-DS, {about}", folder, queries, options)
    else:
        missing = "tables" if queries else "queries; LAZYFRAME_CONFORMANCE names the folder that holds tpcds/queries"
        print(f"TPC-DS is left out: there are no {missing}", file=sys.stderr)


def rows_of_plans(folder: Path, queries: Mapping[str, str]) -> dict[str, dict[str, Rows]]:
    """By query and engine what its plan moves.

    Args:
        folder: the tables, as Parquet files.
        queries: texts by name.
    """
    found = {}
    with duckdb_views(folder) as connection:
        for name, text in queries.items():
            with lf.config(timeout=_TIMEOUT):
                ours, is_complete = our_operators(lf.sql(text, **our_frames(folder))._plan)
            if not is_complete:
                print(
                    f"{name} was stopped after {_TIMEOUT} seconds: what it moved until then is counted", file=sys.stderr
                )
            theirs = duckdb_operators(connection, text)
            found[name] = {OURS: measured(ours), "duckdb": measured(theirs)}
    return found


def _suite(suite: str, folder: Path, queries: Mapping[str, str], options: Options) -> Iterator[Case]:
    found = rows_of_plans(folder, queries)
    totals = {engine: sum((rows[engine] for rows in found.values()), Rows()) for engine in (OURS, "duckdb")}
    for about in _MEASURES:
        yield _case(suite, totals, about)
    by_excess = sorted(found, key=lambda name: found[name]["duckdb"].intermediate - found[name][OURS].intermediate)
    for name in found if options.each else by_excess[:_WORST]:
        for about in _MEASURES if options.each else ("intermediate rows",):
            yield _case(name, found[name], about)


def _case(name: str, rows: Mapping[str, Rows], about: str) -> Case:
    samples = {engine: [float(getattr(each, _MEASURES[about]))] for engine, each in rows.items()}
    return Case(f"{name}: {about}", unit="rows", samples=samples)
