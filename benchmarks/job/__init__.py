"""The 113 queries of the join-order benchmark over skewed and correlated tables: planning beside 30 ms, runs beside DuckDB's.

The texts are read where they lie (`LAZYFRAME_CONFORMANCE`), the tables are made once (`benchmarks/job/data.py`). An answer that is not
DuckDB's fails the benchmark.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import lazyframe as lf
from benchmarks.job.data import MISSING, queries, tables
from benchmarks.options import Options
from benchmarks.planning import least_times
from benchmarks.runner import OURS, Case, measure
from benchmarks.suites import duckdb_views, our_frames

_ALLOWED = 0.030
"""Seconds that planning a query may take."""

_PLANNED = 7
_WORST = 5


def run(options: Options) -> Iterator[Case]:
    """What planning takes at its best, then the runs: all together, how the queries compare, and the slowest ones."""
    asked = queries()
    if not asked:
        print(MISSING, file=sys.stderr)
        return
    scale, rounds = options.scale or 1, options.rounds or 3
    folder = tables(options.data, scale)
    least = least_times(folder, list(asked.values()), max(rounds, _PLANNED))
    planning = {name: sum(parts) for name, parts in zip(asked, least, strict=True)}
    slowest = max(planning, key=lambda name: planning[name])
    yield Case(f"planning, {len(asked)} queries", samples={OURS: list(planning.values())})
    yield Case(f"planning, slowest query ({slowest})", samples={OURS: [planning[slowest]]})
    late = sum(seconds > _ALLOWED for seconds in planning.values())
    yield Case(f"queries planned in more than {_ALLOWED * 1e3:.0f} ms", unit="rows", samples={OURS: [late]})
    cases = []
    with duckdb_views(folder) as connection:
        for name, text in asked.items():
            contenders = {
                OURS: lambda text=text: lf.sql(text, **our_frames(folder)).collect(),
                "duckdb": lambda text=text: connection.sql(text).to_arrow_table(),
            }
            cases.append(measure(name, contenders, rounds=rounds))
    medians = {who: [case.median(who) for case in cases] for who in (OURS, "duckdb")}
    yield Case(
        f"all {len(cases)} together, scale {scale:g}", samples={who: [sum(each)] for who, each in medians.items()}
    )
    yield Case("median query", samples=medians)
    cases.sort(key=lambda case: case.median("duckdb") - case.median(OURS))
    yield from cases if options.each else cases[:_WORST]
