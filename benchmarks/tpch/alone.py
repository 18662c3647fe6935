"""The 22 queries of TPC-H over a folder of Parquet files by one contender, in a process that has nothing else in it.

`python benchmarks/tpch/alone.py CONTENDER FOLDER [QUERY]` prints the rows of each answer, the seconds of each query and the peak of
memory, as JSON. It is run as a file: as a module of the package it would import what the others need.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

Run = Callable[[str, str], int]
"""From the name and the text of a query to the number of rows of its answer."""


def _lazyframe(tables: dict[str, Path]) -> Run:
    import lazyframe as lf

    def run(_: str, text: str) -> int:
        frames = {name: lf.scan_parquet(path) for name, path in tables.items()}
        return len(lf.sql(text, **frames).collect())

    return run


def _duckdb(tables: dict[str, Path]) -> Run:
    import duckdb

    connection = duckdb.connect()
    for name, path in tables.items():
        connection.execute(f"CREATE VIEW {name} AS FROM read_parquet('{path}')")
    return lambda _, text: len(connection.sql(text).fetchall())


def _polars(tables: dict[str, Path]) -> Run:
    import peers
    import polars as pl

    def run(name: str, _: str) -> int:
        scans = SimpleNamespace(**{table: pl.scan_parquet(path) for table, path in tables.items()})
        return len(getattr(peers, name)(scans).collect(engine="streaming"))

    return run


def _datafusion(tables: dict[str, Path]) -> Run:
    import datafusion

    context = datafusion.SessionContext()
    for name, path in tables.items():
        context.register_parquet(name, str(path))
    return lambda _, text: sum(batch.num_rows for batch in context.sql(text).collect())


CONTENDERS: dict[str, Callable[[dict[str, Path]], Run]] = {
    "lazyframe": _lazyframe,
    "duckdb": _duckdb,
    "polars-streaming": _polars,
    "datafusion": _datafusion,
}


def _measured(contender: str, folder: Path, asked: str) -> Iterator[tuple[str, dict[str, Any]]]:
    run = CONTENDERS[contender]({path.stem: path for path in sorted(folder.glob("*.parquet"))})
    for path in sorted((Path(__file__).parent / "sql").glob(f"{asked}.sql")):
        start = time.perf_counter()
        rows = run(path.stem, path.read_text(encoding="utf-8"))
        yield path.stem, {"rows": rows, "seconds": time.perf_counter() - start}


def _peak() -> int:
    status = Path("/proc/self/status")
    if not status.is_file():
        return 0
    return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))


def main() -> None:
    contender, folder, *asked = sys.argv[1:]
    queries = dict(_measured(contender, Path(folder), asked[0] if asked else "q*"))
    print(json.dumps({"queries": queries, "peak": _peak()}))


if __name__ == "__main__":
    main()
