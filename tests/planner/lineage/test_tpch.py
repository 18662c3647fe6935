"""Lineage of queries of TPC-H: tables made by hand, from the text of the queries and the words of the documentation.

The role of a column is the first use of it that is not part of a value: `key` in an equality between two relations and in
GROUP BY, `filter` in any other condition, `order` in ORDER BY. Filters, keys and orders hold for all columns of a result.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import lazyframe as lf
from benchmarks.tpch.queries import QUERIES, TABLES
from lazyframe.lineage import Lineage

TYPES = {
    "int64": """c_custkey c_nationkey l_orderkey l_partkey l_suppkey l_linenumber n_nationkey n_regionkey o_orderkey o_custkey
        o_shippriority p_partkey p_size ps_partkey ps_suppkey ps_availqty r_regionkey s_suppkey s_nationkey""",
    "date": "l_shipdate l_commitdate l_receiptdate o_orderdate",
    "decimal(15,2)": """c_acctbal l_quantity l_extendedprice l_discount l_tax o_totalprice p_retailprice ps_supplycost
        s_acctbal""",
    "string": """c_name c_address c_phone c_mktsegment c_comment l_returnflag l_linestatus l_shipinstruct l_shipmode l_comment
        n_name n_comment o_orderstatus o_orderpriority o_clerk o_comment p_name p_mfgr p_brand p_type p_container p_comment
        ps_comment r_name r_comment s_name s_address s_phone s_comment""",
}
OF = {
    "c": "customer",
    "l": "lineitem",
    "n": "nation",
    "o": "orders",
    "p": "part",
    "ps": "partsupp",
    "r": "region",
    "s": "supplier",
}


@pytest.fixture(scope="module")
def tables():
    columns = {
        table: {c: t for t, names in TYPES.items() for c in names.split() if OF[c.partition("_")[0]] == table}
        for table in TABLES
    }
    return {table: lf.DataFrame({c: [] for c in columns[table]}, schema=columns[table]).lazy() for table in TABLES}


def by_table(names: str) -> dict[str, set[str]]:
    """Columns by the table that their names begin with."""
    found: dict[str, set[str]] = {}
    for name in names.split():
        found.setdefault(OF[name.partition("_")[0]], set()).add(name)
    return found


# For each query the values of each column, and what holds for all of them.
BY_HAND = {
    "q01": (
        {
            "l_returnflag": "l_returnflag",
            "l_linestatus": "l_linestatus",
            "sum_qty": "l_quantity",
            "sum_base_price": "l_extendedprice",
            "sum_disc_price": "l_extendedprice l_discount",
            "sum_charge": "l_extendedprice l_discount l_tax",
            "avg_qty": "l_quantity",
            "avg_price": "l_extendedprice",
            "avg_disc": "l_discount",
            "count_order": "",
        },
        {"filter": "l_shipdate", "key": "l_returnflag l_linestatus", "order": "l_returnflag l_linestatus"},
    ),
    "q03": (
        {
            "o_orderkey": "o_orderkey",
            "revenue": "l_extendedprice l_discount",
            "o_orderdate": "o_orderdate",
            "o_shippriority": "o_shippriority",
        },
        {
            "filter": "c_mktsegment o_orderdate l_shipdate",
            # Joins: o_custkey = c_custkey, l_orderkey = o_orderkey. Groups: all columns but the sum.
            "key": "o_custkey c_custkey l_orderkey o_orderkey o_orderdate o_shippriority",
            "order": "l_extendedprice l_discount o_orderdate",
        },
    ),
    "q08": (
        # CASE WHEN nation = 'BRAZIL' THEN volume: the condition is part of the value.
        {"o_year": "o_orderdate", "mkt_share": "n_name l_extendedprice l_discount"},
        {
            "filter": "r_name p_type o_orderdate",
            # Seven joins, of which two are to nation. Groups: the year.
            "key": """p_partkey l_partkey o_orderkey l_orderkey c_custkey o_custkey n_nationkey c_nationkey r_regionkey
                n_regionkey s_suppkey l_suppkey s_nationkey o_orderdate""",
            "order": "o_orderdate",
        },
    ),
    "q11": (
        {"ps_partkey": "ps_partkey", "value": "ps_supplycost ps_availqty"},
        {
            # HAVING sum(worth) > (SELECT sum(worth) ...)
            "filter": "n_name ps_supplycost ps_availqty",
            "key": "s_suppkey ps_suppkey n_nationkey s_nationkey ps_partkey",
            "order": "ps_supplycost ps_availqty ps_partkey",
        },
    ),
    "q13": (
        {"c_count": "o_orderkey", "custdist": ""},
        {
            "filter": "o_comment",
            # Join: o_custkey = c_custkey. Groups: c_custkey, then the count of o_orderkey.
            "key": "o_custkey c_custkey o_orderkey",
            # A count of rows has no columns.
            "order": "o_orderkey",
        },
    ),
    "q15": (
        {
            "s_suppkey": "s_suppkey",
            "s_name": "s_name",
            "s_address": "s_address",
            "s_phone": "s_phone",
            "total_revenue": "l_extendedprice l_discount",
        },
        {
            # The dates of the view; its revenue, which is compared with the greatest.
            "filter": "l_shipdate l_extendedprice l_discount",
            "key": "l_suppkey s_suppkey",
            "order": "s_suppkey",
        },
    ),
    "q18": (
        {
            "c_name": "c_name",
            "c_custkey": "c_custkey",
            "o_orderkey": "o_orderkey",
            "o_orderdate": "o_orderdate",
            "o_totalprice": "o_totalprice",
            "quantity": "l_quantity",
        },
        {
            # HAVING sum(l_quantity) > 300
            "filter": "l_quantity",
            "key": "c_custkey o_custkey l_orderkey o_orderkey c_name o_orderdate o_totalprice",
            "order": "o_totalprice o_orderdate",
        },
    ),
    "q20": (
        {"s_name": "s_name", "s_address": "s_address"},
        {
            "filter": "n_name p_name ps_availqty l_quantity l_shipdate",
            # Besides the join: three equalities by IN, and the two of the subquery.
            "key": "n_nationkey s_nationkey s_suppkey ps_suppkey ps_partkey p_partkey l_partkey l_suppkey",
            "order": "s_name",
        },
    ),
    "q21": (
        {"s_name": "s_name", "numwait": ""},
        {
            # Both subqueries ask for another supplier: an inequality.
            "filter": "n_name o_orderstatus l_receiptdate l_commitdate l_suppkey",
            "key": "n_nationkey s_nationkey l_suppkey s_suppkey o_orderkey l_orderkey s_name",
            "order": "s_name",
        },
    ),
    "q22": (
        {"cntrycode": "c_phone", "numcust": "", "totacctbal": "c_acctbal"},
        {"filter": "c_phone c_acctbal", "key": "o_custkey c_custkey c_phone", "order": "c_phone"},
    ),
}


def as_sets(lineage: Lineage) -> dict[str, dict[str, dict[str, set[str]]]]:
    return {
        column: {role: {table: set(names) for table, names in tables.items()} for role, tables in roles.items()}
        for column, roles in lineage.to_dict().items()
    }


def expected(name: str) -> dict[str, dict[str, dict[str, set[str]]]]:
    values, common = BY_HAND[name]
    others = {role: by_table(names) for role, names in common.items()}
    return {column: {"value": by_table(names), **others} for column, names in values.items()}


@pytest.mark.parametrize("name", BY_HAND)
def test_lineage_of_sql_is_what_the_text_says(name, tables):
    (query,) = [query for query in QUERIES if query.name == name]
    assert as_sets(lf.sql(query.sql, **tables).lineage(**tables)) == expected(name)


# Where the verbs of a query say something else than its text does: for each column what is in its lineage by the text alone,
# and by the verbs alone. Elsewhere both say the same.
OTHERWISE = {
    # The least cost is found by a join on it; the text compares it with the value of a subquery. p_partkey is ps_partkey.
    "q02": {
        None: ({"filter": "ps_supplycost", "order": "p_partkey"}, {"key": "ps_supplycost", "order": "ps_partkey"}),
        "p_partkey": ({"value": "p_partkey"}, {"value": "ps_partkey"}),
    },
    # NOT IN keeps no row at all where one of both is null, which an anti join does not ask.
    "q16": {None: ({"filter": "ps_suppkey s_suppkey"}, {})},
    # A join by keys keeps that of its left side: o_custkey for c_custkey.
    "q18": {"c_custkey": ({"value": "c_custkey"}, {"value": "o_custkey"})},
}


def without(column: dict[str, dict[str, set[str]]], *parts: dict[str, str]) -> dict[str, set[str]]:
    """The columns of each role but for some, which must be there."""
    left = {role: set().union(*tables.values()) for role, tables in column.items()}
    for part in parts:
        for role, names in part.items():
            assert set(names.split()) <= left[role]
            left[role] -= set(names.split())
    return left


@pytest.mark.parametrize("query", QUERIES, ids=[query.name for query in QUERIES])
def test_verbs_and_text_have_one_lineage(query, tables):
    text = as_sets(lf.sql(query.sql, **tables).lineage(**tables))
    verbs = as_sets(query.fluent(SimpleNamespace(**tables)).lineage(**tables))
    if query.name == "q18":
        verbs = {"c_custkey" if name == "o_custkey" else name: column for name, column in verbs.items()}
    assert text.keys() == verbs.keys()
    differ = OTHERWISE.get(query.name, {})
    for name in text:
        parts = [differ[each] for each in (None, name) if each in differ]
        only_text, only_verbs = [part[0] for part in parts], [part[1] for part in parts]
        assert without(text[name], *only_text) == without(verbs[name], *only_verbs), name
