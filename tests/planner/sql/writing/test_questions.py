"""The questions of the differential tests, among them TPC-H, survive being written as SQL."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import duckdb
import pytest

import lazyframe as lf
from benchmarks.tpch.queries import our_tables
from tests.differential import test_flights_questions as flights
from tests.differential import test_large_tables as large
from tests.differential import test_tpch_questions as tpch
from tests.planner.sql.writing.round_trips import check_round_trip

TIES = {"slice_of_a_sort", "top_of_strings"}
"""Their sorts have ties, which SQL may order in any way."""


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as found:
        found.execute("SET TimeZone = 'UTC'; SET threads = 1")
        yield found


@pytest.mark.skipif(not tpch.FOLDER.is_dir(), reason="no TPC-H tables; see LAZYFRAME_CONFORMANCE")
@pytest.mark.parametrize("name", tpch.questions)
def test_tpch(name, connection):
    question = tpch.questions[name]
    check_round_trip(question.ours(our_tables(tpch.FOLDER)), connection, ordered=question.ordered)


@pytest.mark.parametrize("name", flights.questions)
def test_flights(name, connection):
    tables = SimpleNamespace(**{n: lf.scan_parquet(flights.FOLDER / f"{n}.parquet") for n in flights.NAMES})
    question = flights.questions[name]
    if name == "shape_of_delays":
        with pytest.raises(lf.errors.UnsupportedError, match=r"skew\(\) of the values themselves"):
            question.ours(tables).to_sql()
        return
    check_round_trip(question.ours(tables), connection, ordered=question.ordered)


@pytest.fixture(scope="module")
def memory_tables():
    return SimpleNamespace(**{name: lf.from_arrow(table).lazy() for name, table in large.made().items()})


@pytest.mark.parametrize("name", [name for name in large.questions if name not in TIES])
def test_large_tables(name, memory_tables, connection):
    question = large.questions[name]
    check_round_trip(question.ours(memory_tables), connection, ordered=question.ordered)
