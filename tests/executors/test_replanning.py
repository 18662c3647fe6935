"""What is left of a plan is planned anew where an estimate was far off: the same rows, in every run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyframe as lf
from lazyframe import col, session
from tests.differential.comparing import identical, rows, same_rows
from tests.executors.small_scans import stored, with_constants

RULE = "replan_joins"


@contextmanager
def eager() -> Iterator[None]:
    """Whatever turns out is far from what was estimated."""
    with with_constants({
        "executors.replanning._FAR_OFF": 0,
        "executors.replanning._WORTH_IT": 0,
        "planner.rules.push_join_filters.FEWEST_ROWS": 0,
        "planner.rules.push_join_filters._KEPT": 2.0,
        "planner.build_side._WORTH_SWAPPING": 1,
        "executors.sources.parquet.MORSEL_ROWS": 3,
    }):  # fmt: skip
        yield


def collected(frame: lf.LazyFrame, threads: int) -> pa.Table:
    with lf.config(threads=threads):
        return frame.lazy().to_arrow()


def replanned(frame: lf.LazyFrame) -> list[str]:
    return [why for why, _ in session.measure(session.planned(frame._plan)).measured.replanned]


@settings(max_examples=100)
@given(data=st.data())
def test_any_joins_give_the_rows_of_another_engine(data: st.DataObject) -> None:
    tables = {}
    for name in "abcd":
        size = data.draw(st.sampled_from([0, 1, 5, 12]))
        values = st.lists(
            st.one_of(st.sampled_from([0.0, -0.0, 1.0, 2.0, float("nan")]), st.none()), min_size=size, max_size=size
        )
        tables[name] = pa.table({
            f"{name}k": pa.array(data.draw(values), pa.float64()),
            f"{name}j": pa.array(data.draw(values), pa.float64()),
            f"{name}v": pa.array(range(size), pa.int64()),
        })  # fmt: skip
    words = [data.draw(st.sampled_from(["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])) for _ in range(3)]
    c = data.draw(st.sampled_from(["c", "(SELECT ck, cj, max(cv) AS cv FROM c GROUP BY ck, cj)", "(SELECT DISTINCT ck, cj, 1 AS cv FROM c)"]))  # fmt: skip
    where = data.draw(st.sampled_from(["", "WHERE av > 1", "WHERE ak IN (SELECT bk FROM b WHERE bv > 2)", "WHERE NOT EXISTS (SELECT 1 FROM c AS e WHERE e.ck = ak AND e.cv < 3)", "WHERE av < (SELECT count(*) FROM d AS e WHERE e.dk = bj)"]))  # fmt: skip
    sql = f"SELECT av, bv, cv, dv FROM a {words[0]} b ON ak = bk {words[1]} {c} AS c ON bj = cj {words[2]} d ON cj = dk {where}"
    frames = {name: stored(table, data.draw(st.sampled_from([1, 3]))) for name, table in tables.items()}
    query = lf.sql(sql, **frames)
    with eager():
        found = collected(query, 1)
        assert identical(collected(query, 2), found)
        assert identical(collected(query, 7), found)
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        theirs = rows(connection.sql(sql).to_arrow_table())
    assert same_rows(rows(found), theirs, ordered=False), sql


def amount(item: int) -> int:
    return 500 if item % 500 == 7 else item % 13


@pytest.fixture(name="sales")
def _sales() -> dict[str, lf.LazyFrame]:
    # Of 100,000 orders 200 have an item that is worth much.
    items = pa.table({"order_id": [n % 100_000 for n in range(200_000)], "amount": [amount(n) for n in range(200_000)]})
    orders = pa.table({"id": range(100_000), "buyer": [n % 5_000 for n in range(100_000)]})
    buyers = pa.table({"buyer_id": range(5_000), "city": [f"c{n % 50}" for n in range(5_000)]})
    return {name: stored(table, 5_000) for name, table in {"items": items, "orders": orders, "buyers": buyers}.items()}


LARGE_ORDERS = """
    select city, id, amount from items, orders, buyers
    where order_id = id and buyer = buyer_id
      and id in (select order_id from items group by order_id having sum(amount) > 100)
"""


def test_few_groups_where_many_were_expected_change_the_order_of_joins(sales):
    query = lf.sql(LARGE_ORDERS, **sales)
    expected = sorted((f"c{n % 50}", n % 100_000, amount(n)) for n in range(200_000) if n % 500 == 7)
    (why,) = replanned(query)
    assert "gave 200 rows" in why
    assert sorted(rows(query.to_arrow())) == expected
    shown = query.explain(analyze=True)
    assert why in shown
    assert "Scan rows of" in shown
    with lf.config(disable=[RULE]):
        assert replanned(query) == []
        assert sorted(rows(query.to_arrow())) == expected


def test_what_was_right_is_not_planned_anew(sales):
    assert replanned(lf.sql("select city, amount from items, orders, buyers where order_id = id and buyer = buyer_id", **sales)) == []  # fmt: skip


def test_an_order_that_is_promised_is_kept():
    size = 3_000
    left = stored(pa.table({"k": [(7 * n) % size for n in range(size)], "n": range(size)}), 100)
    groups = stored(pa.table({"g": [n % size for n in range(size)], "x": [1.0] * size}), 100)
    right = groups.group_by("g").agg(col("x").sum()).filter(col("x") > 0)
    third = stored(pa.table({"h": range(size), "y": range(size)}), 100)
    joined = left.join(right, left_on="k", right_on="g").join(third, left_on="k", right_on="h", how="left")
    with eager():
        for threads in (1, 2, 7):
            assert collected(joined, threads).column("n").to_pylist() == list(range(size))


def test_there_is_such_a_name():
    with pytest.raises(lf.errors.InvalidArgumentError, match="replan_join"):
        lf.config(disable=["replan_join"])
