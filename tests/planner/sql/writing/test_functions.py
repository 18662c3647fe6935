"""Every function written for DuckDB gives there what it gives here, or says that it cannot be written."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import session
from lazyframe.planner.functions.aggregates import AGGREGATES
from lazyframe.planner.functions.table import FUNCTIONS
from lazyframe.planner.functions.windows import WINDOWS
from lazyframe.planner.relations import Aggregate
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import SortKey
from lazyframe.planner.sql.writing import aggregates, windows, write_sql
from lazyframe.planner.sql.writing.functions import FORMS, REFUSED
from tests.differential import comparing
from tests.differential.comparing import same_rows
from tests.planner.sql.writing import function_calls
from tests.planner.sql.writing.function_calls import SCALARS, TABLE, aggregate_call, projected

SCAN = lf.from_arrow(TABLE).lazy()._plan


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as found:
        found.execute("SET TimeZone = 'UTC'; SET threads = 1")
        found.register("frame_1", TABLE)
        yield found


def rows(table):
    """The rows, where an interval of days and less is the duration that it is as long as."""
    return [tuple([_as_duration(value) for value in row]) for row in comparing.rows(table)]


def _as_duration(value):
    if isinstance(value, pa.MonthDayNano) and not value.months:
        return dt.timedelta(days=value.days, microseconds=value.nanoseconds // 1000)
    return value


LAMBDAS = {"list_transform", "list_filter", "list_reduce"}
"""See the tests of verbs: SQL makes them."""
BY_HAND = {"is_in", *LAMBDAS}


def named(cases):
    return [
        pytest.param(name, *case, id=f"{name}-{i}") for name, found in cases.items() for i, case in enumerate(found)
    ]


def test_every_function_has_a_form_a_name_or_a_reason():
    lacking = [n for n, f in FUNCTIONS.items() if not (n in FORMS or n in REFUSED or f.sql or n in BY_HAND)]
    assert lacking == []
    assert [n for n in AGGREGATES if n not in aggregates.FORMS and n not in aggregates.REFUSED] == []
    assert [n for n in WINDOWS if n not in windows.FORMS and n not in windows.REFUSED and n != "fill"] == []


def test_every_function_that_is_written_is_tried():
    # The length of an interval stands in comparisons alone: tests of whole queries write those.
    no_repeat = {"now", "interval_length", *LAMBDAS, *[n for n, f in FUNCTIONS.items() if f.volatile]}
    assert sorted(set(FUNCTIONS) - set(SCALARS) - set(REFUSED) - no_repeat) == []
    assert sorted(set(AGGREGATES) - set(function_calls.AGGREGATES) - set(aggregates.REFUSED)) == []


@pytest.mark.parametrize(("name", "args", "options"), named(SCALARS))
def test_function(name, args, options, connection):
    plan = projected(SCAN, name, args, options)
    text = write_sql(plan)
    if name in function_calls.NOT_IN_DUCKDB:
        with pytest.raises(duckdb.CatalogException):
            connection.sql(text)
        return
    ours, theirs = rows(session.execute(plan)), rows(connection.sql(text).to_arrow_table())
    assert same_rows(ours, theirs, ordered=False), f"{text}\nours   {ours}\nDuckDB {theirs}"


@pytest.mark.parametrize(("name", "args", "options"), named(function_calls.AGGREGATES))
@pytest.mark.parametrize("form", ["all", "groups", "where", "distinct", "order"])
def test_aggregate(name, args, options, form, connection):
    more = {}
    if form == "where":
        more["where"] = projected(SCAN, "greater", ("n", function_calls.K(2)), {}).exprs[1][1]
    if form == "distinct":
        if name not in ("count", "sum", "mean", "min", "max") or args[0] == "span":
            pytest.skip("distinct values are not told apart")
        more["distinct"] = True
    if form == "order":
        if name not in ("first", "last", "list", "string_agg"):
            pytest.skip("takes rows in any order")
        more["order"] = (SortKey(column(SCAN.schema, "n"), descending=True),)
    keys = (
        (("even", projected(SCAN, "modulo", ("n", function_calls.K(2)), {}).exprs[1][1]),) if form == "groups" else ()
    )
    plan = Aggregate(SCAN, keys, (("result", aggregate_call(SCAN, name, args, options, **more)),))
    text = write_sql(plan)
    ours, theirs = rows(session.execute(plan)), rows(connection.sql(text).to_arrow_table())
    assert same_rows(ours, theirs, ordered=False), f"{text}\nours   {ours}\nDuckDB {theirs}"
