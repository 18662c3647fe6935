"""Questions to the tables of TPC-H, several of them its own queries, answered as DuckDB and Polars do.

The tables are those of scale 0.01 in the conformance suite, which `LAZYFRAME_CONFORMANCE` points to; it lies beside the
checkout by default.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import duckdb
import polars as pl
import pytest

import lazyframe as lf
from lazyframe import col, lit
from tests.differential.questions import Questions, check

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("LAZYFRAME_CONFORMANCE", ROOT.parent / "shared" / "conformance")) / "tpch" / "sf0.01"
QUERIES = FOLDER.parent / "queries"
NAMES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no TPC-H tables in {FOLDER}; see LAZYFRAME_CONFORMANCE")

questions = Questions()
ask = questions.ask


@pytest.fixture(scope="module")
def tables():
    return SimpleNamespace(**{name: lf.scan_parquet(FOLDER / f"{name}.parquet") for name in NAMES})


@pytest.fixture(scope="module")
def polars_tables():
    return SimpleNamespace(**{name: pl.scan_parquet(FOLDER / f"{name}.parquet") for name in NAMES})


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as found:
        found.execute("SET TimeZone = 'UTC'; SET threads = 2")
        for name in NAMES:
            found.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{FOLDER / name}.parquet')")
        yield found


ONE = lit(Decimal(1))
VOLUME = col("l_extendedprice") * (ONE - col("l_discount"))
SQL_VOLUME = "l_extendedprice * (1 - l_discount)"
PEER_VOLUME = pl.col("l_extendedprice").cast(pl.Float64) * (1 - pl.col("l_discount").cast(pl.Float64))


@ask(
    f"""SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,
    sum({SQL_VOLUME}) AS sum_disc_price, sum({SQL_VOLUME} * (1 + l_tax)) AS sum_charge, avg(l_quantity) AS avg_qty,
    avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order FROM lineitem
    WHERE l_shipdate <= DATE '1998-09-02' GROUP BY ALL ORDER BY l_returnflag, l_linestatus"""
)
def q01_pricing_summary(t):
    means = {name: col(f"l_{c}").cast("float64").mean() for name, c in
             [("avg_qty", "quantity"), ("avg_price", "extendedprice"), ("avg_disc", "discount")]}  # fmt: skip
    return (
        t.lineitem.filter(col("l_shipdate") <= date(1998, 9, 2))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            sum_qty=col("l_quantity").sum(), sum_base_price=col("l_extendedprice").sum(), sum_disc_price=VOLUME.sum(),
            sum_charge=(VOLUME * (ONE + col("l_tax"))).sum(), **means, count_order=lf.len(),
        )
        .sort("l_returnflag", "l_linestatus")
    )  # fmt: skip


@ask(
    """SELECT s_acctbal, s_name, n_name, p_partkey, p_mfgr FROM part, supplier, partsupp, nation, region
    WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND p_size = 15 AND p_type LIKE '%BRASS'
    AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE' AND ps_supplycost =
    (SELECT min(ps_supplycost) FROM partsupp, supplier, nation, region WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey
    AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE')
    ORDER BY s_acctbal DESC, n_name, s_name, p_partkey LIMIT 100"""
)
def q02_cheapest_supplier(t):
    europe = (
        t.partsupp.join(t.supplier, left_on="ps_suppkey", right_on="s_suppkey")
        .join(t.nation, left_on="s_nationkey", right_on="n_nationkey")
        .join(t.region.filter(r_name="EUROPE"), left_on="n_regionkey", right_on="r_regionkey")
    )
    least = europe.group_by("ps_partkey").agg(ps_supplycost=col("ps_supplycost").min())
    parts = t.part.filter(col("p_size") == 15, col("p_type").str.ends_with("BRASS"))
    return (
        europe.join(least, on=["ps_partkey", "ps_supplycost"])
        .join(parts, left_on="ps_partkey", right_on="p_partkey")
        .select("s_acctbal", "s_name", "n_name", "p_mfgr", p_partkey="ps_partkey")
        .select("s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr")
        .sort(lf.desc("s_acctbal"), "n_name", "s_name", "p_partkey")
        .head(100)
    )


@ask(
    f"""SELECT l_orderkey, sum({SQL_VOLUME}) AS revenue, o_orderdate, o_shippriority FROM customer, orders, lineitem
    WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < DATE '1995-03-15'
    AND l_shipdate > DATE '1995-03-15' GROUP BY ALL ORDER BY revenue DESC, o_orderdate LIMIT 10""",
    lambda t: (
        t.customer.filter(pl.col("c_mktsegment") == "BUILDING")
        .join(t.orders.filter(pl.col("o_orderdate") < date(1995, 3, 15)), left_on="c_custkey", right_on="o_custkey")
        .join(t.lineitem.filter(pl.col("l_shipdate") > date(1995, 3, 15)), left_on="o_orderkey", right_on="l_orderkey")
        .group_by("o_orderkey", "o_orderdate", "o_shippriority")
        .agg(revenue=PEER_VOLUME.sum())
        .sort("revenue", "o_orderdate", descending=[True, False])
        .select("o_orderkey", "revenue", "o_orderdate", "o_shippriority")
        .head(10)
    ),
)
def q03_unshipped_orders(t):
    return (
        t.customer.filter(c_mktsegment="BUILDING")
        .join(t.orders, left_on="c_custkey", right_on="o_custkey")
        .join(t.lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .filter(col("o_orderdate") < "1995-03-15", col("l_shipdate") > "1995-03-15")
        .group_by("o_orderkey", "o_orderdate", "o_shippriority")
        .agg(revenue=VOLUME.sum())
        .select("o_orderkey", "revenue", "o_orderdate", "o_shippriority")
        .sort(lf.desc("revenue"), "o_orderdate")
        .head(10)
    )


@ask(
    """SELECT o_orderpriority, count(*) AS order_count FROM orders WHERE o_orderdate >= DATE '1993-07-01'
    AND o_orderdate < DATE '1993-10-01' AND EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey
    AND l_commitdate < l_receiptdate) GROUP BY o_orderpriority ORDER BY o_orderpriority""",
    lambda t: (
        t.orders.filter(pl.col("o_orderdate").is_between(date(1993, 7, 1), date(1993, 9, 30)))
        .join(t.lineitem.filter(pl.col("l_commitdate") < pl.col("l_receiptdate")), left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .group_by("o_orderpriority").agg(order_count=pl.len()).sort("o_orderpriority")
    ),
)  # fmt: skip
def q04_order_priorities(t):
    late = t.lineitem.filter(col("l_commitdate") < col("l_receiptdate"))
    return (
        t.orders.filter(
            col("o_orderdate") >= date(1993, 7, 1), col("o_orderdate") < lit(date(1993, 7, 1)) + lf.interval(months=3)
        )
        .join(late, left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .group_by("o_orderpriority")
        .len("order_count")
        .sort("o_orderpriority")
    )


@ask(
    f"""SELECT n_name, sum({SQL_VOLUME}) AS revenue FROM customer, orders, lineitem, supplier, nation, region
    WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey
    AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA' AND o_orderdate >= DATE '1994-01-01'
    AND o_orderdate < DATE '1995-01-01' GROUP BY n_name ORDER BY revenue DESC"""
)
def q05_local_suppliers(t):
    return (
        t.region.filter(r_name="ASIA")
        .join(t.nation, left_on="r_regionkey", right_on="n_regionkey")
        .join(t.customer, left_on="n_nationkey", right_on="c_nationkey")
        .join(t.orders.filter(col("o_orderdate").dt.year() == 1994), left_on="c_custkey", right_on="o_custkey")
        .join(t.lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .join(t.supplier, left_on=["l_suppkey", "n_nationkey"], right_on=["s_suppkey", "s_nationkey"])
        .group_by("n_name")
        .agg(revenue=VOLUME.sum())
        .sort("revenue", descending=True)
    )


@ask(
    """SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE l_shipdate >= DATE '1994-01-01'
    AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24"""
)
def q06_forecast(t):
    return t.lineitem.filter(
        col("l_shipdate") >= date(1994, 1, 1), col("l_shipdate") < date(1995, 1, 1),
        col("l_discount").is_between(Decimal("0.05"), Decimal("0.07")), col("l_quantity") < 24,
    ).select(revenue=(col("l_extendedprice") * col("l_discount")).sum())  # fmt: skip


@ask(
    f"""SELECT n1.n_name AS supp, n2.n_name AS cust, year(l_shipdate) AS y, sum({SQL_VOLUME}) AS revenue
    FROM supplier, lineitem, orders, customer, nation n1, nation n2 WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey
    AND c_custkey = o_custkey AND s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey
    AND ((n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY') OR (n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE'))
    AND l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31' GROUP BY ALL ORDER BY supp, cust, y"""
)
def q07_volume_between_nations(t):
    france_and_germany = ((col("supp") == "FRANCE") & (col("cust") == "GERMANY")) | (
        (col("supp") == "GERMANY") & (col("cust") == "FRANCE")
    )
    return (
        t.lineitem.filter(col("l_shipdate").is_between(date(1995, 1, 1), date(1996, 12, 31)))
        .join(t.supplier, left_on="l_suppkey", right_on="s_suppkey")
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .join(t.customer, left_on="o_custkey", right_on="c_custkey")
        .join(t.nation.select("n_nationkey", supp="n_name"), left_on="s_nationkey", right_on="n_nationkey")
        .join(t.nation.select("n_nationkey", cust="n_name"), left_on="c_nationkey", right_on="n_nationkey")
        .filter(france_and_germany)
        .group_by("supp", "cust", y=col("l_shipdate").dt.year())
        .agg(revenue=VOLUME.sum())
        .sort("supp", "cust", "y")
    )


@ask(
    f"""SELECT o_year, sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END)::DOUBLE / sum(volume)::DOUBLE AS share FROM
    (SELECT year(o_orderdate) AS o_year, {SQL_VOLUME} AS volume, n2.n_name AS nation
    FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region WHERE p_partkey = l_partkey
    AND s_suppkey = l_suppkey AND l_orderkey = o_orderkey AND o_custkey = c_custkey AND c_nationkey = n1.n_nationkey
    AND n1.n_regionkey = r_regionkey AND r_name = 'AMERICA' AND s_nationkey = n2.n_nationkey
    AND o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31' AND p_type LIKE 'ECONOMY%') GROUP BY o_year ORDER BY o_year"""
)
def q08_market_share(t):
    volume = (
        t.part.filter(col("p_type").str.like("ECONOMY%"))
        .join(t.lineitem, left_on="p_partkey", right_on="l_partkey")
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .filter(col("o_orderdate").is_between("1995-01-01", "1996-12-31"))
        .join(t.customer, left_on="o_custkey", right_on="c_custkey")
        .join(t.nation, left_on="c_nationkey", right_on="n_nationkey")
        .join(t.region.filter(r_name="AMERICA"), left_on="n_regionkey", right_on="r_regionkey")
        .join(t.supplier, left_on="l_suppkey", right_on="s_suppkey")
        .join(t.nation, left_on="s_nationkey", right_on="n_nationkey", suffix="_s")
        .select(o_year=col("o_orderdate").dt.year(), volume=VOLUME, nation="n_name_s")
    )
    brazil = lf.when(col("nation") == "BRAZIL").then(col("volume")).otherwise(0).sum().cast("float64")
    return volume.group_by("o_year").agg(share=brazil / col("volume").sum().cast("float64")).sort("o_year")


@ask(
    f"""SELECT n_name AS n, year(o_orderdate) AS o_year, sum({SQL_VOLUME} - ps_supplycost * l_quantity) AS profit
    FROM part, supplier, lineitem, partsupp, orders, nation WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey
    AND ps_partkey = l_partkey AND p_partkey = l_partkey AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey
    AND p_name LIKE '%green%' GROUP BY n, o_year ORDER BY n, o_year DESC""",
    lambda t: (
        t.part.filter(pl.col("p_name").str.contains("green", literal=True))
        .join(t.lineitem, left_on="p_partkey", right_on="l_partkey")
        .join(t.partsupp, left_on=["p_partkey", "l_suppkey"], right_on=["ps_partkey", "ps_suppkey"])
        .join(t.supplier, left_on="l_suppkey", right_on="s_suppkey")
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .join(t.nation, left_on="s_nationkey", right_on="n_nationkey")
        .group_by(nation="n_name", o_year=pl.col("o_orderdate").dt.year())
        .agg(
            profit=(
                PEER_VOLUME - pl.col("ps_supplycost").cast(pl.Float64) * pl.col("l_quantity").cast(pl.Float64)
            ).sum()
        )
        .sort("nation", "o_year", descending=[False, True])
    ),
)
def q09_profit(t):
    amount = VOLUME - col("ps_supplycost") * col("l_quantity")
    return (
        t.part.filter(col("p_name").str.contains("green"))
        .join(t.lineitem, left_on="p_partkey", right_on="l_partkey")
        .join(t.partsupp, left_on=["p_partkey", "l_suppkey"], right_on=["ps_partkey", "ps_suppkey"])
        .join(t.supplier, left_on="l_suppkey", right_on="s_suppkey")
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .join(t.nation, left_on="s_nationkey", right_on="n_nationkey")
        .group_by(nation="n_name", o_year=col("o_orderdate").dt.year())
        .agg(profit=amount.sum())
        .sort("nation", lf.desc("o_year"))
    )


@ask(
    f"""SELECT c_custkey, c_name, sum({SQL_VOLUME}) AS revenue, c_acctbal, n_name FROM customer, orders, lineitem, nation
    WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= DATE '1993-10-01'
    AND o_orderdate < DATE '1994-01-01' AND l_returnflag = 'R' AND c_nationkey = n_nationkey
    GROUP BY c_custkey, c_name, c_acctbal, n_name ORDER BY revenue DESC LIMIT 20"""
)
def q10_returned_items(t):
    quarter = t.orders.filter(col("o_orderdate").dt.truncate("1q") == date(1993, 10, 1))
    return (
        t.customer.join(quarter, left_on="c_custkey", right_on="o_custkey")
        .join(t.lineitem.filter(l_returnflag="R"), left_on="o_orderkey", right_on="l_orderkey")
        .join(t.nation, left_on="c_nationkey", right_on="n_nationkey")
        .group_by("c_custkey", "c_name", "c_acctbal", "n_name")
        .agg(revenue=VOLUME.sum())
        .top_k(20, by="revenue")
        .select("c_custkey", "c_name", "revenue", "c_acctbal", "n_name")
    )


@ask(
    """SELECT ps_partkey, sum(ps_supplycost * ps_availqty) AS value FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey
    AND s_nationkey = n_nationkey AND n_name = 'GERMANY' GROUP BY ps_partkey HAVING sum(ps_supplycost * ps_availqty) >
    (SELECT sum(ps_supplycost * ps_availqty) * 0.01 FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey
    AND s_nationkey = n_nationkey AND n_name = 'GERMANY') ORDER BY value DESC, ps_partkey"""
)
def q11_important_stock(t):
    german = t.partsupp.join(t.supplier, left_on="ps_suppkey", right_on="s_suppkey").join(
        t.nation.filter(n_name="GERMANY"), left_on="s_nationkey", right_on="n_nationkey"
    )
    values = german.group_by("ps_partkey").agg(value=(col("ps_supplycost") * col("ps_availqty")).sum())
    return values.filter(col("value") > col("value").sum() * Decimal("0.01")).sort(lf.desc("value"), "ps_partkey")


@ask(
    """SELECT l_shipmode, sum(CASE WHEN o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS high,
    count(*) FILTER (WHERE o_orderpriority NOT IN ('1-URGENT', '2-HIGH')) AS low FROM orders, lineitem
    WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate
    AND l_shipdate < l_commitdate AND l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < DATE '1995-01-01'
    GROUP BY l_shipmode ORDER BY l_shipmode"""
)
def q12_shipping_modes(t):
    urgent = col("o_orderpriority").is_in(["1-URGENT", "2-HIGH"])
    lines = t.lineitem.filter(
        col("l_shipmode").is_in(["MAIL", "SHIP"]), col("l_commitdate") < col("l_receiptdate"),
        col("l_shipdate") < col("l_commitdate"), col("l_receiptdate").is_between(date(1994, 1, 1), date(1995, 1, 1), "left"),
    )  # fmt: skip
    return (
        t.orders.join(lines, left_on="o_orderkey", right_on="l_orderkey")
        .group_by("l_shipmode")
        .agg(high=urgent.cast("int64").sum(), low=lf.len().filter(~urgent))
        .sort("l_shipmode")
    )


@ask(
    """SELECT c_count, count(*) AS custdist FROM (SELECT c_custkey, count(o_orderkey) AS c_count FROM customer
    LEFT JOIN orders ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%' GROUP BY c_custkey)
    GROUP BY c_count ORDER BY custdist DESC, c_count DESC"""
)
def q13_customers_by_orders(t):
    on = (col("c_custkey") == col("o_custkey")) & ~col("o_comment").str.like("%special%requests%")
    return (
        t.customer.join(t.orders, on=on, how="left")
        .group_by("c_custkey")
        .agg(c_count=col("o_orderkey").count())
        .group_by("c_count")
        .agg(custdist=lf.len())
        .sort("custdist", "c_count", descending=True)
    )


@ask(
    f"""SELECT 100.00 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN {SQL_VOLUME} ELSE 0 END)::DOUBLE / sum({SQL_VOLUME})::DOUBLE AS share
    FROM lineitem, part WHERE l_partkey = p_partkey AND l_shipdate >= DATE '1995-09-01' AND l_shipdate < DATE '1995-10-01'"""
)
def q14_promotions(t):
    joined = t.lineitem.join(t.part, left_on="l_partkey", right_on="p_partkey")
    september = joined.filter(col("l_shipdate") >= date(1995, 9, 1), col("l_shipdate") < date(1995, 10, 1))
    promoted = VOLUME.filter(col("p_type").str.starts_with("PROMO")).sum().cast("float64")
    return september.select(share=promoted * 100.0 / VOLUME.sum().cast("float64"))


@ask(
    f"""WITH revenue AS (SELECT l_suppkey, sum({SQL_VOLUME}) AS total FROM lineitem WHERE l_shipdate >= DATE '1996-01-01'
    AND l_shipdate < DATE '1996-04-01' GROUP BY l_suppkey) SELECT s_suppkey, s_name, total FROM supplier, revenue
    WHERE s_suppkey = l_suppkey AND total = (SELECT max(total) FROM revenue) ORDER BY s_suppkey"""
)
def q15_top_supplier(t):
    quarter = t.lineitem.filter(col("l_shipdate").is_between(date(1996, 1, 1), date(1996, 3, 31)))
    revenue = quarter.group_by("l_suppkey").agg(total=VOLUME.sum())
    best = revenue.filter(col("total") == col("total").max())
    return (
        t.supplier.join(best, left_on="s_suppkey", right_on="l_suppkey")
        .select("s_suppkey", "s_name", "total")
        .sort("s_suppkey")
    )


@ask(
    """SELECT p_brand, p_type, p_size, count(DISTINCT ps_suppkey) AS n FROM partsupp, part WHERE p_partkey = ps_partkey
    AND p_brand <> 'Brand#45' AND p_type NOT LIKE 'MEDIUM POLISHED%' AND p_size IN (49, 14, 23, 45, 19, 3, 36, 9)
    AND ps_suppkey NOT IN (SELECT s_suppkey FROM supplier WHERE s_comment LIKE '%Customer%Complaints%')
    GROUP BY ALL ORDER BY n DESC, p_brand, p_type, p_size""",
    lambda t: (
        t.part.filter(pl.col("p_brand") != "Brand#45", ~pl.col("p_type").str.starts_with("MEDIUM POLISHED"),
                      pl.col("p_size").is_in([49, 14, 23, 45, 19, 3, 36, 9]))
        .join(t.partsupp, left_on="p_partkey", right_on="ps_partkey")
        .join(t.supplier.filter(pl.col("s_comment").str.contains("Customer.*Complaints")), left_on="ps_suppkey",
              right_on="s_suppkey", how="anti")
        .group_by("p_brand", "p_type", "p_size").agg(n=pl.col("ps_suppkey").n_unique())
        .sort("n", "p_brand", "p_type", "p_size", descending=[True, False, False, False])
    ),
)  # fmt: skip
def q16_suppliers_of_parts(t):
    complaints = t.supplier.filter(col("s_comment").str.like("%Customer%Complaints%"))
    parts = t.part.filter(
        col("p_brand") != "Brand#45",
        ~col("p_type").str.like("MEDIUM POLISHED%"),
        col("p_size").is_in([49, 14, 23, 45, 19, 3, 36, 9]),
    )
    return (
        parts.join(t.partsupp, left_on="p_partkey", right_on="ps_partkey")
        .join(complaints, left_on="ps_suppkey", right_on="s_suppkey", how="anti")
        .group_by("p_brand", "p_type", "p_size")
        .agg(n=col("ps_suppkey").n_unique())
        .sort(lf.desc("n"), "p_brand", "p_type", "p_size")
    )


@ask(
    """SELECT sum(l_extendedprice)::DOUBLE / 7.0 AS yearly FROM lineitem, part WHERE p_partkey = l_partkey AND p_brand = 'Brand#23'
    AND l_quantity < (SELECT 0.2 * avg(l_quantity) FROM lineitem WHERE l_partkey = p_partkey)"""
)
def q17_small_quantities(t):
    mean = t.lineitem.group_by("l_partkey").agg(limit=Decimal("0.2") * col("l_quantity").mean())
    lines = t.lineitem.join(t.part.filter(p_brand="Brand#23"), left_on="l_partkey", right_on="p_partkey").join(
        mean, on="l_partkey"
    )
    return lines.filter(col("l_quantity") < col("limit")).select(
        yearly=col("l_extendedprice").sum().cast("float64") / 7.0
    )


@ask(
    """SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) AS q FROM customer, orders, lineitem
    WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 250)
    AND c_custkey = o_custkey AND o_orderkey = l_orderkey GROUP BY ALL ORDER BY o_totalprice DESC, o_orderdate LIMIT 100""",
    lambda t: (
        t.lineitem.group_by("l_orderkey").agg(q=pl.col("l_quantity").cast(pl.Float64).sum()).filter(pl.col("q") > 250)
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey").join(t.customer, left_on="o_custkey", right_on="c_custkey")
        .sort("o_totalprice", "o_orderdate", descending=[True, False]).head(100)
        .select("c_name", "o_custkey", "l_orderkey", "o_orderdate", "o_totalprice", "q")
    ),
)  # fmt: skip
def q18_large_orders(t):
    large = t.lineitem.group_by("l_orderkey").agg(q=col("l_quantity").sum()).filter(col("q") > 250)
    return (
        t.orders.join(large, left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .join(t.customer, left_on="o_custkey", right_on="c_custkey")
        .join(t.lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .group_by("c_name", "o_custkey", "o_orderkey", "o_orderdate", "o_totalprice")
        .agg(q=col("l_quantity").sum())
        .sort(lf.desc("o_totalprice"), "o_orderdate")
        .head(100)
    )


_KINDS = [("Brand#12", "SM", 1, 5), ("Brand#23", "MED", 10, 10), ("Brand#34", "LG", 20, 15)]
_SQL_KINDS = " OR ".join(
    f"(p_partkey = l_partkey AND p_brand = '{brand}' AND p_container LIKE '{size} %' AND l_quantity BETWEEN {low} AND {low + 10} "
    f"AND p_size BETWEEN 1 AND {high} AND l_shipmode IN ('AIR', 'AIR REG'))"
    for brand, size, low, high in _KINDS
)


@ask(f"SELECT sum({SQL_VOLUME}) AS revenue, count(*) AS n FROM lineitem, part WHERE {_SQL_KINDS}")
def q19_discounted_revenue(t):
    kinds = [
        (col("p_brand") == brand) & col("p_container").str.starts_with(f"{size} ") & col("l_quantity").is_between(low, low + 10)
        & col("p_size").is_between(1, high)
        for brand, size, low, high in _KINDS
    ]  # fmt: skip
    on = (
        (col("p_partkey") == col("l_partkey")) & lf.any_horizontal(*kinds) & col("l_shipmode").is_in(["AIR", "AIR REG"])
    )
    return t.lineitem.join(t.part, on=on).select(revenue=VOLUME.sum(), n=lf.len())


@ask(
    """SELECT s_name FROM supplier, nation WHERE s_suppkey IN (SELECT ps_suppkey FROM partsupp WHERE ps_partkey IN
    (SELECT p_partkey FROM part WHERE p_name LIKE '%or%') AND ps_availqty > (SELECT 0.5 * sum(l_quantity) FROM lineitem
    WHERE l_partkey = ps_partkey AND l_suppkey = ps_suppkey AND l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'))
    AND s_nationkey = n_nationkey AND n_name IN ('CANADA', 'CHINA') ORDER BY s_name"""
)
def q20_surplus(t):
    shipped = (
        t.lineitem.filter(col("l_shipdate").dt.year() == 1994)
        .group_by("l_partkey", "l_suppkey")
        .agg(half=col("l_quantity").sum() * Decimal("0.5"))
    )
    surplus = (
        t.partsupp.join(
            t.part.filter(col("p_name").str.contains("or")), left_on="ps_partkey", right_on="p_partkey", how="semi"
        )
        .join(shipped, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
        .filter(col("ps_availqty") > col("half"))
    )
    nations = t.nation.filter(col("n_name").is_in(["CANADA", "CHINA"]))
    return (
        t.supplier.join(nations, left_on="s_nationkey", right_on="n_nationkey", how="semi")
        .join(surplus, left_on="s_suppkey", right_on="ps_suppkey", how="semi")
        .select("s_name")
        .sort("s_name")
    )


@ask(
    """SELECT s_name, count(*) AS numwait FROM supplier, lineitem l1, orders, nation WHERE s_suppkey = l1.l_suppkey
    AND o_orderkey = l1.l_orderkey AND o_orderstatus = 'F' AND l1.l_receiptdate > l1.l_commitdate
    AND EXISTS (SELECT * FROM lineitem l2 WHERE l2.l_orderkey = l1.l_orderkey AND l2.l_suppkey <> l1.l_suppkey)
    AND NOT EXISTS (SELECT * FROM lineitem l3 WHERE l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey
    AND l3.l_receiptdate > l3.l_commitdate) AND s_nationkey = n_nationkey AND n_name = 'SAUDI ARABIA'
    GROUP BY s_name ORDER BY numwait DESC, s_name LIMIT 100"""
)
def q21_waiting_suppliers(t):
    late = t.lineitem.filter(col("l_receiptdate") > col("l_commitdate"))
    another = (col("l_orderkey") == col("l_orderkey_o")) & (col("l_suppkey") != col("l_suppkey_o"))
    saudi = t.supplier.join(t.nation.filter(n_name="SAUDI ARABIA"), left_on="s_nationkey", right_on="n_nationkey")
    return (
        late.join(t.lineitem, on=another, how="semi", suffix="_o")
        .join(late, on=another, how="anti", suffix="_o")
        .join(t.orders.filter(o_orderstatus="F"), left_on="l_orderkey", right_on="o_orderkey", how="semi")
        .join(saudi, left_on="l_suppkey", right_on="s_suppkey")
        .group_by("s_name")
        .len("numwait")
        .sort(lf.desc("numwait"), "s_name")
        .head(100)
    )


@ask(
    """SELECT cntrycode, count(*) AS numcust, sum(c_acctbal) AS total FROM (SELECT substring(c_phone FROM 1 FOR 2) AS cntrycode,
    c_acctbal FROM customer WHERE cntrycode IN ('13', '31', '23', '29', '30', '18', '17') AND c_acctbal >
    (SELECT avg(c_acctbal) FROM customer WHERE c_acctbal > 0.00 AND substring(c_phone FROM 1 FOR 2) IN
    ('13', '31', '23', '29', '30', '18', '17')) AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey))
    GROUP BY cntrycode ORDER BY cntrycode"""
)
def q22_sales_opportunity(t):
    customers = t.customer.with_columns(cntrycode=col("c_phone").str.slice(0, 2)).filter(
        col("cntrycode").is_in(["13", "31", "23", "29", "30", "18", "17"])
    )
    return (
        customers.filter(col("c_acctbal") > col("c_acctbal").mean().filter(col("c_acctbal") > 0))
        .join(t.orders, left_on="c_custkey", right_on="o_custkey", how="anti")
        .group_by("cntrycode")
        .agg(numcust=lf.len(), total=col("c_acctbal").sum())
        .sort("cntrycode")
    )


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
