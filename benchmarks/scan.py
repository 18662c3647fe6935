"""TPC-H Q1 and Q6 from Parquet: scan, filter and aggregate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import lazyframe as lf
from benchmarks.data import tpch
from benchmarks.options import Options
from benchmarks.runner import OURS, Case, measure
from lazyframe import col

_Q1 = """
    select l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
           sum(l_extendedprice * (1 - l_discount)), sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)),
           avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)
    from '{lineitem}' where l_shipdate <= date '1998-09-02'
    group by l_returnflag, l_linestatus order by l_returnflag, l_linestatus"""

_Q6 = """
    select sum(l_extendedprice * l_discount) from '{lineitem}'
    where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
      and l_discount between 0.05 and 0.07 and l_quantity < 24"""


def run(options: Options) -> Iterator[Case]:
    import duckdb

    scale = options.scale or 1
    lineitem = tpch(options.data, scale) / "lineitem.parquet"
    with duckdb.connect() as connection:
        for name, ours, polars, sql in (("Q1", q1, _polars_q1, _Q1), ("Q6", q6, _polars_q6, _Q6)):
            yield measure(
                f"TPC-H {name}, scale {scale:g}",
                {
                    OURS: lambda ours=ours: ours(lineitem).collect(),
                    "duckdb": lambda sql=sql: connection.sql(sql.format(lineitem=lineitem)).to_arrow_table(),
                    "polars": polars(lineitem),
                },
                rounds=options.rounds or 5,
            )


def q1(lineitem: Path) -> lf.LazyFrame:
    """The pricing summary report."""
    price = col("l_extendedprice") * (1 - col("l_discount"))
    return (
        lf.scan_parquet(lineitem)
        .filter(col("l_shipdate") <= date(1998, 9, 2))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            sum_quantity=col("l_quantity").sum(),
            sum_base_price=col("l_extendedprice").sum(),
            sum_disc_price=price.sum(),
            sum_charge=(price * (1 + col("l_tax"))).sum(),
            mean_quantity=col("l_quantity").mean(),
            mean_price=col("l_extendedprice").mean(),
            mean_discount=col("l_discount").mean(),
            orders=lf.len(),
        )
        .sort("l_returnflag", "l_linestatus")
    )


def q6(lineitem: Path) -> lf.LazyFrame:
    """The forecast of a change in revenue."""
    return (
        lf.scan_parquet(lineitem)
        .filter(
            col("l_shipdate") >= date(1994, 1, 1),
            col("l_shipdate") < date(1995, 1, 1),
            col("l_discount").is_between(Decimal("0.05"), Decimal("0.07")),
            col("l_quantity") < 24,
        )
        .select(revenue=(col("l_extendedprice") * col("l_discount")).sum())
    )


def _polars_q1(lineitem: Path) -> Callable[[], Any]:
    import polars as pl
    from polars import col

    price = col("l_extendedprice") * (1 - col("l_discount"))
    return lambda: (
        pl.scan_parquet(lineitem)
        .filter(col("l_shipdate") <= date(1998, 9, 2))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            sum_quantity=col("l_quantity").sum(),
            sum_base_price=col("l_extendedprice").sum(),
            sum_disc_price=price.sum(),
            sum_charge=(price * (1 + col("l_tax"))).sum(),
            mean_quantity=col("l_quantity").mean(),
            mean_price=col("l_extendedprice").mean(),
            mean_discount=col("l_discount").mean(),
            orders=pl.len(),
        )
        .sort("l_returnflag", "l_linestatus")
        .collect(engine="streaming")
    )


def _polars_q6(lineitem: Path) -> Callable[[], Any]:
    import polars as pl
    from polars import col

    return lambda: (
        pl.scan_parquet(lineitem)
        .filter(
            col("l_shipdate") >= date(1994, 1, 1),
            col("l_shipdate") < date(1995, 1, 1),
            col("l_discount").is_between(Decimal("0.05"), Decimal("0.07")),
            col("l_quantity") < 24,
        )
        .select(revenue=(col("l_extendedprice") * col("l_discount")).sum())
        .collect(engine="streaming")
    )
