"""Random queries: equal to what DuckDB and Polars answer, and the same however they are run.

`LAZYFRAME_FUZZ_EXAMPLES=5000` looks longer and elsewhere than the fixed examples of the test suite.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest import mock

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st

import lazyframe as lf
from lazyframe import session
from lazyframe.executors.sources import memory
from lazyframe.planner.optimizer import optimize, rule_names
from tests.differential.comparing import identical, rows, same_rows
from tests.differential.queries import Query, queries, steps
from tests.differential.tables import Input, tables

EXAMPLES = int(os.environ.get("LAZYFRAME_FUZZ_EXAMPLES", "0"))
FUZZ = settings(
    max_examples=EXAMPLES or 150,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@contextmanager
def scanned(given: Input, name: str, folder: Path) -> Iterator[lf.LazyFrame]:
    """The table as a frame of several splits."""
    if given.parquet:
        path = folder / f"{name}.parquet"
        pq.write_table(given.table, path, row_group_size=given.rows)
        yield lf.scan_parquet(path)
    else:
        with mock.patch.object(memory, "MORSEL_ROWS", given.rows):
            yield lf.from_arrow(given.table).lazy()


def outcome(plan: object, threads: int, **options: bool) -> pa.Table | str:
    """The rows, or the kind of error."""
    try:
        with lf.config(threads=threads):
            return session.execute(plan, **options)  # type: ignore[arg-type]
    except lf.errors.LazyFrameError as error:
        return type(error).__name__


def check_runs(data: st.DataObject, frame: lf.LazyFrame) -> pa.Table | None:
    """The rows of the query, when all ways to run it agree on them."""
    plan = frame._plan
    first = outcome(plan, 1)
    optimize(plan, check=True)
    # What was not asked for is not computed when optimized, so an error may be without; never the other way round.
    plain = outcome(plan, 1, optimize=False)
    if isinstance(first, str):
        assert isinstance(plain, str), f"fails only when optimized: {first}"
        assert isinstance(outcome(plan, 2), str)
        return None
    assert first.schema.equals(frame.schema.to_arrow()), f"promised {frame.schema}, got {first.schema}"
    for field, column in zip(first.schema, first.columns, strict=True):
        assert field.nullable or column.null_count == 0, f"{field.name} is declared not null"
    first.validate(full=True)
    for threads in (1, 2, 7):
        again = outcome(plan, threads)
        assert isinstance(again, pa.Table), again
        assert identical(first, again), f"{threads} threads\n{first.to_pylist()}\n{again.to_pylist()}"
    if isinstance(plain, pa.Table):
        assert identical(first, plain), f"not optimized\n{first.to_pylist()}\n{plain.to_pylist()}"
    disabled = data.draw(st.lists(st.sampled_from(rule_names()), unique=True, max_size=8), label="disabled")
    with lf.config(disable=disabled):
        partly = outcome(plan, 2)
    if isinstance(partly, pa.Table):
        assert identical(first, partly), f"without {disabled}\n{first.to_pylist()}\n{partly.to_pylist()}"
    return first


@cache
def _duckdb() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for setting in ("ieee_floating_point_ops = true", "TimeZone = 'UTC'", "threads = 1"):
        connection.execute(f"SET {setting}")
    return connection


def check_duckdb(query: Query, found: pa.Table, inputs: dict[str, pa.Table]) -> bool:
    if query.sql is None:
        return False
    connection = _duckdb()
    for name, table in inputs.items():
        connection.register(name, table)
    try:
        theirs = connection.sql(query.sql).to_arrow_table()
    except (duckdb.OutOfRangeException, duckdb.ConversionException, duckdb.BinderException) as error:
        event(f"DuckDB refuses: {str(error).splitlines()[0]}")
        return False
    a, b = rows(found), rows(theirs)
    assert same_rows(a, b, ordered=False), f"DuckDB\n{query.sql}\nours   {a}\ntheirs {b}"
    return True


def check_polars(query: Query, found: pa.Table) -> bool:
    if query.polars is None:
        return False
    try:
        theirs = query.polars.collect().to_arrow()
    except pl.exceptions.PolarsError as error:
        event(f"Polars refuses: {str(error).splitlines()[0]}")
        return False
    a, b = rows(found), rows(theirs)
    assert same_rows(a, b, ordered=query.polars_order), f"Polars\nours   {a}\ntheirs {b}"
    return True


COMPARED: dict[str, int] = {"queries": 0, "errors": 0, "duckdb": 0, "polars": 0}


@FUZZ
@given(data=st.data())
def test_random_query(data: st.DataObject) -> None:
    one, two = data.draw(tables(), label="one"), data.draw(tables(), label="two")
    before = [given.table.to_pylist() for given in (one, two)]
    with (
        tempfile.TemporaryDirectory() as folder,
        scanned(one, "one", Path(folder)) as first,
        scanned(two, "two", Path(folder)) as second,
    ):
        query = data.draw(
            queries(
                Query(first, "SELECT * FROM one", pl.from_arrow(one.table).lazy()),
                Query(second, "SELECT * FROM two", pl.from_arrow(two.table).lazy()),
            ),
            label="query",
        )
        note(f"query\n{steps(query)}")
        COMPARED["queries"] += 1
        found = check_runs(data, query.ours)
    assert repr([given.table.to_pylist() for given in (one, two)]) == repr(before), "the input changed"
    if found is None:
        COMPARED["errors"] += 1
        return
    COMPARED["duckdb"] += check_duckdb(query, found, {"one": one.table, "two": two.table})
    COMPARED["polars"] += check_polars(query, found)
