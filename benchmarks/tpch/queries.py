"""The 22 queries of TPC-H, each in the three languages in which it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import lazyframe as lf
from benchmarks.agreement import GIVEN_ORDER
from benchmarks.contenders import Question
from benchmarks.tpch import fluent

if TYPE_CHECKING:
    import duckdb

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")

_SQL = Path(__file__).parent / "sql"


class Query(NamedTuple):
    """A query: its title, a function from the tables to a frame, and the same as SQL."""

    name: str
    title: str
    fluent: Callable[[Any], lf.LazyFrame]
    sql: str

    def polars(self, tables: Any) -> Any:
        """The same over tables of Polars, as a `LazyFrame` of theirs."""
        from benchmarks.tpch import peers

        return getattr(peers, self.name)(tables)


def _query(name: str) -> Query:
    ours = getattr(fluent, name)
    return Query(name, ours.__doc__.rstrip("."), ours, (_SQL / f"{name}.sql").read_text(encoding="utf-8"))


QUERIES: tuple[Query, ...] = tuple([_query(f"q{number:02}") for number in range(1, 23)])


QUESTIONS: tuple[Question, ...] = tuple(
    [Question(f"{query.name[1:]} {query.title}", query.sql, query.polars, order=GIVEN_ORDER) for query in QUERIES]
)


def our_tables(folder: Path) -> SimpleNamespace:
    """The tables in a folder of Parquet files, as frames of ours."""
    return SimpleNamespace(**{name: lf.scan_parquet(folder / f"{name}.parquet") for name in TABLES})


def polars_tables(folder: Path) -> SimpleNamespace:
    """The same as frames of Polars."""
    import polars as pl

    return SimpleNamespace(**{name: pl.scan_parquet(folder / f"{name}.parquet") for name in TABLES})


@contextmanager
def duckdb_tables(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of DuckDB in which the tables are views of the files."""
    import duckdb

    with duckdb.connect() as connection:
        for name in TABLES:
            connection.execute(f"CREATE VIEW {name} AS FROM read_parquet('{folder / name}.parquet')")
        yield connection
