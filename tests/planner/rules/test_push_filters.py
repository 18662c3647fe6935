"""Filters on their way down: where they pass and where they must not."""

from __future__ import annotations

import pyarrow as pa

import lazyframe as lf
from lazyframe.frame import LazyFrame, concat
from lazyframe.planner.relations import Explode
from tests.planner.rules.harness import NAN, Case, cases, check, frame, lists, s, t, u

col = lf.col
floats = frame("floats", {"x": pa.array([0.0, -0.0, 2.0, NAN, None]), "y": pa.array([1, 2, 3, 4, 5])})


def numbered(frame):
    return LazyFrame(Explode(frame._plan, ("xs",), ordinality="n"))


@cases(
    Case(
        "both are kept in order",
        lambda: t.filter(col("a") > 1).filter(col("a") < 5),
        """
        Filter a > 1 & a < 5
          Scan t [a, b, c, d]
        """,
    ),
    Case("the first guards the second", lambda: t.filter(col("d") != 0).filter(col("a") // col("d") > 1)),
    Case(
        "only the part that cannot raise",
        lambda: t.filter(col("d") != 0).filter((col("a") // col("d") > 0) & (col("a") > 1)),
        """
        Filter a // d > 0
          Filter d != 0 & a > 1
            Scan t [a, b, c, d]
        """,
    ),
    Case(
        "one that may raise may stand first",
        lambda: t.filter(col("a") // (col("d") + 1) > 0).filter(col("a") > 1),
        """
        Filter a // (d + 1) > 0 & a > 1
          Scan t [a, b, c, d]
        """,
    ),
    Case("volatile above", lambda: t.filter(col("a") > 1).filter(lf.random() < 0.5), runs=False),
    Case("volatile below", lambda: t.filter(lf.random() < 0.5).filter(col("a") > 1), runs=False),
)
def test_merge_filters(case):
    check("merge_filters", case)


@cases(
    Case("all of it", lambda: t.filter(col("a") > 1), "Scan t [a, b, c, d] where a > 1"),
    Case(
        "one after the other",
        lambda: t.filter(col("a") > 1).filter(col("b") < 1.0),
        "Scan t [a, b, c, d] where a > 1 & b < 1.0",
    ),
    Case(
        "what may raise, where nothing guards it",
        lambda: t.filter(col("a") // (col("d") + 1) > 1),
        "Scan t [a, b, c, d] where a // (d + 1) > 1",
    ),
    Case(
        "what may raise stays above its guard",
        lambda: t.filter(col("d") != 0).filter(col("a") // col("d") > 1),
        """
        Filter a // d > 1
          Scan t [a, b, c, d] where d != 0
        """,
    ),
    Case("volatile", lambda: t.filter(lf.random() < 0.5), runs=False),
)
def test_push_filter_into_scan(case):
    check("push_filter_into_scan", case)


@cases(
    Case(
        "computed columns are put in",
        lambda: t.select("a", x=col("b") * 2.0).filter(col("x") > 1.0),
        """
        Project a, b * 2.0 as x
          Filter b * 2.0 > 1.0
            Scan t [a, b, c, d]
        """,
    ),
    Case(
        "names swapped",
        lambda: t.select(a=col("d"), d=col("a")).filter(col("a") > 1),
        """
        Project d as a, a as d
          Filter d > 1
            Scan t [a, b, c, d]
        """,
    ),
    Case("a volatile column", lambda: t.select("a", r=lf.random()).filter(col("a") > 1), runs=False),
    Case("a volatile condition", lambda: t.select("a").filter(lf.random() < 0.5), runs=False),
    Case(
        "a guarded branch over a computed column",
        lambda: t.select(x=col("a") * 2, d=col("d")).filter(
            lf.when(col("d") != 0).then(col("x") // col("d")).otherwise(0) > 1
        ),
    ),
)
def test_push_filter_below_project(case):
    check("push_filter_below_project", case)


def pairs(how: str) -> lf.LazyFrame:
    return t.join(u, left_on="a", right_on="k", how=how, coalesce=False) if how != "cross" else t.join(u, how="cross")


@cases(
    Case(
        "inner: each part to its side",
        lambda: pairs("inner").filter(col("b") > 1.0, col("w") > 7),
        """
        Join inner on a == k
          Filter b > 1.0
            Scan t [a, b, c, d]
          Filter w > 7
            Scan u [k, v, w]
        """,
    ),
    Case(
        "inner: an equality is a key, another comparison a condition",
        lambda: pairs("inner").filter(col("c") == col("v"), col("d") < col("w")),
        """
        Join inner on a == k & c == v if d < w
          Scan t [a, b, c, d]
          Scan u [k, v, w]
        """,
    ),
    Case(
        "cross becomes inner",
        lambda: pairs("cross").filter(col("w") == col("a")),
        """
        Join inner on a == w
          Scan t [a, b, c, d]
          Scan u [k, v, w]
        """,
    ),
    Case(
        "cross: numbers that compare exactly are keys as floats, and still compared",
        lambda: pairs("cross").filter(col("b") == col("w")),
        """
        Join inner on b == cast(w as float64) if b == w
          Scan t [a, b, c, d]
          Scan u [k, v, w]
        """,
    ),
    Case(
        "left: the left side",
        lambda: pairs("left").filter(col("b") > 1.0),
        """
        Join left on a == k
          Filter b > 1.0
            Scan t [a, b, c, d]
          Scan u [k, v, w]
        """,
    ),
    Case("left: not the side filled with nulls", lambda: pairs("left").filter(col("w").is_null())),
    Case("left: no condition over both sides", lambda: pairs("left").filter(col("w") > col("d"))),
    Case(
        "right: the right side",
        lambda: pairs("right").filter(col("w") > 7),
        """
        Join right on a == k
          Scan t [a, b, c, d]
          Filter w > 7
            Scan u [k, v, w]
        """,
    ),
    Case("right: not the left side", lambda: pairs("right").filter(col("b").is_null())),
    Case("full: neither side", lambda: pairs("full").filter(col("b").is_null(), col("w") > 5)),
    Case(
        "semi",
        lambda: pairs("semi").filter(col("b") > 1.0),
        """
        Join semi on a == k
          Filter b > 1.0
            Scan t [a, b, c, d]
          Scan u [k, v, w]
        """,
    ),
    Case(
        "anti",
        lambda: pairs("anti").filter(col("d") > 1),
        """
        Join anti on a == k
          Filter d > 1
            Scan t [a, b, c, d]
          Scan u [k, v, w]
        """,
    ),
    Case(
        "one that may raise: the join may remove its rows",
        lambda: pairs("semi").filter(col("a") // (col("d") - 4) != 9),
    ),
    Case(
        "partners are counted before the filter",
        lambda: t.join(u, left_on="a", right_on="w", validate="1:1").filter(col("b") > 1.0),
    ),
    Case("volatile", lambda: pairs("inner").filter(lf.random() < 0.5), runs=False),
)
def test_push_filter_below_join(case):
    check("push_filter_below_join", case)


def test_an_equality_is_no_key_where_null_keys_match():
    joined = t.join(u, left_on="c", right_on="v", nulls_equal=True, coalesce=False).filter(col("a") == col("k"))
    case = Case(
        "nulls_equal",
        lambda: joined,
        """
        Join inner on c == v if a == k nulls equal
          Scan t [a, b, c, d]
          Scan u [k, v, w]
        """,
    )
    check("push_filter_below_join", case)


@cases(
    Case(
        "each input, also with one that may raise",
        lambda: concat([t, s]).filter(col("a") // (col("d") + 1) > 1),
        """
        Union
          Filter a // (d + 1) > 1
            Scan t [a, b, c, d]
          Filter a // (d + 1) > 1
            Scan s [a, b, c, d]
        """,
    ),
    Case("volatile", lambda: concat([t, s]).filter(lf.random() < 0.5), runs=False),
)
def test_push_filter_below_union(case):
    check("push_filter_below_union", case)


@cases(
    Case(
        "the part on keys",
        lambda: t.group_by("c").agg(n=col("a").sum()).filter(col("c") == "x", col("n") > 1),
        """
        Filter n > 1
          Aggregate sum(a) as n by c
            Filter c == 'x'
              Scan t [a, b, c, d]
        """,
    ),
    Case(
        "a computed key",
        lambda: t.group_by(k=col("b") * 2.0).agg(n=lf.len()).filter(col("k") > 0.0),
        """
        Aggregate len() as n by b * 2.0 as k
          Filter b * 2.0 > 0.0
            Scan t [a, b, c, d]
        """,
    ),
    Case("the part on aggregates", lambda: t.group_by("c").agg(n=col("a").sum()).filter(col("n") > 1)),
    Case("no keys: no row is one row", lambda: t.select(n=col("a").sum()).filter(col("n") > 100)),
    Case("no keys and no column", lambda: t.select(n=col("a").sum()).filter(lf.lit(False))),
    Case("0.0 and -0.0 are one group", lambda: floats.group_by("x").agg(n=lf.len()).filter(1.0 / col("x") > 0.0)),
    Case("may raise", lambda: t.group_by("a").agg(n=lf.len()).filter(100 // col("a") > 1)),
)
def test_push_filter_below_aggregate(case):
    check("push_filter_below_aggregate", case)


@cases(
    Case(
        "a sort",
        lambda: t.sort("b").filter(col("a") > 1),
        """
        Sort by b
          Filter a > 1
            Scan t [a, b, c, d]
        """,
    ),
    Case(
        "a reversal",
        lambda: t.reverse().filter(col("a") > 1),
        """
        Reverse
          Filter a > 1
            Scan t [a, b, c, d]
        """,
    ),
    Case("the first rows of a sort", lambda: t.top_k(3, by="a").filter(col("a") > 3)),
    Case("volatile", lambda: t.sort("b").filter(lf.random() < 0.5), runs=False),
)
def test_push_filter_below_sort(case):
    check("push_filter_below_sort", case)


@cases(
    Case(
        "columns of the subset",
        lambda: t.unique(["c"]).filter(col("c") == "x", col("a") > 1),
        """
        Filter a > 1
          Distinct on c keep first
            Filter c == 'x'
              Scan t [a, b, c, d]
        """,
    ),
    Case(
        "those that occur once",
        lambda: t.unique(["c"], keep="none").filter(col("c") != "y"),
        """
        Distinct on c keep none
          Filter c != 'y'
            Scan t [a, b, c, d]
        """,
    ),
    Case("other columns, first", lambda: t.unique(["c"]).filter(col("a") > 2)),
    Case("other columns, last", lambda: t.unique(["c"], keep="last").filter(col("a") < 3)),
    Case("other columns, none", lambda: t.unique(["c"], keep="none").filter(col("a") > 1)),
    Case(
        "floats by comparison",
        lambda: floats.unique(["x"]).filter(col("x") >= 0.0),
        """
        Distinct on x keep first
          Filter x >= 0.0
            Scan floats [x, y]
        """,
    ),
    Case("floats told apart", lambda: floats.unique(["x"]).filter(1.0 / col("x") < 0.0)),
)
def test_push_filter_below_distinct(case):
    check("push_filter_below_distinct", case)


@cases(
    Case(
        "columns that stay",
        lambda: lists.explode("xs").filter(col("i") > 1, col("xs").is_null()),
        """
        Filter xs is null
          Explode xs
            Filter i > 1
              Scan lists [i, xs]
        """,
    ),
    Case("columns that are made", lambda: lists.explode("xs").filter(col("xs") > 1)),
    Case(
        "index columns",
        lambda: t.unpivot(on=["a", "d"], index=["c"]).filter(col("c") == "x", col("value") > 1),
        """
        Filter value > 1
          Unpivot a, d
            Filter c == 'x'
              Project c, a, d
                Scan t [a, b, c, d]
        """,
    ),
    Case("name and value", lambda: t.unpivot(on=["a", "d"], index=["c"]).filter(col("variable") == "a")),
    Case(
        "below one that leaves rows out",
        lambda: lists.explode("xs", keep_empty=False).filter(col("i") < 3),
        """
        Explode xs without empty
          Filter i < 3
            Scan lists [i, xs]
        """,
    ),
    Case(
        # The rows 2 and 3, whose lists are empty, are not asked for.
        "what may raise for rows that are left out",
        lambda: lists.explode("xs", keep_empty=False).filter(10 // (col("i") - 2) != 0),
    ),
    Case(
        "the number of an item",
        lambda: numbered(lists).filter(col("n") == 2, col("i") == 1),
        """
        Filter n == 2
          Explode xs with ordinality n
            Filter i == 1
              Scan lists [i, xs]
        """,
    ),
    Case(
        "what may raise for nulls that are left out",
        lambda: t.unpivot(on=["b"], index=["a"], keep_nulls=False).filter(10 // (col("a") - 3) != 0),
    ),
)
def test_push_filter_below_explode(case):
    check("push_filter_below_explode", case)


@cases(
    Case(
        "intersect",
        lambda: t.select("a", "c").intersect(s.select("a", "c")).filter(col("a") > 1),
        """
        Intersect
          Filter a > 1
            Project a, c
              Scan t [a, b, c, d]
          Filter a > 1
            Project a, c
              Scan s [a, b, c, d]
        """,
    ),
    Case(
        "except",
        lambda: t.select("a").except_(s.select("a"), keep_duplicates=True).filter(col("a") > 1),
        """
        Except all
          Filter a > 1
            Project a
              Scan t [a, b, c, d]
          Filter a > 1
            Project a
              Scan s [a, b, c, d]
        """,
    ),
    Case("floats told apart", lambda: floats.select("x").intersect(s.select(x=col("b"))).filter(1.0 / col("x") > 0.0)),
    Case(
        "may raise for rows of the other side",
        lambda: t.select("a").except_(s.select("a")).filter(9 // (col("a") - 6) < 9),
    ),
)
def test_push_filter_below_set_operation(case):
    check("push_filter_below_set_operation", case)


PUSHES = [
    "push_filter_into_scan", "push_filter_below_project", "push_filter_below_join", "push_filter_below_union",
    "push_filter_below_aggregate", "push_filter_below_sort", "push_filter_below_distinct", "push_filter_below_explode",
    "push_filter_below_set_operation",
]  # fmt: skip


@cases(
    Case("limit", lambda: t.head(3).filter(col("a") > 2)),
    Case("slice", lambda: t.slice(1).filter(col("a") > 2)),
    Case("top k", lambda: t.top_k(3, by="d").filter(col("a") > 2)),
    Case("tail", lambda: t.tail(3).filter(col("a") < 5)),
    Case("sample", lambda: t.sample(n=3, seed=1).filter(col("a") > 2)),
    Case("row index", lambda: t.with_row_index().filter(col("a") > 2)),
    Case("shift", lambda: t.shift(1).filter(col("a") > 2)),
    Case("interpolate", lambda: t.interpolate().filter(col("a") > 2)),
    Case("a batch function", lambda: t.map_batches(lambda table: table, schema=t.schema).filter(col("a") > 2)),
    Case("a cache", lambda: t.cache().filter(col("a") > 2)),
    Case(
        "columns side by side",
        lambda: concat([t.select("a"), u.select("k")], how="horizontal").filter(col("a") > 2),
    ),
)
def test_no_filter_passes(case):
    for rule in PUSHES:
        check(rule, case)
