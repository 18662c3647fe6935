"""Hyper, where the package tableauhyperapi is installed: over Parquet files, and over a database file of its own.

It is a comparison only. Its rows come as Python objects, which is why it is asked nothing that gives many of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.contenders import Asked


class Rows:
    """An answer of Hyper's: columns for those who ask for Arrow, which no figure counts."""

    def __init__(self, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self._names = names
        self._rows = rows

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        columns = [pa.array([_value(row[index]) for row in self._rows]) for index in range(len(self._names))]
        return pa.table(columns, names=list(self._names)).__arrow_c_stream__(requested_schema)


def _value(value: Any) -> Any:
    return value.to_date() if hasattr(value, "to_date") else value


def _rows(connection: Any, text: str) -> Rows:
    with connection.execute_query(text) as result:
        return Rows([column.name.unescaped for column in result.schema.columns], list(result))


@contextmanager
def over_parquet(folder: Path) -> Iterator[Asked]:
    """Over the files of a folder."""
    with _connection() as connection:
        for path in sorted(folder.glob("*.parquet")):
            connection.execute_command(f"CREATE TEMPORARY EXTERNAL TABLE {path.stem} FOR '{path}'")
        yield lambda question: lambda: _rows(connection, question.sql)


@contextmanager
def over_own(folder: Path) -> Iterator[Asked]:
    """Over tables of its own, made of the files of a folder."""
    with tempfile.TemporaryDirectory() as place, _connection(Path(place) / "tables.hyper") as connection:
        for path in sorted(folder.glob("*.parquet")):
            connection.execute_command(f"CREATE TABLE {path.stem} AS (SELECT * FROM external('{path}'))")
        yield lambda question: lambda: _rows(connection, question.sql)


@contextmanager
def _connection(database: Path | None = None) -> Iterator[Any]:
    from tableauhyperapi import Connection, CreateMode, HyperProcess, Telemetry

    unlogged = {"log_config": ""}
    with HyperProcess(Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU, parameters=unlogged) as process:
        mode = CreateMode.NONE if database is None else CreateMode.CREATE_AND_REPLACE
        with Connection(process.endpoint, database, mode) as connection:
            yield connection
