"""The 22 queries of TPC-H over Parquet files: our fluent form is timed, and its answers are those of our SQL."""

from __future__ import annotations

from collections.abc import Iterator

import lazyframe as lf
from benchmarks.agreement import check_same
from benchmarks.data import tpch
from benchmarks.options import Options
from benchmarks.runner import OURS, Case, Contenders, measure
from benchmarks.tpch.queries import QUERIES, duckdb_tables, our_tables, polars_tables


def run(options: Options) -> Iterator[Case]:
    """One case a query, in which our two languages must agree, and one of all together."""
    scale = options.scale or 1
    folder = tpch(options.data, scale)
    peers = polars_tables(folder)
    whole = Case(f"all 22, scale {scale:g}")
    with duckdb_tables(folder) as connection:
        for query in QUERIES:
            tables = our_tables(folder)
            check_same(
                query.name,
                {
                    "fluent": query.fluent(tables).collect(),
                    "SQL": lf.sql(query.sql, **vars(tables)).collect(),
                },
            )
            contenders: Contenders = {
                OURS: lambda query=query: query.fluent(our_tables(folder)).collect(),
                "duckdb": lambda query=query: connection.sql(query.sql).to_arrow_table(),
                "polars": lambda query=query: query.polars(peers).collect(),
            }
            case = measure(f"{query.name[1:]} {query.title}", contenders, rounds=options.rounds or 3)
            yield case
            for contender in contenders:
                whole.samples.setdefault(contender, []).append(case.median(contender))
    yield Case(whole.name, samples={contender: [sum(found)] for contender, found in whole.samples.items()})
