"""The most memory that a process takes for a whole suite: TPC-H from Parquet and over Arrow tables, and db-benchmark.

`python -m benchmarks.peaks SUITE CONTENDER DATA SCALE` runs one contender over tables in memory, and prints its peak in bytes.
What it took to load the tables does not count, where the system lets the peak be forgotten (Linux); the tables do.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.cold import ALONE
from benchmarks.contenders import Question
from benchmarks.contenders.memory import ENGINES
from benchmarks.data import tpch
from benchmarks.fresh import timed
from benchmarks.h2o.data import grouping_table, join_tables
from benchmarks.h2o.questions import GROUPINGS, JOINS
from benchmarks.memory import peak_bytes
from benchmarks.options import Options
from benchmarks.runner import OURS, Case
from benchmarks.tpch.queries import QUESTIONS, TABLES

_FILES = (OURS, "duckdb", "polars-streaming", "datafusion")
_MEMORY = (OURS, "duckdb-arrow", "polars", "polars-streaming")
_ROWS = 10_000_000


def _tpch_tables(data: Path, scale: float) -> dict[str, pa.Table]:
    folder = tpch(data, scale)
    return {name: pq.read_table(folder / f"{name}.parquet") for name in TABLES}


SUITES: dict[str, tuple[Callable[[Path, float], Any], tuple[Question, ...]]] = {
    "tpch": (_tpch_tables, QUESTIONS),
    "groups": (lambda data, scale: grouping_table(data, int(_ROWS * scale)), GROUPINGS),
    "joins": (lambda data, scale: join_tables(data, int(_ROWS * scale)), JOINS),
}


def run(options: Options) -> Iterator[Case]:
    """A case a suite; `--scale` is that of TPC-H, and how many times 1e7 rows the tables of db-benchmark have."""
    scale = options.scale or 1
    folder = str(tpch(options.data, scale))
    rounds = options.rounds or 1
    case = Case(f"TPC-H from Parquet, scale {scale:g}", unit="bytes", samples={name: [] for name in _FILES})
    for _ in range(rounds):
        for name in _FILES:
            case.samples[name].append(json.loads(timed([str(ALONE), name, folder])[1])["peak"])
    yield case
    titles = {
        "tpch": f"TPC-H in memory, scale {scale:g}",
        "groups": f"h2o groups, {int(_ROWS * scale):,} rows",
        "joins": f"h2o joins, {int(_ROWS * scale):,} rows",
    }
    for suite, title in titles.items():
        case = Case(title, unit="bytes", samples={name: [] for name in _MEMORY})
        for _ in range(rounds):
            for name in _MEMORY:
                command = ["-m", "benchmarks.peaks", suite, name, str(options.data), str(scale)]
                case.samples[name].append(int(timed(command)[1]))
        yield case


def main() -> None:
    suite, contender, data, scale = sys.argv[1:]
    tables_of, questions = SUITES[suite]
    tables = tables_of(Path(data), float(scale))
    with ENGINES[contender](tables) as asked:
        gc.collect()
        pa.default_memory_pool().release_unused()
        _forget_peak()
        for question in questions:
            run_it = asked(question)
            assert run_it is not None
            run_it()
    print(peak_bytes())


def _forget_peak() -> None:
    clear = Path("/proc/self/clear_refs")
    if clear.is_file():
        clear.write_text("5")


if __name__ == "__main__":
    main()
