"""The 22 queries of TPC-H: verbs give the rows of SQL, which are DuckDB's, and those of Polars, as far as it is exact."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import which
from sysconfig import get_path

import duckdb
import pytest

import lazyframe as lf
from benchmarks.agreement import check_same
from benchmarks.data import tpch
from benchmarks.tpch.queries import QUERIES, duckdb_tables, our_tables, polars_tables
from tests.differential.comparing import identical, rows, same_rows

pytestmark = pytest.mark.skipif(
    which("tpchgen-cli", path=get_path("scripts")) is None and which("tpchgen-cli") is None,
    reason="tpchgen-cli is not installed, which makes the tables",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tpch(tmp_path_factory.mktemp("data"), 0.01)


@pytest.fixture(scope="module")
def connection(folder) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb_tables(folder) as found:
        found.execute("SET threads = 2")
        yield found


@pytest.mark.parametrize("query", QUERIES, ids=[query.name for query in QUERIES])
def test_both_languages_agree(query, folder, connection):
    tables = our_tables(folder)
    text = lf.sql(query.sql, **vars(tables)).to_arrow()
    assert identical(text, lf.sql(query.sql, **vars(tables)).to_arrow())
    verbs = query.fluent(tables).to_arrow()
    check_same(query.name, {"verbs": verbs, "Polars": query.polars(polars_tables(folder)).collect()})
    theirs = rows(connection.sql(query.sql).to_arrow_table())
    assert theirs
    assert same_rows(rows(verbs), theirs, ordered=True), f"verbs  {rows(verbs)[:20]}\nDuckDB {theirs[:20]}"
    assert same_rows(rows(text), theirs, ordered=True), f"SQL    {rows(text)[:20]}\nDuckDB {theirs[:20]}"
