"""Our order of joins beside the best there is, on the queries of the join-order benchmark with at most 8 relations.

The cost of an order is the sum of the rows that leave its joins. The best order is found by trying all, with every intermediate result
counted (`benchmarks/job/exhaustive.py`). Ours is what our plan made when it ran without filters of scans by the keys of joins, which
have joins below give fewer rows whatever their order is; with them it is shown beside. Both orders are then run by us, with them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import lazyframe as lf
from benchmarks.job.data import MISSING, queries, tables
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
_FILTERED = "lazyframe, scans filtered by keys"
_UNFILTERED = ("push_join_filters",)
_WORST = 5


class Compared(NamedTuple):
    """A query: how many rows left the joins of our plan, without and with filters by keys, and of the best tree; and times."""

    name: str
    ours: float
    filtered: float
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
        print(MISSING, file=sys.stderr)
        return
    folder = tables(options.data, options.scale or 1)
    found = list(compared(folder, asked, options.rounds or 3))
    rows = {who: [sum(counted)] for who, counted in _rows(found).items()}
    yield Case(f"rows that leave joins, {len(found)} queries", unit="rows", samples=rows)
    times = {who: [each.times.median(who) for each in found] for who in (OURS, _BEST)}
    yield Case(f"run time, {len(found)} queries", samples={who: [sum(each)] for who, each in times.items()})
    yield Case("rows, times the best: median and least", unit="times", samples={OURS: [each.ratio for each in found]})
    worst = max(found, key=lambda each: each.ratio)
    yield Case(f"rows, times the best: worst ({worst.name})", unit="times", samples={OURS: [worst.ratio]})
    for each in found if options.each else sorted(found, key=lambda each: -each.ratio)[:_WORST]:
        yield Case(f"{each.name}: rows that leave joins", unit="rows", samples=_rows([each]))
    yield from [each.times for each in (found if options.each else sorted(found, key=_slowdown)[:_WORST])]


def _rows(found: Sequence[Compared]) -> dict[str, list[float]]:
    return {
        OURS: [each.ours for each in found],
        _FILTERED: [each.filtered for each in found],
        _BEST: [each.best for each in found],
    }


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
            filtered = _joined(text, folder)
            with lf.config(disable=_UNFILTERED):
                ours = _joined(text, folder)
            ordered = ordered_text(query, tree)
            contenders = {
                OURS: lambda text=text: lf.sql(text, **our_frames(folder)).collect(),
                _BEST: lambda text=ordered: _as_written(text, folder),
            }
            times = measure(f"{name}: run time", contenders, rounds=rounds)
            yield Compared(name, ours, filtered, tree.cost, times)


def _joined(text: str, folder: Path) -> float:
    operators, _ = our_operators(lf.sql(text, **our_frames(folder))._plan)
    return measured(operators).joined


def _as_written(text: str, folder: Path) -> lf.DataFrame:
    with lf.config(disable=["order_joins"]):
        return lf.sql(text, **our_frames(folder)).collect()


def _slowdown(each: Compared) -> float:
    return -each.times.median(OURS) / each.times.median(_BEST)
