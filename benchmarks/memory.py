"""Filter, projection and grouping over all of lineitem: how much memory a fresh process takes for it.

`python -m benchmarks.memory CONTENDER LINEITEM` runs one of them, and prints its peak in bytes, its seconds and its answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.agreement import check_same
from benchmarks.data import tpch
from benchmarks.options import Options
from benchmarks.runner import OURS, Case

_SQL = """
    select l_shipmode, l_returnflag, sum(l_extendedprice * (1 - l_discount)) as revenue, count(*) as items
    from '{path}' where l_shipdate >= date '1993-01-01' group by all order by all"""


def run(options: Options) -> Iterator[Case]:
    scale = options.scale or 10
    lineitem = tpch(options.data, scale) / "lineitem.parquet"
    name = f"filter, project, group lineitem, scale {scale:g}"
    peaks = Case(f"memory: {name}", unit="bytes", samples={contender: [] for contender in _QUERIES})
    times = Case(f"time: {name}", samples={contender: [] for contender in _QUERIES})
    for _ in range(options.rounds or 1):
        answers = {}
        for contender in _QUERIES:
            command = [sys.executable, "-m", "benchmarks.memory", contender, str(lineitem)]
            done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            peaks.samples[contender].append(done["peak"])
            times.samples[contender].append(done["seconds"])
            answers[contender] = pa.table(done["answer"])
        check_same(name, answers)
    yield peaks
    yield times


def _ours(path: Path) -> Any:
    import lazyframe as lf
    from lazyframe import col

    return (
        lf.scan_parquet(path)
        .filter(col("l_shipdate") >= date(1993, 1, 1))
        .select("l_shipmode", "l_returnflag", revenue=col("l_extendedprice") * (1 - col("l_discount")))
        .group_by("l_shipmode", "l_returnflag")
        .agg(col("revenue").sum(), items=lf.len())
        .sort("l_shipmode", "l_returnflag")
        .collect()
    )


def _polars(path: Path) -> Any:
    import polars as pl
    from polars import col

    return (
        pl.scan_parquet(path)
        .filter(col("l_shipdate") >= date(1993, 1, 1))
        .select("l_shipmode", "l_returnflag", revenue=col("l_extendedprice") * (1 - col("l_discount")))
        .group_by("l_shipmode", "l_returnflag")
        .agg(col("revenue").sum(), items=pl.len())
        .sort("l_shipmode", "l_returnflag")
        .collect(engine="streaming")
    )


def _duckdb(path: Path) -> Any:
    import duckdb

    return duckdb.sql(_SQL.format(path=path)).to_arrow_table()


_QUERIES: dict[str, Callable[[Path], Any]] = {OURS: _ours, "polars": _polars, "duckdb": _duckdb}


def peak_bytes() -> int:
    """The most memory this process ever had."""
    status = Path("/proc/self/status")
    if status.is_file():
        # Not ru_maxrss, into which Linux counts the parent that the process was forked from.
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    contender, path = sys.argv[1:]
    start = time.perf_counter()
    answer = _QUERIES[contender](Path(path))
    seconds = time.perf_counter() - start
    columns = {
        name: [float(v) if name == "revenue" else v for v in values]
        for name, values in pa.table(answer).to_pydict().items()
    }
    print(json.dumps({"peak": peak_bytes(), "seconds": seconds, "answer": columns}))


if __name__ == "__main__":
    main()
