"""The engines over Arrow tables in memory: `{name: pyarrow.Table}`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

import lazyframe as lf
from benchmarks.contenders import Asked, Engine, Question, polars_query
from benchmarks.runner import OURS

Tables = Mapping[str, pa.Table]


@contextmanager
def _ours(tables: Tables) -> Iterator[Asked]:
    frames = {name: lf.from_arrow(table) for name, table in tables.items()}
    yield lambda question: lambda: lf.sql(question.sql, **frames).collect()


@contextmanager
def _duckdb_arrow(tables: Tables) -> Iterator[Asked]:
    import duckdb

    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        yield lambda question: lambda: connection.sql(question.sql).to_arrow_table()


@contextmanager
def _duckdb(tables: Tables) -> Iterator[Asked]:
    import duckdb

    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register("given", table)
            connection.execute(f'CREATE TABLE "{name}" AS FROM given')
            connection.unregister("given")
        yield lambda question: lambda: connection.sql(question.sql).to_arrow_table()


def _polars(engine: str) -> Engine:
    @contextmanager
    def over(tables: Tables) -> Iterator[Asked]:
        import polars as pl

        frames = {name: pl.DataFrame(pl.from_arrow(table)) for name, table in tables.items()}

        lazy = SimpleNamespace(**{name: frame.lazy() for name, frame in frames.items()})
        yield lambda question: lambda: polars_query(question, lazy).collect(engine=engine)

    return over


@contextmanager
def _datafusion(tables: Tables) -> Iterator[Asked]:
    import datafusion

    context = datafusion.SessionContext()
    for name, table in tables.items():
        context.from_arrow(table, name)
    yield lambda question: lambda: context.sql(question.sql).to_arrow_table()


@contextmanager
def _pandas(tables: Tables) -> Iterator[Asked]:
    frames = SimpleNamespace(**{name: table.to_pandas() for name, table in tables.items()})

    def asked(question: Question) -> Callable[[], Any] | None:
        query = question.pandas
        return None if query is None else lambda: query(frames)

    yield asked


ENGINES: dict[str, Engine] = {
    OURS: _ours,
    "duckdb-arrow": _duckdb_arrow,
    "duckdb": _duckdb,
    "polars": _polars("in-memory"),
    "polars-streaming": _polars("streaming"),
    "datafusion": _datafusion,
    "pandas": _pandas,
}
"""`duckdb-arrow` reads the same Arrow tables, `duckdb` tables of its own in memory."""
