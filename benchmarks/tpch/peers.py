"""The 22 queries of TPC-H in the API of Polars, as close to ours as it allows.

Each is a function from the eight tables, as attributes, to a `LazyFrame` of Polars. As with ours it is one list, and long.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
from polars import col

_REVENUE = col("l_extendedprice") * (1 - col("l_discount"))


def q01(t: Any) -> pl.LazyFrame:
    return (
        t.lineitem.filter(col("l_shipdate") <= date(1998, 9, 2))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            sum_qty=col("l_quantity").sum(),
            sum_base_price=col("l_extendedprice").sum(),
            sum_disc_price=_REVENUE.sum(),
            sum_charge=(_REVENUE * (1 + col("l_tax"))).sum(),
            avg_qty=col("l_quantity").cast(pl.Float64).mean(),
            avg_price=col("l_extendedprice").cast(pl.Float64).mean(),
            avg_disc=col("l_discount").cast(pl.Float64).mean(),
            count_order=pl.len(),
        )
        .sort("l_returnflag", "l_linestatus")
    )


def q02(t: Any) -> pl.LazyFrame:
    offers = (
        t.partsupp.join(t.supplier, left_on="ps_suppkey", right_on="s_suppkey")
        .join(t.nation, left_on="s_nationkey", right_on="n_nationkey")
        .join(t.region.filter(col("r_name") == "EUROPE"), left_on="n_regionkey", right_on="r_regionkey")
    )
    least = offers.group_by("ps_partkey").agg(ps_supplycost=col("ps_supplycost").min())
    parts = t.part.filter(col("p_size") == 15, col("p_type").str.ends_with("BRASS"))
    return (
        offers.join(least, on=["ps_partkey", "ps_supplycost"])
        .join(parts, left_on="ps_partkey", right_on="p_partkey")
        .with_columns(p_partkey="ps_partkey")
        .select("s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment")
        .sort("s_acctbal", "n_name", "s_name", "p_partkey", descending=[True, False, False, False])
        .head(100)
    )


def q03(t: Any) -> pl.LazyFrame:
    return (
        t.customer.filter(col("c_mktsegment") == "BUILDING")
        .join(t.orders.filter(col("o_orderdate") < date(1995, 3, 15)), left_on="c_custkey", right_on="o_custkey")
        .join(t.lineitem.filter(col("l_shipdate") > date(1995, 3, 15)), left_on="o_orderkey", right_on="l_orderkey")
        .group_by("o_orderkey", "o_orderdate", "o_shippriority")
        .agg(revenue=_REVENUE.sum())
        .select("o_orderkey", "revenue", "o_orderdate", "o_shippriority")
        .sort("revenue", "o_orderdate", descending=[True, False])
        .head(10)
    )


def q04(t: Any) -> pl.LazyFrame:
    late = t.lineitem.filter(col("l_commitdate") < col("l_receiptdate"))
    return (
        t.orders.filter(col("o_orderdate").is_between(date(1993, 7, 1), date(1993, 10, 1), "left"))
        .join(late, left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .group_by("o_orderpriority")
        .agg(order_count=pl.len())
        .sort("o_orderpriority")
    )


def q05(t: Any) -> pl.LazyFrame:
    year = t.orders.filter(col("o_orderdate").is_between(date(1994, 1, 1), date(1995, 1, 1), "left"))
    return (
        t.region.filter(col("r_name") == "ASIA")
        .join(t.nation, left_on="r_regionkey", right_on="n_regionkey")
        .join(t.customer, left_on="n_nationkey", right_on="c_nationkey")
        .join(year, left_on="c_custkey", right_on="o_custkey")
        .join(t.lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .join(t.supplier, left_on=["l_suppkey", "n_nationkey"], right_on=["s_suppkey", "s_nationkey"])
        .group_by("n_name")
        .agg(revenue=_REVENUE.sum())
        .sort("revenue", descending=True)
    )


def q06(t: Any) -> pl.LazyFrame:
    return t.lineitem.filter(
        col("l_shipdate").is_between(date(1994, 1, 1), date(1995, 1, 1), "left"),
        col("l_discount").cast(pl.Float64).is_between(0.0499, 0.0701),
        col("l_quantity") < 24,
    ).select(revenue=(col("l_extendedprice") * col("l_discount")).sum())


def q07(t: Any) -> pl.LazyFrame:
    there = (col("supp_nation") == "FRANCE") & (col("cust_nation") == "GERMANY")
    back = (col("supp_nation") == "GERMANY") & (col("cust_nation") == "FRANCE")
    suppliers = t.nation.select("n_nationkey", supp_nation="n_name")
    customers = t.nation.select("n_nationkey", cust_nation="n_name")
    return (
        t.lineitem.filter(col("l_shipdate").is_between(date(1995, 1, 1), date(1996, 12, 31)))
        .join(t.supplier, left_on="l_suppkey", right_on="s_suppkey")
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .join(t.customer, left_on="o_custkey", right_on="c_custkey")
        .join(suppliers, left_on="s_nationkey", right_on="n_nationkey")
        .join(customers, left_on="c_nationkey", right_on="n_nationkey")
        .filter(there | back)
        .group_by("supp_nation", "cust_nation", l_year=col("l_shipdate").dt.year())
        .agg(revenue=_REVENUE.sum())
        .sort("supp_nation", "cust_nation", "l_year")
    )


def q08(t: Any) -> pl.LazyFrame:
    volume = (
        t.part.filter(col("p_type") == "ECONOMY ANODIZED STEEL")
        .join(t.lineitem, left_on="p_partkey", right_on="l_partkey")
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .filter(col("o_orderdate").is_between(date(1995, 1, 1), date(1996, 12, 31)))
        .join(t.customer, left_on="o_custkey", right_on="c_custkey")
        .join(t.nation, left_on="c_nationkey", right_on="n_nationkey")
        .join(t.region.filter(col("r_name") == "AMERICA"), left_on="n_regionkey", right_on="r_regionkey")
        .join(t.supplier, left_on="l_suppkey", right_on="s_suppkey")
        .join(t.nation, left_on="s_nationkey", right_on="n_nationkey", suffix="_of_supplier")
        .select(o_year=col("o_orderdate").dt.year(), volume=_REVENUE.cast(pl.Float64), nation="n_name_of_supplier")
    )
    brazil = col("volume").filter(col("nation") == "BRAZIL").sum()
    return volume.group_by("o_year").agg(mkt_share=brazil / col("volume").sum()).sort("o_year")


def q09(t: Any) -> pl.LazyFrame:
    amount = _REVENUE - col("ps_supplycost") * col("l_quantity")
    return (
        t.part.filter(col("p_name").str.contains("green", literal=True))
        .join(t.lineitem, left_on="p_partkey", right_on="l_partkey")
        .join(t.partsupp, left_on=["p_partkey", "l_suppkey"], right_on=["ps_partkey", "ps_suppkey"])
        .join(t.supplier, left_on="l_suppkey", right_on="s_suppkey")
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .join(t.nation, left_on="s_nationkey", right_on="n_nationkey")
        .group_by(nation="n_name", o_year=col("o_orderdate").dt.year())
        .agg(sum_profit=amount.sum())
        .sort("nation", "o_year", descending=[False, True])
    )


def q10(t: Any) -> pl.LazyFrame:
    quarter = t.orders.filter(col("o_orderdate").is_between(date(1993, 10, 1), date(1994, 1, 1), "left"))
    return (
        t.customer.join(quarter, left_on="c_custkey", right_on="o_custkey")
        .join(t.lineitem.filter(col("l_returnflag") == "R"), left_on="o_orderkey", right_on="l_orderkey")
        .join(t.nation, left_on="c_nationkey", right_on="n_nationkey")
        .group_by("c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment")
        .agg(revenue=_REVENUE.sum())
        .sort("revenue", descending=True)
        .head(20)
        .select("c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment")
    )


def q11(t: Any) -> pl.LazyFrame:
    german = t.partsupp.join(t.supplier, left_on="ps_suppkey", right_on="s_suppkey").join(
        t.nation.filter(col("n_name") == "GERMANY"), left_on="s_nationkey", right_on="n_nationkey"
    )
    worth = (col("ps_supplycost") * col("ps_availqty")).cast(pl.Float64)
    values = german.group_by("ps_partkey").agg(value=worth.sum())
    return values.filter(col("value") > col("value").sum() * 0.0001).sort(
        "value", "ps_partkey", descending=[True, False]
    )


def q12(t: Any) -> pl.LazyFrame:
    urgent = col("o_orderpriority").is_in(["1-URGENT", "2-HIGH"])
    lines = t.lineitem.filter(
        col("l_shipmode").is_in(["MAIL", "SHIP"]),
        col("l_shipdate") < col("l_commitdate"),
        col("l_commitdate") < col("l_receiptdate"),
        col("l_receiptdate").is_between(date(1994, 1, 1), date(1995, 1, 1), "left"),
    )
    return (
        t.orders.join(lines, left_on="o_orderkey", right_on="l_orderkey")
        .group_by("l_shipmode")
        .agg(high_line_count=urgent.sum(), low_line_count=(~urgent).sum())
        .sort("l_shipmode")
    )


def q13(t: Any) -> pl.LazyFrame:
    orders = t.orders.filter(~col("o_comment").str.contains("special.*requests"))
    return (
        t.customer.join(orders, left_on="c_custkey", right_on="o_custkey", how="left")
        .group_by("c_custkey")
        .agg(c_count=col("o_orderkey").count())
        .group_by("c_count")
        .agg(custdist=pl.len())
        .sort("custdist", "c_count", descending=True)
    )


def q14(t: Any) -> pl.LazyFrame:
    revenue = _REVENUE.cast(pl.Float64)
    return (
        t.lineitem.filter(col("l_shipdate").is_between(date(1995, 9, 1), date(1995, 10, 1), "left"))
        .join(t.part, left_on="l_partkey", right_on="p_partkey")
        .select(promo_revenue=100 * revenue.filter(col("p_type").str.starts_with("PROMO")).sum() / revenue.sum())
    )


def q15(t: Any) -> pl.LazyFrame:
    quarter = t.lineitem.filter(col("l_shipdate").is_between(date(1996, 1, 1), date(1996, 4, 1), "left"))
    revenue = quarter.group_by("l_suppkey").agg(total_revenue=_REVENUE.sum())
    best = revenue.filter(col("total_revenue") == col("total_revenue").max())
    return (
        t.supplier.join(best, left_on="s_suppkey", right_on="l_suppkey")
        .select("s_suppkey", "s_name", "s_address", "s_phone", "total_revenue")
        .sort("s_suppkey")
    )


def q16(t: Any) -> pl.LazyFrame:
    parts = t.part.filter(
        col("p_brand") != "Brand#45",
        ~col("p_type").str.starts_with("MEDIUM POLISHED"),
        col("p_size").is_in([49, 14, 23, 45, 19, 3, 36, 9]),
    )
    complaints = t.supplier.filter(col("s_comment").str.contains("Customer.*Complaints"))
    return (
        parts.join(t.partsupp, left_on="p_partkey", right_on="ps_partkey")
        .join(complaints, left_on="ps_suppkey", right_on="s_suppkey", how="anti")
        .group_by("p_brand", "p_type", "p_size")
        .agg(supplier_cnt=col("ps_suppkey").n_unique())
        .sort("supplier_cnt", "p_brand", "p_type", "p_size", descending=[True, False, False, False])
    )


def q17(t: Any) -> pl.LazyFrame:
    parts = t.part.filter(col("p_brand") == "Brand#23", col("p_container") == "MED BOX")
    means = t.lineitem.group_by("l_partkey").agg(mean=col("l_quantity").cast(pl.Float64).mean())
    return (
        t.lineitem.join(parts, left_on="l_partkey", right_on="p_partkey")
        .join(means, on="l_partkey")
        .filter(col("l_quantity").cast(pl.Float64) < col("mean") * 0.2)
        # The sum of nothing is 0 to Polars, and null to SQL.
        .select(avg_yearly=pl.when(pl.len() > 0).then(col("l_extendedprice").sum().cast(pl.Float64) / 7))
    )


def q18(t: Any) -> pl.LazyFrame:
    large = t.lineitem.group_by("l_orderkey").agg(quantity=col("l_quantity").sum()).filter(col("quantity") > 300)
    return (
        t.orders.join(large, left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .join(t.customer, left_on="o_custkey", right_on="c_custkey")
        .join(t.lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .group_by("c_name", "o_custkey", "o_orderkey", "o_orderdate", "o_totalprice")
        .agg(quantity=col("l_quantity").sum())
        .sort("o_totalprice", "o_orderdate", descending=[True, False])
        .head(100)
    )


def q19(t: Any) -> pl.LazyFrame:
    kinds = [
        (col("p_brand") == brand)
        & col("p_container").is_in([f"{size} {shape}" for shape in shapes])
        & col("l_quantity").is_between(least, least + 10)
        & col("p_size").is_between(1, most)
        for brand, size, shapes, least, most in [
            ("Brand#12", "SM", ["CASE", "BOX", "PACK", "PKG"], 1, 5),
            ("Brand#23", "MED", ["BAG", "BOX", "PKG", "PACK"], 10, 10),
            ("Brand#34", "LG", ["CASE", "BOX", "PACK", "PKG"], 20, 15),
        ]
    ]
    by_air = col("l_shipmode").is_in(["AIR", "AIR REG"]) & (col("l_shipinstruct") == "DELIVER IN PERSON")
    return (
        t.lineitem.filter(by_air)
        .join(t.part, left_on="l_partkey", right_on="p_partkey")
        .filter(pl.any_horizontal(*kinds))
        .select(revenue=_REVENUE.sum())
    )


def q20(t: Any) -> pl.LazyFrame:
    shipped = (
        t.lineitem.filter(col("l_shipdate").is_between(date(1994, 1, 1), date(1995, 1, 1), "left"))
        .group_by("l_partkey", "l_suppkey")
        .agg(half=col("l_quantity").sum().cast(pl.Float64) * 0.5)
    )
    forest = t.part.filter(col("p_name").str.starts_with("forest"))
    surplus = (
        t.partsupp.join(forest, left_on="ps_partkey", right_on="p_partkey", how="semi")
        .join(shipped, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
        .filter(col("ps_availqty") > col("half"))
    )
    canada = t.nation.filter(col("n_name") == "CANADA")
    return (
        t.supplier.join(canada, left_on="s_nationkey", right_on="n_nationkey", how="semi")
        .join(surplus, left_on="s_suppkey", right_on="ps_suppkey", how="semi")
        .select("s_name", "s_address")
        .sort("s_name")
    )


def q21(t: Any) -> pl.LazyFrame:
    # Polars has no semi join with a condition: orders of several suppliers, and of one late supplier, are counted.
    late = t.lineitem.filter(col("l_receiptdate") > col("l_commitdate"))
    of_several = t.lineitem.group_by("l_orderkey").agg(n=col("l_suppkey").n_unique()).filter(col("n") > 1)
    of_one_late = late.group_by("l_orderkey").agg(n=col("l_suppkey").n_unique()).filter(col("n") == 1)
    saudi = t.supplier.join(
        t.nation.filter(col("n_name") == "SAUDI ARABIA"), left_on="s_nationkey", right_on="n_nationkey"
    )
    failed = t.orders.filter(col("o_orderstatus") == "F")
    return (
        late.join(of_several, on="l_orderkey", how="semi")
        .join(of_one_late, on="l_orderkey", how="semi")
        .join(failed, left_on="l_orderkey", right_on="o_orderkey", how="semi")
        .join(saudi, left_on="l_suppkey", right_on="s_suppkey")
        .group_by("s_name")
        .agg(numwait=pl.len())
        .sort("numwait", "s_name", descending=[True, False])
        .head(100)
    )


def q22(t: Any) -> pl.LazyFrame:
    customers = t.customer.with_columns(
        cntrycode=col("c_phone").str.slice(0, 2), balance=col("c_acctbal").cast(pl.Float64)
    ).filter(col("cntrycode").is_in(["13", "31", "23", "29", "30", "18", "17"]))
    return (
        customers.filter(col("balance") > col("balance").filter(col("balance") > 0).mean())
        .join(t.orders, left_on="c_custkey", right_on="o_custkey", how="anti")
        .group_by("cntrycode")
        .agg(numcust=pl.len(), totacctbal=col("c_acctbal").sum())
        .sort("cntrycode")
    )
