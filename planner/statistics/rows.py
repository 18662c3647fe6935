"""How many rows a plan will give."""

from __future__ import annotations

import math
from collections.abc import Iterable

from lazyframe.planner.graph import remembered
from lazyframe.planner.relations import (
    Aggregate,
    AsofJoin,
    Cache,
    Distinct,
    Explode,
    Filter,
    HorizontalConcat,
    Interpolate,
    Join,
    Limit,
    MapBatches,
    PartitionTopK,
    Plan,
    Project,
    Recursion,
    RecursionInput,
    Reverse,
    RowIndex,
    Sample,
    Scan,
    SetOperation,
    Shared,
    Shift,
    Sort,
    Tail,
    TopK,
    Union,
    Unpivot,
    Values,
    Window,
)
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Scalar, WindowCall
from lazyframe.planner.statistics.domains import Domain, common_values, domain, sample_of, seen_values
from lazyframe.planner.statistics.selectivity import selectivity
from lazyframe.planner.statistics.skew import skew

ITEMS = 4.0
"""How many items a list is taken to have."""

GROUPS = 0.75
"""Where nothing is known of the keys, the number of groups is guessed as the number of rows to this power."""

PARTNERS = 0.5
"""The share of rows that have a partner, where nothing is known of the keys."""

WITHOUT = 0.01
"""At least this share of rows is taken to have none."""


def estimate(plan: Plan) -> float | None:
    """About how many rows the plan gives; None where a source does not know how many it has."""
    return remembered(plan, "_rows", _rows)


def _rows(plan: Plan, children: list[float | None]) -> float | None:
    match plan:
        case Scan():
            return _scan_rows(plan)
        case Values(count=count):
            return float(count)
        case RecursionInput() | Recursion():
            return None
        case Aggregate(keys=()):
            return 1.0
        case Limit(count=count, offset=offset):
            return _limited(children[0], count, offset)
        case TopK(count=count, offset=offset):
            return _limited(children[0], count, offset)
        case Tail(count=count):
            return _limited(children[0], count, 0)
        case Sample(count=int(count)):
            return float(count) if plan.with_replacement else _limited(children[0], count, 0)
    known = [rows for rows in children if rows is not None]
    if len(known) < len(children):
        return None
    return _rows_of_known(plan, known)


def _rows_of_known(plan: Plan, children: list[float]) -> float:
    match plan:
        case Filter(input=Scan(source=source), predicate=predicate):
            return children[0] * selectivity(predicate, source.statistics(), sample_of(source))
        case Filter(predicate=predicate):
            return children[0] * selectivity(predicate)
        case Join():
            return _join_rows(plan, *children)
        case AsofJoin():
            return children[0]
        case Aggregate(keys=keys):
            return _groups(plan.input, [key for _, key in keys], children[0])
        case Distinct(subset=subset):
            return _groups(plan.input, [column(plan.schema, name) for name in subset], children[0])
        case PartitionTopK(call=WindowCall(partition=keys), count=count):
            return min(children[0], count * _groups(plan.input, keys, children[0]))
        case Union():
            return sum(children)
        case SetOperation(kind=kind):
            return children[0] if kind == "except" else min(children)
        case HorizontalConcat():
            return max(children, default=0.0)
        case Explode():
            return children[0] * ITEMS
        case Unpivot(on=on):
            return children[0] * len(on)
        case Sample(fraction=fraction):
            return children[0] * (fraction or 0.0)
        case (
            Project()
            | Sort()
            | Reverse()
            | Shift()
            | Interpolate()
            | RowIndex()
            | MapBatches()
            | Cache()
            | Shared()
            | Window()
        ):
            return children[0]
    raise AssertionError(f"no estimate for {type(plan).__name__}")


def _scan_rows(scan: Scan) -> float | None:
    statistics = scan.source.statistics()
    if statistics.rows is None:
        return None if scan.limit is None else float(scan.limit)
    rows = float(statistics.rows)
    if scan.predicate is not None:
        rows *= selectivity(scan.predicate, statistics, sample_of(scan.source))
    return rows if scan.limit is None else min(rows, scan.limit)


def _limited(rows: float | None, count: int | None, offset: int) -> float | None:
    if rows is None:
        return None if count is None else float(count)
    left = max(rows - offset, 0.0)
    return left if count is None else min(left, count)


def _groups(plan: Plan, keys: Iterable[Scalar], rows: float) -> float:
    """About how many groups some rows make by `keys`."""
    if rows < 1:
        return rows
    values, table = 1.0, 0.0
    known = True
    for key in keys:
        found = domain(plan, key)
        if found is None:
            return min(rows, math.ceil(rows**GROUPS))
        values *= found.values + (found.present < 1)  # null is a group
        table = max(table, found.rows)
        known = known and found.known
    if not known:
        return min(rows, values, math.ceil(rows**GROUPS))
    return min(max(seen_values(min(values, table), rows, table), 1.0), rows)


def _join_rows(join: Join, left: float, right: float) -> float:
    if join.kind == "cross":
        return left * right
    if join.kind in ("mark", "single"):
        return left
    keys = [
        (_domain(join.left, a, left), _domain(join.right, b, right))
        for a, b in zip(join.left_keys, join.right_keys, strict=True)
    ]
    met = 1.0 if join.condition is None else selectivity(join.condition)
    if join.kind in ("semi", "anti"):
        share = share_with_partner(keys, right) * met
        return left * (share if join.kind == "semi" else max(1 - share, WITHOUT))
    pairs = left * right * met
    if keys:
        pairs /= common_values(keys)
        for (a, b), left_key, right_key in zip(keys, join.left_keys, join.right_keys, strict=True):
            values = common_values([(a, b)])
            pairs *= skew(join.left, left_key, join.right, right_key, left / values)
            pairs *= skew(join.right, right_key, join.left, left_key, right / values)
    match join.kind:
        case "left":
            return max(pairs, left)
        case "right":
            return max(pairs, right)
        case "full":
            return max(pairs, left, right)
    return pairs


def share_with_partner(keys: Iterable[tuple[Domain, Domain]], rows: float) -> float:
    """About which share of the rows of a side finds a key among so many rows of the other."""
    share, asked = 1.0, False
    for a, b in keys:
        if not (a.known or b.known):
            return PARTNERS
        asked = True
        share *= min(1.0, seen_values(b.values, rows) / common_values([(a, b)]))
    return share if asked else PARTNERS


def _domain(plan: Plan, key: Scalar, rows: float) -> Domain:
    return domain(plan, key) or Domain(max(rows, 1.0), rows, id(plan))


__all__ = ["GROUPS", "ITEMS", "PARTNERS", "WITHOUT", "estimate", "share_with_partner"]
