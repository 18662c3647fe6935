"""Random queries in SQL: equal to what DuckDB answers, and the same with and without the optimizer and on any number of threads.

`LAZYFRAME_FUZZ_EXAMPLES=5000` looks longer and elsewhere than the fixed seeds of the test suite.
"""

from __future__ import annotations

import os
import random

import duckdb
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import session
from lazyframe.planner.optimizer import rule_names
from tests.differential.comparing import rows, same_rows
from tests.differential.sql_queries import query_of, tables

EXAMPLES = int(os.environ.get("LAZYFRAME_FUZZ_EXAMPLES", "0"))
FIRST = random.randrange(10**9) if EXAMPLES else 1
BATCH = 20


def ours(query: str, given: dict[str, pa.Table], *, threads: int = 1, without: tuple[str, ...] = ()) -> pa.Table | str:
    """The rows, or the error."""
    try:
        with lf.config(threads=threads, disable=without):
            frame = lf.sql(query, **given)
            found = session.execute(frame._plan)
    except lf.errors.LazyFrameError as error:
        return f"{type(error).__name__}: {error}"
    assert found.schema.equals(frame.schema.to_arrow()), f"promised {frame.schema}, got {found.schema}"
    for field, column in zip(found.schema, found.columns, strict=True):
        assert field.nullable or column.null_count == 0, f"{field.name} is declared not null"
    return found


def theirs(query: str, connection: duckdb.DuckDBPyConnection) -> pa.Table | str:
    try:
        return connection.sql(query).to_arrow_table()
    except duckdb.Error as error:
        return str(error)


@pytest.mark.parametrize("batch", range(max(EXAMPLES, 100) // BATCH))
def test_random_sql(batch: int) -> None:
    given = tables(FIRST + batch)
    connection = duckdb.connect()
    for name, table in given.items():
        connection.register(name, table)
    rules = tuple(rule_names())
    for seed in range(FIRST + batch * BATCH, FIRST + (batch + 1) * BATCH):
        query = query_of(seed)
        shown = f"seed {seed}: {query}"
        found, plain = ours(query, given), ours(query, given, without=rules)
        expected = theirs(query, connection)
        if isinstance(plain, str):
            # What was not asked for is not computed when optimized, so an error may be without.
            assert isinstance(expected, str), f"{shown}\n{plain}"
            continue
        assert isinstance(found, pa.Table), f"{shown}\nfails only when optimized: {found}"
        some = tuple(random.Random(seed).sample(rules, len(rules) // 2))
        other = ours(query, given, threads=7, without=some)
        assert isinstance(other, pa.Table), f"{shown}\nwithout {some}: {other}"
        for again in (plain, other):
            assert same_rows(rows(found), rows(again), ordered=False), f"{shown}\nwithout {some}"
        if isinstance(expected, pa.Table):
            assert same_rows(rows(found), rows(expected), ordered=False), f"{shown}\n{rows(found)}\n{rows(expected)}"
