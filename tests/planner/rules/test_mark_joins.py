"""Mark and single joins under filters and projections."""

from __future__ import annotations

import lazyframe as lf
from lazyframe.frame import LazyFrame
from lazyframe.planner.bind import bind_predicate
from lazyframe.planner.relations import Join
from lazyframe.planner.relations.project import column
from lazyframe.planner.schema import Schema
from tests.planner.rules.harness import Case, cases, check, t, u

col = lf.col


def joined(kind: str, condition=None, left=t, right=u) -> LazyFrame:
    """`left` joined with `right` on a == k, as a mark join with the mark `m`, or as one of another kind."""
    a, b = left._plan, right._plan
    bound = (
        None if condition is None else bind_predicate(condition._node, Schema([*a.schema, *b.schema]), "a condition")
    )
    return LazyFrame(
        Join(a, b, kind, (column(a.schema, "a"),), (column(b.schema, "k"),), bound, mark="m" if kind == "mark" else "")
    )


@cases(
    Case(
        "the mark",
        lambda: joined("mark").filter(col("m")),
        """
        Project a, b, c, d, True as m
          Join semi on a == k
            Scan t [a, b, c, d]
            Scan u [k, v, w]
        """,
    ),
    Case(
        "its negation, beside another condition",
        lambda: joined("mark").filter((col("d") < 3) & ~col("m")),
        """
        Filter d < 3
          Project a, b, c, d, False as m
            Join anti on a == k
              Scan t [a, b, c, d]
              Scan u [k, v, w]
        """,
    ),
    Case(
        "with a condition",
        lambda: joined("mark", col("w") > 7).filter(col("m")),
        """
        Project a, b, c, d, True as m
          Join semi on a == k if w > 7
            Scan t [a, b, c, d]
            Scan u [k, v, w]
        """,
    ),
    Case(
        "the mark and its negation leave nothing",
        lambda: joined("mark").filter(col("m") & ~col("m")),
        """
        Filter not m
          Project a, b, c, d, True as m
            Join semi on a == k
              Scan t [a, b, c, d]
              Scan u [k, v, w]
        """,
    ),
    Case("under an or", lambda: joined("mark").filter(col("m") | (col("d") > 1))),
    Case("a condition on other columns", lambda: joined("mark").filter(col("d") > 1)),
    Case("beside what is volatile", lambda: joined("mark").filter(col("m") & (lf.random() < 0.5)), runs=False),
)
def test_mark_join_to_semi(case):
    check("mark_join_to_semi", case)


@cases(
    Case(
        "left columns of a mark join pass, the mark stays",
        lambda: joined("mark").filter((col("d") < 3) & (col("m") | (col("a") == 1))),
        """
        Filter (m | a == 1)
          Join mark as m on a == k
            Filter d < 3
              Scan t [a, b, c, d]
            Scan u [k, v, w]
        """,
    ),
    Case(
        "left columns of a single join pass, right ones stay",
        lambda: joined("single", right=u.head(2)).filter((col("d") < 3) & (col("w") > 5)),
        """
        Filter w > 5
          Join single on a == k
            Filter d < 3
              Scan t [a, b, c, d]
            Limit 2
              Scan u [k, v, w]
        """,
    ),
)
def test_push_filter_below_join(case):
    check("push_filter_below_join", case)


@cases(
    Case("a mark that nobody asks for", lambda: joined("mark").select("a"), "Project a\n  Scan t [a] 1 of 4 columns"),
    Case("a value that nobody asks for", lambda: joined("single", right=u.head(2)).select("a"), "Project a\n  Scan t [a] 1 of 4 columns"),
    Case(
        "a mark that somebody asks for",
        lambda: joined("mark").select("d", "m"),
        """
        Project d, m
          Join mark as m on a == k
            Scan t [a, d] 2 of 4 columns
            Scan u [k] 1 of 3 columns
        """,
    ),
)  # fmt: skip
def test_push_projection(case):
    check("push_projection", case)
