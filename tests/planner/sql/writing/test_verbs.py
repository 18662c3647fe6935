"""Verbs of every kind survive being written as SQL."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest

import lazyframe as lf
from lazyframe import col
from tests.planner.sql.writing.round_trips import check_round_trip

F = lf.from_arrow(
    pa.table(
        {
            "id": list(range(8)),
            "k": ["a", "b", "a", "b", "a", None, "a", "b"],
            "x": [3, 1, None, 4, 1, 5, 9, 2],
            "y": [1.5, float("nan"), 2.0, None, 1.0, 0.0, -1.0, 7.0],
            "l": [[1, 2], [], None, [3], [4, None], [], [5], [6]],
            "d": [dt.date(2024, 1, i + 1) for i in range(8)],
        }
    )
).lazy()
G = lf.from_dict({"k": ["a", "b", "c"], "w": [10, 20, 30]}).lazy()
H = lf.from_dict({"at": [1, 3, 6], "k": ["a", "b", "a"], "v": [10, 20, 30]}).lazy()
K = F.select("k")

QUERIES: dict[str, lf.LazyFrame] = {
    "aggregate over a partition": F.with_columns(s=col("x").sum().over("k"), m=col("y").max().over("k")),
    "cumulative": F.sort("id").with_columns(c=col("x").cum_sum()),
    "neighbours": F.with_columns(c=col("x").shift(1).over("k", order_by="id")),
    "fill": F.with_columns(c=col("x").forward_fill()),
    "rolling": F.sort("id").with_columns(c=col("x").rolling_mean(3)),
    "filter by a window": F.filter(col("x") > col("x").mean().over("k")).sort("id"),
    "window over groups": F.group_by("k").agg(s=col("x").sum()).with_columns(t=col("s").sum().over()),
    "aggregate beside columns": F.with_columns(z=col("x") - col("x").mean()),
    "filter by an aggregate": F.filter(col("x") > col("x").mean()).sort("id"),
    "explode": F.select("id", "l").explode("l"),
    "unpivot": F.unpivot(on=["x", "id"], index="k"),
    "tail": F.tail(3),
    "tail of a sort": F.sort("id").tail(3),
    "reverse": F.reverse().head(2),
    "slice from the end": F.slice(-4, 2),
    "shift": F.select("id", "x").shift(2),
    "row index": F.with_row_index("n"),
    "first of each": F.unique(["k"]).select("id", "k"),
    "last of each": F.unique(["k"], keep="last").select("id", "k"),
    "lone ones": F.unique(["k"], keep="none").select("id", "k"),
    "first of each of a sort": F.sort("id", descending=True).unique(["k"]).select("id", "k"),
    "side by side": lf.concat([F.select("id"), G], how="horizontal"),
    "left join": F.join(G, on="k", how="left").select("id", "w"),
    "full join": F.join(G, on="k", how="full"),
    "right join": F.join(G, on="k", how="right").select("id", "w"),
    "left join of a filter": F.join(G.filter(col("w") > 10), on="k", how="left").select("id", "w"),
    "left join of a constant": F.join(G.with_columns(one=lf.lit(1)), on="k", how="left").select("id", "one"),
    "left join without partners": F.join(G, on="k", how="left").filter(col("w").is_null()).select("id"),
    "asof join": F.sort("id").join_asof(H, left_on="id", right_on="at").select("id", "v"),
    "asof join by groups, forward": F.sort("id")
    .join_asof(H, left_on="id", right_on="at", by="k", strategy="forward")
    .select("id", "v"),
    "asof join with a tolerance": F.sort("id").join_asof(H, left_on="id", right_on="at", tolerance=1).select("id", "v"),
    "cross join": F.join(G, how="cross").select("id", "w"),
    "semi join": F.join(G, on="k", how="semi").select("id"),
    "anti join": F.join(G, on="k", how="anti").select("id"),
    "join of nulls": F.join(F.select("k", other="id"), on="k", nulls_equal=True).select("id", "other"),
    "intersect": K.intersect(G.select("k")),
    "except": K.except_(G.select("k")),
    "union": lf.concat([K, G.select("k")]).unique(),
    "cache": F.filter(col("x") > 1).cache().join(G, on="k").select("id", "w"),
    "dates": F.select("id", a=col("d") + dt.timedelta(days=3), b=col("d").dt.truncate("1mo")),
    "order of rows": F.group_by("k").agg(a=col("x").first(), b=col("x").last(), c=col("id").implode()),
    "order of a sort": F.sort("id", descending=True).group_by("k").agg(a=col("x").first(), c=col("id").implode()),
    "sort by what is dropped": F.sort("x", "id").select("id").head(3),
    "distinct of a sort": F.sort("x").select("k").unique(),
    "constants": F.select(a=lf.lit(1), b=lf.lit("x"), c=lf.lit(None)),
    "constant of an aggregate": F.select(n=lf.len()).select(z=lf.lit(5)),
    "limits": F.head(5).slice(1, 2).filter(col("id") > 1),
    "having": F.group_by("k")
    .agg(s=col("x").sum())
    .filter((col("s") > 3) & col("k").is_not_null())
    .select(q=col("s") * 2),
    "quoted names": F.select(**{"Weird Name": col("x"), "select": col("id"), 'a"b': col("k")}).filter(
        col("Weird Name") > 1
    ),
    "group by a constant": F.group_by(z=lf.lit(1)).agg(n=lf.len()),
    "group by an expression": F.group_by(z=col("x") % 2).agg(n=lf.len()).sort("z"),
    "names that change places": F.select(x=col("id"), id=col("x")).filter(col("x") > 3).sort("id"),
    "a name for something else": F.with_columns(x=col("x") % 2).group_by("x").agg(n=lf.len()),
}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as found:
        found.execute("SET TimeZone = 'UTC'; SET threads = 1")
        yield found


@pytest.mark.parametrize("name", QUERIES)
def test_round_trip(name, connection):
    check_round_trip(QUERIES[name], connection, ordered=False)


@pytest.mark.parametrize(
    "text",
    [
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT sum(n) AS s FROM r",
        "WITH c AS (SELECT k, sum(x) AS s FROM f GROUP BY k) SELECT a.k, b.s FROM c a JOIN c b ON a.s = b.s",
        "SELECT id FROM f WHERE x > (SELECT min(w) / 10 FROM g WHERE g.k = f.k)",
        "SELECT id, x IN (SELECT w / 10 FROM g) AS found FROM f",
        "SELECT k, x, count(*) AS n FROM f GROUP BY CUBE (k, x)",
        "SELECT id, sum(x) OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM f",
        "SELECT id, rank() OVER (ORDER BY x DESC NULLS LAST) AS r FROM f QUALIFY r < 4",
        "SELECT * FROM (VALUES (1, 'a'), (2, NULL)) v(n, s)",
        "SELECT 1 + 1 AS two",
        "SELECT id, list_transform(l, lambda i : i * 2 + id) AS r FROM f",
        "SELECT id, list_filter(l, lambda i : i > x) AS r FROM f",
        "SELECT id, list_transform(l, lambda i : list_transform(l, lambda j : i + j)) AS r FROM f",
        "SELECT id, list_reduce(list_filter(l, lambda i : i IS NOT NULL), lambda a, b : a + b, 0) AS r FROM f",
        "SELECT id, u FROM f, UNNEST(l) AS t(u)",
        "SELECT id, unnest(l) AS u, unnest(l) AS v FROM f",
        "SELECT id, (SELECT count(*) FROM g WHERE g.k = f.k) AS n FROM f",
        "SELECT DISTINCT ON (k) k, id FROM f ORDER BY k, id",
        "SELECT id FROM f WHERE k NOT IN (SELECT k FROM g)",
        "SELECT k FROM f INTERSECT ALL SELECT k FROM f WHERE id < 4",
        "SELECT f.id, g.w FROM f ASOF JOIN h ON f.id >= h.at JOIN g ON g.k = h.k",
        "SELECT id, lag(x, 1, 0) OVER (ORDER BY id) AS before FROM f",
        "SELECT count(*) FILTER (WHERE x > 2) AS n, string_agg(k, '-' ORDER BY id DESC) AS s FROM f",
    ],
)
def test_what_sql_says_is_written_again(text, connection):
    check_round_trip(lf.sql(text, f=F, g=G, h=H), connection, ordered=False)
