"""Lineage of each verb, by hand."""

from __future__ import annotations

import pytest

import lazyframe as lf
from lazyframe import col

T = lf.from_dict({"k": [1, 2], "g": ["a", "b"], "x": [1.0, 2.0], "n": [3, 4], "l": [[1], [2, 3]], "day": [1, 2]})
U = lf.from_dict({"j": [1, 2], "y": [5, 6], "t": [1, 2]})


def roles(query: lf.LazyFrame, name: str) -> str:
    """The lineage of a column on one line: `value x | key k`, with the columns of the second table in upper case."""
    found = query.lineage(t=T, u=U)[name].to_dict()
    parts = []
    for role, tables in found.items():
        names = sorted(
            [column if table == "t" else column.upper() for table, names in tables.items() for column in names]
        )
        if names:
            parts.append(f"{role} {' '.join(names)}")
    return " | ".join(parts)


NARROW = T.select("k", "g", "x", "n", "day")

CASES = {
    "a column": (T.select("x"), "x", "value x"),
    "a literal": (T.select(one=lf.lit(1)), "one", ""),
    "a renamed column": (T.select(z="x"), "z", "value x"),
    "an expression": (T.select(z=col("x") + col("n")), "z", "value n x"),
    "a case": (T.select(z=lf.when(col("k") > 1).then("x").otherwise("n")), "z", "value k n x"),
    "a filter": (T.filter(col("n") > 3).select("x"), "x", "value x | filter n"),
    "a filter of a value": (T.filter(col("x") > 3).select("x"), "x", "value x | filter x"),
    "a group's sum": (T.group_by("g").agg(s=col("n").sum()), "s", "value n | key g"),
    "a group's key": (T.group_by("g").agg(s=col("n").sum()), "g", "value g | key g"),
    "a count": (T.group_by("g").agg(c=lf.len()), "c", "key g"),
    "a filtered aggregate": (T.select(s=col("n").filter(col("k") > 1).sum()), "s", "value n | filter k"),
    "having": (T.group_by("g").agg(s=col("n").sum(), c=lf.len()).filter(col("s") > 1), "c", "filter n | key g"),
    "a total of other rows": (T.filter(col("k") > 1).select(s=col("n").sum(), one=lf.lit(1).max()), "s", "value n | filter k"),
    "a sort that nobody sees": (T.sort("k").select(s=col("n").sum()), "s", "value n"),
    "a sort before a sum of floats": (T.sort("k").select(s=col("x").sum()), "s", "value x | order k"),
    "a sort before a first": (T.sort("k").select(s=col("n").first()), "s", "value n | order k"),
    "a sort before a limit": (T.sort("k").head(1).select(s=col("n").sum()), "s", "value n | order k"),
    "a sort before the last rows": (T.sort("k").tail(1).select(s=col("n").sum()), "s", "value n | order k"),
    "a sort before a row number": (T.sort("k").with_row_index("i").select(s=col("i").max()), "s", "order k"),
    "beside a row number": (T.sort("k").with_row_index("i").select(s=col("n").max()), "s", "value n"),
    "a sort before a shift": (T.sort("k").shift(1).select(s=col("n").sum()), "s", "value n | order k"),
    "a sort before interpolation": (NARROW.sort("k").interpolate().select(m=col("x").max()), "m", "value x | order k"),
    "a sort": (T.sort("k").select("n"), "n", "value n | order k"),
    "ties of a sort": (T.sort("k").sort("day").select("n"), "n", "value n | order day k"),
    "a window": (T.with_columns(w=col("n").sum().over("g")).select("w"), "w", "value n | key g"),
    "beside a window": (T.with_columns(w=col("n").sum().over("g")).select("x"), "x", "value x"),
    "a rank": (T.select(r=lf.rank().over("g", order_by="k")), "r", "key g | order k"),
    "distinct rows": (T.select("g").unique(), "g", "value g | key g"),
    "first of each": (T.sort("n").unique(["g"]).select(c=col("k").sum()), "c", "value k | key g | order n"),
    "an exploded column": (T.explode("l").select("l"), "l", "value l | filter l"),
    "beside an exploded column": (T.explode("l").select("k"), "k", "value k | filter l"),
    "an unpivoted value": (NARROW.unpivot(on=["k", "n"], index=["g"], value_name="v").select("v"), "v", "value k n"),
    "an inner join": (T.join(U, left_on="k", right_on="j").select("y"), "y", "value Y | key J k"),
    "a join's left side": (T.join(U, left_on="k", right_on="j").select("x"), "x", "value x | key J k"),
    "a semi join": (T.join(U.filter(col("t") > 1), left_on="k", right_on="j", how="semi").select("x"), "x",
                    "value x | filter T | key J k"),
    "a left join to many": (T.join(U, left_on="k", right_on="j", how="left").select("x"), "x", "value x | key J k"),
    "a left join to one": (T.join(U.group_by("j").agg(m=col("y").max()), left_on="k", right_on="j", how="left").select("x", "m"),
                           "x", "value x"),
    "of a left join to one": (
        T.join(U.group_by("j").agg(m=col("y").max()), left_on="k", right_on="j", how="left").select("x", "m"),
        "m", "value Y | key J k"),
    "a cross join": (T.join(U, how="cross").select("x"), "x", "value x"),
    "an asof join": (T.sort("day").join_asof(U.sort("t"), left_on="day", right_on="t").select(m=col("y").sum()), "m",
                     "value Y | key T day | order T"),
    "a union": (lf.concat([T.select("k"), U.select(k="j")]), "k", "value J k"),
    "an intersection": (T.select("k").intersect(U.select(k="j")), "k", "value k | key J k"),
    "side by side": (lf.concat([T.sort("k").select("x"), U], how="horizontal").select("y"), "y", "value Y | order k"),
    "a function of a table": (U.map_batches(lambda table: table), "y", "value J T Y"),
    "a kept result": (T.filter(col("k") > 1).cache().select("x"), "x", "value x | filter k"),
    "a sample": (T.sort("k").sample(1, seed=1).select(s=col("n").sum()), "s", "value n | order k"),
    "WHERE that joins": (lf.sql("select y from t, u where t.k = u.j and t.n > u.t", t=T, u=U), "y",
                         "value Y | filter T n | key J k"),
    "ON that filters": (lf.sql("select y from t join u on t.k = u.j and t.n > u.t and y > 3", t=T, u=U), "y",
                        "value Y | filter T Y n | key J k"),
    "a subquery's value": (lf.sql("select x, (select max(y) from u where u.j = t.k) as m from t", t=T, u=U), "m",
                           "value Y | key J k"),
    "beside a subquery": (lf.sql("select x, (select max(y) from u where u.j = t.k) as m from t", t=T, u=U), "x", "value x"),
    "compared with a subquery": (lf.sql("select k from t where n = (select max(y) from u)", t=T, u=U), "k",
                                 "value k | filter Y n"),
    "IN": (lf.sql("select x from t where k in (select j from u where y > 1)", t=T, u=U), "x", "value x | filter Y | key J k"),
    "whether there is one": (lf.sql("select x, exists (select 1 from u where u.j = t.k) as e from t", t=T, u=U), "e", "key J k"),
    "beside whether there is one": (lf.sql("select x, exists (select 1 from u where u.j = t.k) as e from t", t=T, u=U), "x",
                                    "value x"),
    "a recursion": (
        lf.sql(
            """with recursive r(p, q, s) as (select k, n, day from t union all select q, p, s from r join u on r.p = u.j)
            select p from r""", t=T, u=U),
        "p", "value k n | key J k n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_lineage_by_hand(name):
    query, column, expected = CASES[name]
    assert roles(query, column) == expected


def test_two_reads_of_a_table_are_one_table_and_two_tables_are_two():
    twin = lf.from_dict({"k": [1], "z": [2]})
    both = T.select("k").join(T.select("k", "n"), on="k").join(twin, on="k")
    assert both.lineage()["n"].to_dict()["key"] == {"frame_1": ["k"], "frame_2": ["k"]}
    assert both.lineage(twin=twin)["z"].value == ["twin.z"]


def test_deep_plans_and_shared_nodes():
    deep = T.select("k", "n")
    for number in range(5_000):
        deep = deep.filter(col("k") > number) if number % 2 else deep.with_columns(n=col("n") + 1)
    found = deep.lineage(t=T)
    assert (found["n"].value, found["n"].filter, found["k"].filter) == (["t.n"], ["t.k"], ["t.k"])
    shared = T.select("k", "n")
    for _ in range(30):
        shared = lf.concat([shared, shared])
    assert shared.lineage(t=T)["n"].value == ["t.n"]
