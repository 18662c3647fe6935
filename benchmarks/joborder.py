"""Our order of joins beside the best there is, on the queries of the join-order benchmark with at most 8 relations.

The cost of an order is the sum of the rows that leave its joins. Ours is what our plan made when it ran; the best one is found by
trying all orders, with every intermediate result counted (`benchmarks/job/exhaustive.py`). Both orders are then run by us.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import lazyframe as lf
from benchmarks.job.data import queries, tables
from benchmarks.job.exhaustive import Counter, best_tree, ordered_text
from benchmarks.job.graph import join_query
from benchmarks.options import Options
from benchmarks.plans.operators import measured
from benchmarks.plans.our_profile import our_operators
from benchmarks.runner import OURS, Case, measure
from benchmarks.suites import duckdb_tables, our_frames

MOST = 8
"""Relations of a query that is asked."""

_BEST = "best order"
_WORST = 5


class Compared(NamedTuple):
    """A query: how many rows left the joins of our plan, and of the best tree, and both as times."""

    name: str
    ours: float
    best: float
    times: Case

    @property
    def ratio(self) -> float:
        """How many times the rows of the best tree ours are. No row is as good as one."""
        return max(self.ours, 1) / max(self.best, 1)


def run(options: Options) -> Iterator[Case]:
    """Of all queries together and of the median one, rows and times; then the worst queries by each."""
    asked = queries()
    if not asked:
        print(
            "the queries are not here: LAZYFRAME_CONFORMANCE names the folder that holds benchmarks/job",
            file=sys.stderr,
        )
        return
    folder = tables(options.data, options.scale or 1)
    found = list(compared(folder, asked, options.rounds or 3))
    rows = {OURS: [each.ours for each in found], _BEST: [each.best for each in found]}
    yield Case(
        f"rows that leave joins, {len(found)} queries", unit="rows", samples={w: [sum(r)] for w, r in rows.items()}
    )
    times = {who: [each.times.median(who) for each in found] for who in (OURS, _BEST)}
    yield Case(f"run time, {len(found)} queries", samples={who: [sum(each)] for who, each in times.items()})
    yield Case("rows, times the best: median and least", unit="times", samples={OURS: [each.ratio for each in found]})
    worst = max(found, key=lambda each: each.ratio)
    yield Case(f"rows, times the best: worst ({worst.name})", unit="times", samples={OURS: [worst.ratio]})
    for each in found if options.each else sorted(found, key=lambda each: -each.ratio)[:_WORST]:
        yield Case(f"{each.name}: rows that leave joins", unit="rows", samples={OURS: [each.ours], _BEST: [each.best]})
    yield from [each.times for each in (found if options.each else sorted(found, key=_slowdown)[:_WORST])]


def compared(folder: Path, asked: Mapping[str, str], rounds: int) -> Iterator[Compared]:
    """The queries of at most `MOST` relations, one after the other."""
    with duckdb_tables(folder) as connection:
        counter = Counter(connection, folder / "counts.json")
        for name, text in asked.items():
            query = join_query(text)
            if len(query.relations) > MOST:
                continue
            tree = best_tree(query, counter)
            counter.keep()
            operators, _ = our_operators(lf.sql(text, **our_frames(folder))._plan)
            ordered = ordered_text(query, tree)
            contenders = {
                OURS: lambda text=text: lf.sql(text, **our_frames(folder)).collect(),
                _BEST: lambda text=ordered: _as_written(text, folder),
            }
            times = measure(f"{name}: run time", contenders, rounds=rounds)
            yield Compared(name, measured(operators).joined, tree.cost, times)


def _as_written(text: str, folder: Path) -> lf.DataFrame:
    with lf.config(disable=["order_joins"]):
        return lf.sql(text, **our_frames(folder)).collect()


def _slowdown(each: Compared) -> float:
    return -each.times.median(OURS) / each.times.median(_BEST)
