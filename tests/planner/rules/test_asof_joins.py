"""Asof joins under filters and projections."""

from __future__ import annotations

import lazyframe as lf
from lazyframe.frame import LazyFrame
from lazyframe.planner.build.asof import asof_join
from lazyframe.planner.relations.project import column
from tests.planner.rules.harness import Case, cases, check, t, u

col = lf.col


def joined(**options) -> LazyFrame:
    """Rows of t with the row of u whose k is the next, where c is v."""
    a, b = t._plan, u._plan
    on = (column(a.schema, "a"), column(b.schema, "k"))
    return LazyFrame(asof_join(a, b, on, [(column(a.schema, "c"), column(b.schema, "v"))], **options))


@cases(
    Case(
        "left columns pass, right ones stay",
        lambda: joined(tolerance=2).filter((col("d") < 3) & (col("w") > 5)),
        """
        Filter w > 5
          AsofJoin left on a >= k by c == v within 2
            Filter d < 3
              Scan t [a, b, c, d]
            Scan u [k, v, w]
        """,
    ),
    Case(
        "of an inner join too",
        lambda: joined(kind="inner", strategy="forward", strict=True).filter(col("d") < 3),
        """
        AsofJoin inner on a < k by c == v
          Filter d < 3
            Scan t [a, b, c, d]
          Scan u [k, v, w]
        """,
    ),
    Case("what may raise stays", lambda: joined().filter(col("d") // (col("a") + 1) < 3)),
    Case("volatile", lambda: joined().filter((lf.random() < 0.5) & (col("d") < 3)), runs=False),
)
def test_push_filter_below_asof_join(case):
    check("push_filter_below_asof_join", case)


@cases(
    Case(
        "what is used",
        lambda: joined(strategy="nearest").select("d", "w"),
        """
        Project d, w
          AsofJoin left on a ~ k by c == v
            Scan t [a, c, d] 3 of 4 columns
            Scan u [k, v, w]
        """,
    ),
    Case("nothing of the right side", lambda: joined().select("d"), "Project d\n  Scan t [d] 1 of 4 columns"),
    Case(
        "an inner join tells by the right side which rows there are",
        lambda: joined(kind="inner").select("d"),
        """
        Project d
          AsofJoin inner on a >= k by c == v
            Scan t [a, c, d] 3 of 4 columns
            Scan u [k, v] 2 of 3 columns
        """,
    ),
)
def test_push_projection(case):
    check("push_projection", case)
