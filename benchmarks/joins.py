"""A join of two large tables, with a filter below and a few groups above."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import lazyframe as lf
from benchmarks.data import tpch
from benchmarks.options import Options
from benchmarks.runner import OURS, Case, measure
from lazyframe import col

_SQL = """
    select o_orderpriority, count(*) as items, sum(l_extendedprice) as price
    from '{lineitem}' join '{orders}' on l_orderkey = o_orderkey
    where o_orderdate >= date '1996-01-01' group by all order by all"""


def run(options: Options) -> Iterator[Case]:
    import duckdb
    import polars as pl

    scale = options.scale or 1
    folder = tpch(options.data, scale)
    lineitem, orders = folder / "lineitem.parquet", folder / "orders.parquet"
    with duckdb.connect() as connection:
        yield measure(
            f"lineitem join orders, scale {scale:g}",
            {
                OURS: lambda: (
                    lf.scan_parquet(lineitem)
                    .join(lf.scan_parquet(orders), left_on="l_orderkey", right_on="o_orderkey")
                    .filter(col("o_orderdate") >= date(1996, 1, 1))
                    .group_by("o_orderpriority")
                    .agg(items=lf.len(), price=col("l_extendedprice").sum())
                    .sort("o_orderpriority")
                    .collect()
                ),
                "duckdb": lambda: connection.sql(_SQL.format(lineitem=lineitem, orders=orders)).to_arrow_table(),
                "polars": lambda: (
                    pl.scan_parquet(lineitem)
                    .join(pl.scan_parquet(orders), left_on="l_orderkey", right_on="o_orderkey")
                    .filter(pl.col("o_orderdate") >= date(1996, 1, 1))
                    .group_by("o_orderpriority")
                    .agg(items=pl.len(), price=pl.col("l_extendedprice").sum())
                    .sort("o_orderpriority")
                    .collect(engine="streaming")
                ),
            },
            rounds=options.rounds or 3,
        )
