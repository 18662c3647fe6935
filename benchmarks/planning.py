"""From the text of a query to its pipelines, before anything is read: each figure is of the median or slowest query, at its best."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

import lazyframe as lf
from benchmarks.data import tpch
from benchmarks.fresh import fresh
from benchmarks.options import Options
from benchmarks.runner import Case
from benchmarks.suites import conformance
from benchmarks.tpch.queries import QUERIES
from lazyframe import session
from lazyframe.planner.relations import Plan

_SUITES = {"TPC-H": "tpch", "TPC-DS": "tpcds"}
_PARTS = ("parse", "bind", "optimise", "lower")
_AGAIN = 1_000

_FIRST = """
import time
import pyarrow, lazyframe
table = pyarrow.table({"a": [1, 2, 2]})
start = time.perf_counter()
import sqlglot.dialects.duckdb
read = time.perf_counter()
lazyframe.sql("select a, count(*) from t group by a", t=table)
print(read - start, time.perf_counter() - read)
"""


def run(options: Options) -> Iterator[Case]:
    rounds = options.rounds or 7
    folder = tpch(options.data, options.scale or 0.01)
    yield from _planned("TPC-H in our words", folder, [query.sql for query in QUERIES], rounds)
    shared = conformance()
    for suite, name in _SUITES.items():
        queries = sorted((shared / name / "queries").glob("*.sql"))
        if queries:
            texts = [path.read_text(encoding="utf-8") for path in queries]
            yield from _planned(suite, shared / name / "sf0.01", texts, rounds)
    yield _again(folder, rounds)
    yield _first(rounds)


class _Tables:
    """What the binder asks for tables, answered from a folder of Parquet files."""

    def __init__(self, folder: Path) -> None:
        self._plans = {path.stem: lf.scan_parquet(path)._plan for path in folder.glob("*.parquet")}

    def table(self, parts: tuple[str, ...], *, quoted: bool) -> Plan | None:
        return self._plans.get(parts[-1] if quoted else parts[-1].lower())

    def names(self) -> list[str]:
        return list(self._plans)

    def rows(self, plan: Plan) -> pa.Table:
        return session.execute(plan)

    def table_function(self, name: str, args: Sequence[Any], options: Mapping[str, Any]) -> Plan | None:
        return None

    def table_functions(self) -> tuple[str, ...]:
        return ()


def least_times(folder: Path, texts: Sequence[str], rounds: int) -> list[list[float]]:
    """For each query the seconds that each part of planning it takes at its best, over the tables in a folder."""
    tables = _Tables(folder)
    least = [_parts(text, tables) for text in texts]  # the first time, it warms up
    gc.collect()
    for turn in range(rounds):
        found = [_parts(text, tables) for text in texts]
        pairs = zip(least, found, strict=True)
        least = [[min(a, b) for a, b in zip(x, y, strict=True)] for x, y in pairs] if turn else found
    return least


def _planned(suite: str, folder: Path, texts: Sequence[str], rounds: int) -> Iterator[Case]:
    """The medians over the queries of a suite, and the slowest one of it."""
    least = least_times(folder, texts, rounds)
    names = (*_PARTS, "together")
    columns = [*zip(*least, strict=True), [sum(parts) for parts in least]]
    samples = {name: list(column) for name, column in zip(names, columns, strict=True)}
    yield Case(f"{suite}, median of {len(texts)} queries", samples=samples)
    yield Case(f"{suite}, slowest query", samples={name: [max(column)] for name, column in samples.items()})


def _parts(text: str, tables: _Tables) -> list[float]:
    """The seconds that each part of planning a query takes."""
    from lazyframe.executors.lower import lower
    from lazyframe.planner.optimizer import optimize
    from lazyframe.planner.sql import bind_query
    from lazyframe.planner.sql.reading.statements import statements

    times = [time.perf_counter()]
    (statement,) = statements(text, "duckdb")
    times.append(time.perf_counter())
    plan = bind_query(statement.tree, text, tables)
    times.append(time.perf_counter())
    plan = optimize(plan)
    times.append(time.perf_counter())
    lower([plan], session.new_context())
    times.append(time.perf_counter())
    return [after - before for before, after in pairwise(times)]


def _again(folder: Path, rounds: int) -> Case:
    """What `lf.sql` costs when it knows the text."""
    case = Case("a text that comes again", samples={})
    text = "select l_returnflag, sum(l_quantity) from {} where l_tax > 0.05 group by all"
    path = folder / "lineitem.parquet"
    table = lf.scan_parquet(path).head(100).to_arrow()
    for name, source in {"over a table in memory": "lines", "over a file": f"'{path}'"}.items():
        asked, given = text.format(source), {"lines": table} if source == "lines" else {}
        case.samples[name] = []
        lf.sql(asked, **given)
        for _ in range(rounds):
            start = time.perf_counter()
            for _ in range(_AGAIN):
                lf.sql(asked, **given)
            case.samples[name].append((time.perf_counter() - start) / _AGAIN)
    return case


def _first(rounds: int) -> Case:
    """What the first `lf.sql` of a process costs, in processes of their own."""
    fresh(_FIRST)  # warms the disk cache and compiles
    found = [[float(part) for part in fresh(_FIRST).split()] for _ in range(rounds)]
    parser, ours = zip(*found, strict=True)
    return Case("the first text of a process", samples={"importing sqlglot": list(parser), "the rest": list(ours)})
