"""Fresh processes, from the start of the interpreter to its end: one small query, and the 22 of TPC-H from Parquet."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import tpch
from benchmarks.fresh import timed
from benchmarks.options import Options
from benchmarks.runner import OURS, Case

ALONE = Path(__file__).parent / "tpch" / "alone.py"

_SQL = "SELECT n_regionkey, count(*) AS nations FROM {table} WHERE n_name <> 'FRANCE' GROUP BY n_regionkey ORDER BY n_regionkey"
_OURS_IN_SQL = f"{OURS}, SQL"
_SMALL = {
    OURS: (
        "import lazyframe as lf; "
        "print(lf.scan_parquet({path!r}).filter(lf.col('n_name') != 'FRANCE').group_by('n_regionkey')"
        ".agg(nations=lf.len()).sort('n_regionkey').collect())"
    ),
    _OURS_IN_SQL: "import lazyframe as lf; print(lf.sql({named!r}, nation=lf.scan_parquet({path!r})).collect())",
    "duckdb": "import duckdb; print(duckdb.sql({read!r}))",
    "polars": (
        "import polars as pl; "
        "print(pl.scan_parquet({path!r}).filter(pl.col('n_name') != 'FRANCE').group_by('n_regionkey')"
        ".agg(nations=pl.len()).sort('n_regionkey').collect())"
    ),
}
"""What each contender prints, from the import on."""

_SUITE = (OURS, "duckdb", "polars-streaming")


def run(options: Options) -> Iterator[Case]:
    """Ours are also run with and without compiled code that an earlier process kept; `LAZYFRAME_CODE_CACHE` says where."""
    scale = options.scale or 1
    folder = tpch(options.data, scale)
    yield small(folder, options.rounds or 11, cpu=options.cpu)
    yield from suite(folder, options.rounds or 3, f"22 queries, scale {scale:g}", cpu=options.cpu)


def small(folder: Path, rounds: int, *, cpu: bool = False) -> Case:
    """One query over 25 rows: import, plan, run, print. Our SQL has a parser to load as well."""
    path = str(folder / "nation.parquet")
    texts = {"path": path, "named": _SQL.format(table="nation"), "read": _SQL.format(table=f"'{path}'")}
    case = Case("one small query", samples={name: [] for name in _SMALL})
    for turn in range(1 + rounds):
        for name, code in _SMALL.items():
            seconds, shown = timed(["-c", code.format(**texts)], cpu=cpu)
            assert "nations" in shown, f"{name} printed {shown}"
            if turn:  # the first warms the disk cache and compiles
                case.samples[name].append(seconds)
    return case


def suite(folder: Path, rounds: int, title: str, *, cpu: bool = False) -> Iterator[Case]:
    """All queries, one after the other in one process: with no compiled code kept, and with that of a run before."""
    cases = [
        Case(f"{title}, {state} code cache", samples={name: [] for name in _SUITE}) for state in ("empty", "filled")
    ]
    for turn in range(1 + rounds):
        rows = {}
        with tempfile.TemporaryDirectory() as cache:
            for name in _SUITE:
                for case in cases:
                    if name != OURS and case is not cases[0]:
                        continue
                    seconds, said = timed([str(ALONE), name, str(folder)], {"LAZYFRAME_CODE_CACHE": cache}, cpu=cpu)
                    rows[name] = {query: found["rows"] for query, found in json.loads(said)["queries"].items()}
                    assert rows[name] == rows[OURS], f"rows of answers differ: {rows}"
                    if turn:
                        for each in [case] if name == OURS else cases:
                            each.samples[name].append(seconds)
    yield from cases
