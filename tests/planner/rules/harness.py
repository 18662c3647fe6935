"""What the tests of rules share: tables, makers of nodes, one rule applied alone, and rows as they are written."""

from __future__ import annotations

import atexit
import math
from datetime import date
from decimal import Decimal
from functools import cache, reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import lazyframe as lf
from lazyframe.executors.sources.memory import MemorySource
from lazyframe.frame import LazyFrame
from lazyframe.planner import relations
from lazyframe.planner.bind import bind_predicate
from lazyframe.planner.build.asof import asof_join
from lazyframe.planner.optimizer import Firing, optimize, rule_names
from lazyframe.planner.relations import Explode, Join, Plan, Project, Shared
from lazyframe.planner.relations.project import column
from lazyframe.planner.relations.scan import scan
from lazyframe.planner.schema import Schema
from lazyframe.session import execute

NAN = float("nan")


def frame(name: str, data: dict[str, pa.Array]) -> LazyFrame:
    return LazyFrame(scan(MemorySource(pa.table(data), name)))


def plan_of(query: LazyFrame) -> Plan:
    return query._plan


t = frame(
    "t",
    {
        "a": pa.array([1, 2, 3, 4, 5]),
        "b": pa.array([0.5, 1.5, None, NAN, -0.0]),
        "c": pa.array(["x", "y", "x", None, "z"]),
        "d": pa.array([0, 1, 2, 0, 4]),
    },
)
u = frame(
    "u", {"k": pa.array([1, 2, 2, 6, None]), "v": pa.array(["x", "y", "z", "x", "y"]), "w": pa.array([9, 8, 7, 6, 5])}
)
s = frame("s", {"a": pa.array([5, 6]), "b": pa.array([0.0, 2.5]), "c": pa.array(["z", "q"]), "d": pa.array([1, 1])})
lists = frame("lists", {"i": pa.array([1, 2, 3]), "xs": pa.array([[1, 2], [], None], pa.list_(pa.int64()))})
floats = frame("floats", {"x": pa.array([0.0, -0.0, 2.0, NAN, None]), "y": pa.array([1, 2, 3, 4, 5])})
kinds = frame(
    "kinds",
    {
        "i8": pa.array([-128, 0, 5, None, 127], pa.int8()),
        "i32": pa.array([-(2**31), 4, 5, None, 2**31 - 1], pa.int32()),
        "i64": pa.array([2**53, 2**53 + 1, -(2**63), None, 2**63 - 1]),
        "f": pa.array([NAN, -0.0, 2.5, None, math.inf]),
        "m": pa.array([Decimal("0.05"), Decimal("-1.10"), Decimal("3.00"), None, Decimal("99999999.99")], pa.decimal128(10, 2)),
        "day": pa.array([date(1993, 12, 31), date(1994, 1, 1), date(1994, 12, 31), None, date(1995, 1, 1)]),
        "ts": pa.array(["1993-12-31 23:59", "1994-01-01", "1994-12-31 05:00", None, "1995-01-01"]).cast(pa.timestamp("us")),
        "paris": pa.array([0, 10**15, 757_378_800_000_000, None, 5], pa.timestamp("us", "Europe/Paris")),
        "text": pa.array(["abc", "ab", "abd%", None, ""]),
        "p": pa.array([True, False, True, None, False]),
    },
)  # fmt: skip
nested = frame(
    "nested",
    {
        "k": pa.array([1, 2, 3, 4, 5]),
        "s": pa.array(
            [{"a": 1, "b": {"c": "x", "d": [1, 2]}}, None, {"a": None, "b": None}, {"a": 4, "b": {"c": None, "d": None}}, {"a": 5, "b": {"c": "z", "d": []}}]
        ),
    },
)  # fmt: skip
lots = frame(
    "lots",
    {
        "g": pa.array([1, 2, None, 1, 1, 2, None, 1] * 50),
        "x": pa.array([0.5, None, NAN, -0.0, 0.0, 1.0, 2.0, None, 3.5, 1.0] * 40),
    },
)
big = frame(
    "big",
    {
        "k": pa.array([1, 2, 2, None, 9] * 24_000),
        "v": pa.array([1, None, 3, 4, 5] * 24_000, pa.int32()),
        "w": pa.array([2**40, 2, 3, None, 5] * 24_000),
        "f": pa.array([0.5, NAN, -0.0, None, 2.5] * 24_000),
        "m": pa.array([Decimal("0.05"), Decimal("-1.10"), None, Decimal("3.00"), Decimal("9.99")] * 24_000),
    },
)
TABLES = {
    "t": t,
    "u": u,
    "s": s,
    "lists": lists,
    "floats": floats,
    "kinds": kinds,
    "nested": nested,
    "lots": lots,
    "big": big,
}
"""What the queries of text cases may read, in SQL too."""


def empty(query: LazyFrame) -> LazyFrame:
    """A table of these columns without rows."""
    return frame("empty", {name: pa.array([], query.schema.to_arrow().field(name).type) for name in query.columns})


def shared(query: LazyFrame) -> LazyFrame:
    """The rows of a query, computed once for all their readers, as those of a WITH are."""
    return LazyFrame(Shared(query._plan))


def pairs(how: str) -> LazyFrame:
    """`t` and `u`, joined by a verb on a == k."""
    return t.join(u, how="cross") if how == "cross" else t.join(u, left_on="a", right_on="k", how=how, coalesce=False)


def joined(
    kind: str,
    condition: lf.Expr | None = None,
    left: LazyFrame = t,
    right: LazyFrame = u,
    *,
    keys: bool = True,
    **options: Any,
) -> LazyFrame:
    """The node of a join of this kind on a == k with this condition, of a mark join with the mark `m`."""
    a, b = plan_of(left), plan_of(right)
    bound = condition
    if condition is not None:
        bound = bind_predicate(condition._node, Schema([*a.schema, *b.schema]), "a condition")
    on = ((column(a.schema, "a"),), (column(b.schema, "k"),)) if keys else ((), ())
    return LazyFrame(Join(a, b, kind, *on, bound, mark="m" if kind == "mark" else "", **options))


def asof(**options: Any) -> LazyFrame:
    """Rows of t with the row of u whose k is nearest to a, of those where c is v."""
    a, b = plan_of(t), plan_of(u)
    on = (column(a.schema, "a"), column(b.schema, "k"))
    return LazyFrame(asof_join(a, b, on, [(column(a.schema, "c"), column(b.schema, "v"))], **options))


def products(*frames: LazyFrame, ordered: bool = False) -> LazyFrame:
    """All combinations of rows, as `FROM a, b, c` has them."""
    first, *others = map(plan_of, frames)
    return LazyFrame(reduce(lambda a, b: Join(a, b, "cross", ordered=ordered), others, first))


def window(query: LazyFrame = t, /, **calls: lf.Expr) -> LazyFrame:
    """The rows with columns of window functions, which are named after these, and no projection above them."""
    plan = plan_of(query.select(**calls))
    assert isinstance(plan, Project)
    return LazyFrame(plan.input)


def numbered(query: LazyFrame) -> LazyFrame:
    """The items of the lists `xs`, numbered in `n`."""
    return LazyFrame(Explode(plan_of(query), ("xs",), ordinality="n"))


@cache
def folder() -> TemporaryDirectory[str]:
    """Where `parquet` writes."""
    made = TemporaryDirectory()
    atexit.register(made.cleanup)
    return made


def parquet(query: LazyFrame, name: str = "file", group: int = 2) -> LazyFrame:
    """The rows of a query read from a Parquet file of this name, `group` rows to a row group."""
    path = Path(folder().name) / f"{name}.parquet"
    pq.write_table(query.to_arrow(), path, row_group_size=group)
    return lf.scan_parquet(path)


NAMES = {
    **{name: getattr(relations, name) for name in relations.__all__},
    **TABLES,
    "lf": lf, "pa": pa, "col": lf.col, "lit": lf.lit, "when": lf.when, "random": lf.random, "concat": lf.concat,
    "LazyFrame": LazyFrame, "frame": frame, "empty": empty, "shared": shared, "parquet": parquet,
    "totals": shared(t.group_by("d").agg(n=lf.len(), m=lf.col("a").max(), rest=lf.col("c").min())),
    "pairs": pairs, "joined": joined, "asof": asof, "products": products, "window": window, "numbered": numbered,
}  # fmt: skip
"""What the queries of text cases may name in Python: the tables, the common functions, and the nodes of plans."""


def alone(rule: str, plan: Plan) -> tuple[Plan, list[Firing]]:
    """The plan with this one rule applied, and its firings."""
    trace: list[Firing] = []
    others = [name for name in rule_names() if name != rule]
    return optimize(plan, disable=others, trace=trace, check=True), trace


def rows(plan: Plan) -> list[str]:
    """The rows of a plan as they are written, so that NaN equals NaN and -0.0 differs from 0.0."""
    return [repr(row) for row in execute(plan, optimize=False).to_pylist()]
