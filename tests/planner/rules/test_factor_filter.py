"""What the alternatives of a filter have in common."""

from __future__ import annotations

import lazyframe as lf
from tests.planner.rules.harness import Case, cases, check, t, u

col = lf.col


@cases(
    Case(
        "a key of a join in every alternative",
        lambda: t.join(u, how="cross").filter(
            ((col("a") == col("k")) & (col("b") == 1)) | ((col("a") == col("k")) & (col("v") == "z"))
        ),
        """
        Filter a == k & (b == 1.0 | v == 'z')
          Join cross
            Scan t [a, b, c, d]
            Scan u [k, v, w]
        """,
    ),
    Case(
        "one alternative is what all have in common",
        lambda: t.filter(((col("a") > 0) & (col("b") == 1)) | (col("a") > 0)),
        """
        Filter a > 0
          Scan t [a, b, c, d]
        """,
    ),
)
def test_fires(case):
    check("factor_filter", case)


@cases(
    Case("not in every alternative", lambda: t.filter(((col("a") > 0) & (col("b") == 1)) | (col("b") > 2))),
    Case(
        "a part that may raise",
        lambda: t.filter(((col("a") > 0) & (1 // col("d") == 1)) | ((col("a") > 0) & (col("b") > 2))),
        runs=False,
    ),
)
def test_does_not_fire(case):
    check("factor_filter", case)
