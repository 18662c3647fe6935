"""The engines over a folder of Parquet files, each of which is a table that is named to an engine once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import lazyframe as lf
from benchmarks.contenders import Asked, Engine, hyper, polars_query
from benchmarks.runner import OURS


@contextmanager
def _ours(folder: Path) -> Iterator[Asked]:
    frames = {path.stem: lf.scan_parquet(path) for path in sorted(folder.glob("*.parquet"))}
    yield lambda question: lambda: lf.sql(question.sql, **frames).collect()


@contextmanager
def _duckdb(folder: Path) -> Iterator[Asked]:
    import duckdb

    with duckdb.connect() as connection:
        for path in sorted(folder.glob("*.parquet")):
            connection.execute(f"CREATE VIEW {path.stem} AS FROM read_parquet('{path}')")
        yield lambda question: lambda: connection.sql(question.sql).to_arrow_table()


def _polars(engine: str) -> Engine:
    @contextmanager
    def over(folder: Path) -> Iterator[Asked]:
        import polars as pl

        scans = SimpleNamespace(**{path.stem: pl.scan_parquet(path) for path in sorted(folder.glob("*.parquet"))})

        yield lambda question: lambda: polars_query(question, scans).collect(engine=engine)

    return over


@contextmanager
def _datafusion(folder: Path) -> Iterator[Asked]:
    import datafusion

    context = datafusion.SessionContext()
    for path in sorted(folder.glob("*.parquet")):
        context.register_parquet(path.stem, str(path))
    yield lambda question: lambda: context.sql(question.sql).to_arrow_table()


ENGINES: dict[str, Engine] = {
    OURS: _ours,
    "duckdb": _duckdb,
    "polars": _polars("in-memory"),
    "polars-streaming": _polars("streaming"),
    "datafusion": _datafusion,
    "hyper": hyper.over_parquet,
    "hyper-own": hyper.over_own,
}
"""`hyper-own` has tables of its own, which are not read from Parquet when it is asked."""
