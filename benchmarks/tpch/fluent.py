"""The 22 queries of TPC-H as a user of the fluent API writes them, with the parameters by which the standard validates.

Each is a function from the eight tables, as attributes, to a frame. It is one file, and longer than others, because it is
one list.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import lazyframe as lf
from lazyframe import col, lit

_ONE = lit(Decimal(1))
_REVENUE = col("l_extendedprice") * (_ONE - col("l_discount"))


def q01(t: Any) -> lf.LazyFrame:
    """Pricing summary report."""
    return (
        t.lineitem.filter(col("l_shipdate") <= date(1998, 9, 2))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            sum_qty=col("l_quantity").sum(),
            sum_base_price=col("l_extendedprice").sum(),
            sum_disc_price=_REVENUE.sum(),
            sum_charge=(_REVENUE * (_ONE + col("l_tax"))).sum(),
            avg_qty=col("l_quantity").cast("float64").mean(),
            avg_price=col("l_extendedprice").cast("float64").mean(),
            avg_disc=col("l_discount").cast("float64").mean(),
            count_order=lf.len(),
        )
        .sort("l_returnflag", "l_linestatus")
    )


def q02(t: Any) -> lf.LazyFrame:
    """Minimum cost supplier."""
    offers = (
        t.partsupp.join(t.supplier, left_on="ps_suppkey", right_on="s_suppkey")
        .join(t.nation, left_on="s_nationkey", right_on="n_nationkey")
        .join(t.region.filter(r_name="EUROPE"), left_on="n_regionkey", right_on="r_regionkey")
    )
    least = offers.group_by("ps_partkey").agg(ps_supplycost=col("ps_supplycost").min())
    parts = t.part.filter(col("p_size") == 15, col("p_type").str.ends_with("BRASS"))
    return (
        offers.join(least, on=["ps_partkey", "ps_supplycost"])
        .join(parts, left_on="ps_partkey", right_on="p_partkey")
        .with_columns(p_partkey="ps_partkey")
        .select("s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment")
        .sort(lf.desc("s_acctbal"), "n_name", "s_name", "p_partkey")
        .head(100)
    )


def q03(t: Any) -> lf.LazyFrame:
    """Shipping priority."""
    return (
        t.customer.filter(c_mktsegment="BUILDING")
        .join(t.orders, left_on="c_custkey", right_on="o_custkey")
        .join(t.lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .filter(col("o_orderdate") < "1995-03-15", col("l_shipdate") > "1995-03-15")
        .group_by("o_orderkey", "o_orderdate", "o_shippriority")
        .agg(revenue=_REVENUE.sum())
        .select("o_orderkey", "revenue", "o_orderdate", "o_shippriority")
        .sort(lf.desc("revenue"), "o_orderdate")
        .head(10)
    )


def q04(t: Any) -> lf.LazyFrame:
    """Order priority checking."""
    first = lit(date(1993, 7, 1))
    late = t.lineitem.filter(col("l_commitdate") < col("l_receiptdate"))
    return (
        t.orders.filter(col("o_orderdate") >= first, col("o_orderdate") < first + lf.interval(months=3))
        .join(late, left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .group_by("o_orderpriority")
        .len("order_count")
        .sort("o_orderpriority")
    )


def q05(t: Any) -> lf.LazyFrame:
    """Local supplier volume."""
    return (
        t.region.filter(r_name="ASIA")
        .join(t.nation, left_on="r_regionkey", right_on="n_regionkey")
        .join(t.customer, left_on="n_nationkey", right_on="c_nationkey")
        .join(t.orders.filter(col("o_orderdate").dt.year() == 1994), left_on="c_custkey", right_on="o_custkey")
        .join(t.lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .join(t.supplier, left_on=["l_suppkey", "n_nationkey"], right_on=["s_suppkey", "s_nationkey"])
        .group_by("n_name")
        .agg(revenue=_REVENUE.sum())
        .sort("revenue", descending=True)
    )


def q06(t: Any) -> lf.LazyFrame:
    """Forecasting revenue change."""
    return t.lineitem.filter(
        col("l_shipdate").is_between(date(1994, 1, 1), date(1995, 1, 1), "left"),
        col("l_discount").is_between(Decimal("0.05"), Decimal("0.07")),
        col("l_quantity") < 24,
    ).select(revenue=(col("l_extendedprice") * col("l_discount")).sum())


def q07(t: Any) -> lf.LazyFrame:
    """Volume shipping."""
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


def q08(t: Any) -> lf.LazyFrame:
    """National market share."""
    volume = (
        t.part.filter(p_type="ECONOMY ANODIZED STEEL")
        .join(t.lineitem, left_on="p_partkey", right_on="l_partkey")
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .filter(col("o_orderdate").is_between("1995-01-01", "1996-12-31"))
        .join(t.customer, left_on="o_custkey", right_on="c_custkey")
        .join(t.nation, left_on="c_nationkey", right_on="n_nationkey")
        .join(t.region.filter(r_name="AMERICA"), left_on="n_regionkey", right_on="r_regionkey")
        .join(t.supplier, left_on="l_suppkey", right_on="s_suppkey")
        .join(t.nation, left_on="s_nationkey", right_on="n_nationkey", suffix="_of_supplier")
        .select(o_year=col("o_orderdate").dt.year(), volume=_REVENUE, nation="n_name_of_supplier")
    )
    brazil = lf.when(col("nation") == "BRAZIL").then(col("volume")).otherwise(0).sum().cast("float64")
    return volume.group_by("o_year").agg(mkt_share=brazil / col("volume").sum().cast("float64")).sort("o_year")


def q09(t: Any) -> lf.LazyFrame:
    """Product type profit measure."""
    amount = _REVENUE - col("ps_supplycost") * col("l_quantity")
    return (
        t.part.filter(col("p_name").str.contains("green"))
        .join(t.lineitem, left_on="p_partkey", right_on="l_partkey")
        .join(t.partsupp, left_on=["p_partkey", "l_suppkey"], right_on=["ps_partkey", "ps_suppkey"])
        .join(t.supplier, left_on="l_suppkey", right_on="s_suppkey")
        .join(t.orders, left_on="l_orderkey", right_on="o_orderkey")
        .join(t.nation, left_on="s_nationkey", right_on="n_nationkey")
        .group_by(nation="n_name", o_year=col("o_orderdate").dt.year())
        .agg(sum_profit=amount.sum())
        .sort("nation", lf.desc("o_year"))
    )


def q10(t: Any) -> lf.LazyFrame:
    """Returned item reporting."""
    quarter = t.orders.filter(col("o_orderdate").dt.truncate("1q") == date(1993, 10, 1))
    return (
        t.customer.join(quarter, left_on="c_custkey", right_on="o_custkey")
        .join(t.lineitem.filter(l_returnflag="R"), left_on="o_orderkey", right_on="l_orderkey")
        .join(t.nation, left_on="c_nationkey", right_on="n_nationkey")
        .group_by("c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment")
        .agg(revenue=_REVENUE.sum())
        .top_k(20, by="revenue")
        .select("c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment")
    )


def q11(t: Any) -> lf.LazyFrame:
    """Important stock identification."""
    german = t.partsupp.join(t.supplier, left_on="ps_suppkey", right_on="s_suppkey").join(
        t.nation.filter(n_name="GERMANY"), left_on="s_nationkey", right_on="n_nationkey"
    )
    values = german.group_by("ps_partkey").agg(value=(col("ps_supplycost") * col("ps_availqty")).sum())
    return values.filter(col("value") > col("value").sum() * Decimal("0.0001")).sort(lf.desc("value"), "ps_partkey")


def q12(t: Any) -> lf.LazyFrame:
    """Shipping modes and order priority."""
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
        .agg(high_line_count=lf.len().filter(urgent), low_line_count=lf.len().filter(~urgent))
        .sort("l_shipmode")
    )


def q13(t: Any) -> lf.LazyFrame:
    """Customer distribution."""
    on = (col("c_custkey") == col("o_custkey")) & ~col("o_comment").str.like("%special%requests%")
    return (
        t.customer.join(t.orders, on=on, how="left")
        .group_by("c_custkey")
        .agg(c_count=col("o_orderkey").count())
        .group_by("c_count")
        .agg(custdist=lf.len())
        .sort("custdist", "c_count", descending=True)
    )


def q14(t: Any) -> lf.LazyFrame:
    """Promotion effect."""
    promoted = _REVENUE.filter(col("p_type").str.starts_with("PROMO")).sum().cast("float64")
    return (
        t.lineitem.filter(col("l_shipdate").is_between(date(1995, 9, 1), date(1995, 10, 1), "left"))
        .join(t.part, left_on="l_partkey", right_on="p_partkey")
        .select(promo_revenue=promoted * 100.0 / _REVENUE.sum().cast("float64"))
    )


def q15(t: Any) -> lf.LazyFrame:
    """Top supplier."""
    quarter = t.lineitem.filter(col("l_shipdate").is_between(date(1996, 1, 1), date(1996, 4, 1), "left"))
    revenue = quarter.group_by("l_suppkey").agg(total_revenue=_REVENUE.sum())
    best = revenue.filter(col("total_revenue") == col("total_revenue").max())
    return (
        t.supplier.join(best, left_on="s_suppkey", right_on="l_suppkey")
        .select("s_suppkey", "s_name", "s_address", "s_phone", "total_revenue")
        .sort("s_suppkey")
    )


def q16(t: Any) -> lf.LazyFrame:
    """Parts and their suppliers."""
    parts = t.part.filter(
        col("p_brand") != "Brand#45",
        ~col("p_type").str.starts_with("MEDIUM POLISHED"),
        col("p_size").is_in([49, 14, 23, 45, 19, 3, 36, 9]),
    )
    complaints = t.supplier.filter(col("s_comment").str.like("%Customer%Complaints%"))
    return (
        parts.join(t.partsupp, left_on="p_partkey", right_on="ps_partkey")
        .join(complaints, left_on="ps_suppkey", right_on="s_suppkey", how="anti")
        .group_by("p_brand", "p_type", "p_size")
        .agg(supplier_cnt=col("ps_suppkey").n_unique())
        .sort(lf.desc("supplier_cnt"), "p_brand", "p_type", "p_size")
    )


def q17(t: Any) -> lf.LazyFrame:
    """Revenue of small quantity orders."""
    parts = t.part.filter(p_brand="Brand#23", p_container="MED BOX")
    means = t.lineitem.group_by("l_partkey").agg(mean=col("l_quantity").cast("float64").mean())
    return (
        t.lineitem.join(parts, left_on="l_partkey", right_on="p_partkey")
        .join(means, on="l_partkey")
        .filter(col("l_quantity").cast("float64") < col("mean") * 0.2)
        .select(avg_yearly=col("l_extendedprice").sum().cast("float64") / 7.0)
    )


def q18(t: Any) -> lf.LazyFrame:
    """Large volume customer."""
    large = t.lineitem.group_by("l_orderkey").agg(quantity=col("l_quantity").sum()).filter(col("quantity") > 300)
    return (
        t.orders.join(large, left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .join(t.customer, left_on="o_custkey", right_on="c_custkey")
        .join(t.lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .group_by("c_name", "o_custkey", "o_orderkey", "o_orderdate", "o_totalprice")
        .agg(quantity=col("l_quantity").sum())
        .sort(lf.desc("o_totalprice"), "o_orderdate")
        .head(100)
    )


_KINDS = [("Brand#12", "SM", 1, 5), ("Brand#23", "MED", 10, 10), ("Brand#34", "LG", 20, 15)]
_CONTAINERS = {
    "SM": ["SM CASE", "SM BOX", "SM PACK", "SM PKG"],
    "MED": ["MED BAG", "MED BOX", "MED PKG", "MED PACK"],
    "LG": ["LG CASE", "LG BOX", "LG PACK", "LG PKG"],
}


def q19(t: Any) -> lf.LazyFrame:
    """Discounted revenue."""
    kinds = [
        (col("p_brand") == brand)
        & col("p_container").is_in(_CONTAINERS[container])
        & col("l_quantity").is_between(least, least + 10)
        & col("p_size").is_between(1, size)
        for brand, container, least, size in _KINDS
    ]
    return (
        t.lineitem.filter(col("l_shipmode").is_in(["AIR", "AIR REG"]), l_shipinstruct="DELIVER IN PERSON")
        .join(t.part, left_on="l_partkey", right_on="p_partkey")
        .filter(lf.any_horizontal(*kinds))
        .select(revenue=_REVENUE.sum())
    )


def q20(t: Any) -> lf.LazyFrame:
    """Potential part promotion."""
    shipped = (
        t.lineitem.filter(col("l_shipdate").dt.year() == 1994)
        .group_by("l_partkey", "l_suppkey")
        .agg(half=col("l_quantity").sum() * Decimal("0.5"))
    )
    forest = t.part.filter(col("p_name").str.starts_with("forest"))
    surplus = (
        t.partsupp.join(forest, left_on="ps_partkey", right_on="p_partkey", how="semi")
        .join(shipped, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
        .filter(col("ps_availqty") > col("half"))
    )
    return (
        t.supplier.join(t.nation.filter(n_name="CANADA"), left_on="s_nationkey", right_on="n_nationkey", how="semi")
        .join(surplus, left_on="s_suppkey", right_on="ps_suppkey", how="semi")
        .select("s_name", "s_address")
        .sort("s_name")
    )


def q21(t: Any) -> lf.LazyFrame:
    """Suppliers who kept orders waiting."""
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


def q22(t: Any) -> lf.LazyFrame:
    """Global sales opportunity."""
    customers = t.customer.with_columns(cntrycode=col("c_phone").str.slice(0, 2)).filter(
        col("cntrycode").is_in(["13", "31", "23", "29", "30", "18", "17"])
    )
    return (
        customers.filter(col("c_acctbal") > col("c_acctbal").mean().filter(col("c_acctbal") > 0))
        .join(t.orders, left_on="c_custkey", right_on="o_custkey", how="anti")
        .group_by("cntrycode")
        .agg(numcust=lf.len(), totacctbal=col("c_acctbal").sum())
        .sort("cntrycode")
    )
