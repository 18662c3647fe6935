"""`now()` within a query, and between queries."""

import datetime as dt

import pyarrow as pa

import lazyframe as lf
from lazyframe.planner.clock import at_instant
from lazyframe.planner.scalars import Call, Literal

NOON = dt.datetime(2024, 1, 31, 12, tzinfo=dt.UTC)


def test_a_plan_that_runs_has_a_constant_for_now():
    plan = lf.sql("SELECT now() AS a, CAST(now() AS DATE) AS b")._plan
    (fixed,) = at_instant([plan], NOON)
    first = fixed.scalars()[0]
    assert isinstance(first, Literal)
    assert first.value.as_py() == NOON
    assert not any(isinstance(scalar, Call) for scalar in fixed.scalars())


def test_a_plan_that_does_not_ask_stays():
    plan = lf.sql("SELECT 1 AS a")._plan
    assert at_instant([plan], NOON) == [plan]


def test_all_rows_of_a_query_have_one_instant():
    rows = pa.table({"k": range(200_000)})
    before = dt.datetime.now(dt.UTC)
    found = lf.sql(
        "SELECT min(now()) AS a, max(now()) AS b, count(*) FILTER (now() = t.n) AS c FROM (SELECT now() AS n FROM rows) t",
        rows=rows,
    )
    (row,) = found.collect().to_arrow().to_pylist()
    assert row["a"] == row["b"]
    assert row["c"] == 200_000
    assert before <= row["a"] <= dt.datetime.now(dt.UTC)
