"""The queries of TPC-H, and other questions to its tables, answered as DuckDB and Polars do.

The tables are those of scale 0.01 in the conformance suite, which `LAZYFRAME_CONFORMANCE` points to; it lies beside the
checkout by default.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest

from benchmarks.tpch.queries import QUERIES, duckdb_tables, our_tables
from benchmarks.tpch.queries import polars_tables as tables_of_polars
from lazyframe import col
from tests.differential.questions import Question, Questions, check

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("LAZYFRAME_CONFORMANCE", ROOT.parent / "shared" / "conformance")) / "tpch" / "sf0.01"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no TPC-H tables in {FOLDER}; see LAZYFRAME_CONFORMANCE")

# Polars keeps two digits of a product of decimals: DuckDB alone is asked.
questions = Questions({query.name: Question(query.fluent, query.sql) for query in QUERIES})
ask = questions.ask


@pytest.fixture(scope="module")
def tables():
    return our_tables(FOLDER)


@pytest.fixture(scope="module")
def polars_tables():
    return tables_of_polars(FOLDER)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb_tables(FOLDER) as found:
        found.execute("SET TimeZone = 'UTC'; SET threads = 2")
        yield found


@ask(
    "SELECT r_name, count(*) AS suppliers FROM region, nation, supplier WHERE r_regionkey = n_regionkey AND n_nationkey = s_nationkey GROUP BY r_name ORDER BY r_name",
    lambda t: (
        t.region.join(t.nation, left_on="r_regionkey", right_on="n_regionkey")
        .join(t.supplier, left_on="n_nationkey", right_on="s_nationkey")
        .group_by("r_name").agg(suppliers=pl.len()).sort("r_name")
    ),
)  # fmt: skip
def suppliers_by_region(t):
    return (
        t.region.join(t.nation, left_on="r_regionkey", right_on="n_regionkey")
        .join(t.supplier, left_on="n_nationkey", right_on="s_nationkey")
        .group_by("r_name")
        .len("suppliers")
        .sort("r_name")
    )


@ask(
    """SELECT year(o_orderdate) AS y, quarter(o_orderdate) AS q, sum(o_totalprice) AS total, max(o_totalprice) AS largest
    FROM orders GROUP BY ALL ORDER BY y, q"""
)
def orders_by_quarter(t):
    keys = {"y": col("o_orderdate").dt.year(), "q": col("o_orderdate").dt.quarter()}
    return (
        t.orders.group_by(**keys).agg(total=col("o_totalprice").sum(), largest=col("o_totalprice").max()).sort("y", "q")
    )


@ask("SELECT round(avg(l_receiptdate - l_shipdate), 9) AS days, min(l_receiptdate - l_shipdate) AS least FROM lineitem")
def days_under_way(t):
    days = (col("l_receiptdate") - col("l_shipdate")).dt.total_days()
    return t.lineitem.select(days=days.mean().round(9), least=days.min())


@ask(
    """SELECT DISTINCT ON (o_custkey) o_custkey, o_orderkey, o_totalprice FROM orders WHERE o_custkey < 60
    ORDER BY o_custkey, o_totalprice DESC"""
)
def largest_order_of_each_customer(t):
    return (
        t.orders.filter(col("o_custkey") < 60)
        .group_by("o_custkey")
        .agg(o_orderkey=col("o_orderkey").max_by("o_totalprice"), o_totalprice=col("o_totalprice").max())
        .sort("o_custkey")
    )


@ask(
    "SELECT p_brand, string_agg(DISTINCT p_container, ',' ORDER BY p_container) AS c FROM part WHERE p_size = 7 GROUP BY p_brand ORDER BY p_brand"
)
def containers_of_brands(t):
    return (
        t.part.filter(p_size=7)
        .select("p_brand", "p_container")
        .unique()
        .group_by("p_brand")
        .agg(c=col("p_container").string_agg(",", order_by="p_container"))
        .sort("p_brand")
    )


@pytest.mark.parametrize("name", questions)
def test_question(name, tables, connection, polars_tables):
    check(questions[name], tables, connection, polars_tables)
