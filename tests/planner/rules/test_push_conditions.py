"""Conditions of joins that go to a side, or become keys."""

from __future__ import annotations

import lazyframe as lf
from lazyframe.frame import LazyFrame
from lazyframe.planner.bind import bind_predicate
from lazyframe.planner.relations import Join
from lazyframe.planner.relations.project import column
from lazyframe.planner.schema import Schema
from tests.planner.rules.harness import Case, cases, check, t, u

col = lf.col


def joined(kind: str, condition, keys: bool = True, **options) -> LazyFrame:
    a, b = t._plan, u._plan
    bound = bind_predicate(condition._node, Schema([*a.schema, *b.schema]), "a condition")
    on = ((column(a.schema, "a"),), (column(b.schema, "k"),)) if keys else ((), ())
    return LazyFrame(Join(a, b, kind, *on, bound, mark="m" if kind == "mark" else "", **options))


def sides(kind: str, left: str = "", right: str = "", join: str = "") -> str:
    a = f"  Filter {left}\n    Scan t [a, b, c, d]" if left else "  Scan t [a, b, c, d]"
    b = f"  Filter {right}\n    Scan u [k, v, w]" if right else "  Scan u [k, v, w]"
    return f"Join {kind} on a == k{join}\n{a}\n{b}"


BOTH = (col("d") < 3) & (col("w") > 7) & (col("d") < col("w"))


@cases(
    Case("inner: both sides", lambda: joined("inner", BOTH), sides("inner", "d < 3", "w > 7", " if d < w")),
    Case("semi: both sides", lambda: joined("semi", BOTH), sides("semi", "d < 3", "w > 7", " if d < w")),
    Case("left: the right side", lambda: joined("left", BOTH), sides("left", "", "w > 7", " if d < 3 & d < w")),
    Case("anti: the right side", lambda: joined("anti", BOTH), sides("anti", "", "w > 7", " if d < 3 & d < w")),
    Case(
        "mark: the right side", lambda: joined("mark", BOTH), sides("mark as m", "", "w > 7", " if d < 3 & d < w")
    ),
    Case("right: the left side", lambda: joined("right", BOTH), sides("right", "d < 3", "", " if w > 7 & d < w")),
    Case("full: neither", lambda: joined("full", BOTH)),
    Case(
        "an equality is a key of every join",
        lambda: joined("full", (col("a") == col("k")) & (col("d") < col("w")), keys=False),
        sides("full", join=" if d < w"),
    ),
    Case(
        "numbers that compare exactly are keys as floats, and still compared",
        lambda: joined("left", col("b") == col("w")),
        sides("left", join=" & b == cast(w as float64) if b == w"),
    ),
    Case(
        "a part that may raise stays",
        lambda: joined("inner", (col("w") // (col("k") - 6) < 0) & (col("w") > 7)),
        sides("inner", "", "w > 7", " if w // (k - 6) < 0"),
    ),
    Case(
        "a join that counts partners sees them all",
        lambda: joined("inner", BOTH, validate="1:m"),
        runs=False,
    ),
    Case("volatile", lambda: joined("inner", (lf.random() < 0.5) & (col("d") < 3)), runs=False),
)  # fmt: skip
def test_push_condition_below_join(case):
    check("push_condition_below_join", case)
