"""How many rows a plan will give: guesses from what the sources know, without reading anything."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

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
from lazyframe.planner.scalars import Call, Cast, Column, Literal, Scalar, conjuncts
from lazyframe.planner.sources import ColumnStatistics, Statistics

EQUALITY = 0.1
RANGE = 0.3
OTHER = 0.25
ITEMS = 4.0
"""What is guessed where nothing is known: the share of rows that an equality, a range or another condition keeps, and how
many items a list has."""

GROUPS = 0.75
"""The number of groups is guessed as the number of rows to this power."""

_FAR = 100
"""So many nodes down we look for the table that a column comes from."""

_RANGES = {"less", "less_equal", "greater", "greater_equal"}
_MIRROR = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}


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
        case Filter(predicate=predicate):
            return children[0] * selectivity(predicate)
        case Join():
            return _join_rows(plan, *children)
        case AsofJoin():
            return children[0]
        case Aggregate():
            return _groups(children[0])
        case Distinct(subset=subset):
            return children[0] if len(subset) == len(plan.schema) else _groups(children[0])
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
        rows *= selectivity(scan.predicate, statistics)
    return rows if scan.limit is None else min(rows, scan.limit)


def _limited(rows: float | None, count: int | None, offset: int) -> float | None:
    if rows is None:
        return None if count is None else float(count)
    left = max(rows - offset, 0.0)
    return left if count is None else min(left, count)


def _groups(rows: float) -> float:
    return min(rows, math.ceil(rows**GROUPS))


def _join_rows(join: Join, left: float, right: float) -> float:
    """Keys are taken for references to a key of the side that has fewer of them (see `distinct_keys`)."""
    if join.kind == "cross":
        return left * right
    if join.kind in ("semi", "anti"):
        return left * 0.5
    if join.kind in ("mark", "single"):
        return left
    pairs = left * right
    if join.left_keys:
        keys = zip(join.left_keys, join.right_keys, strict=True)
        pairs /= distinct_keys([(_domain(join.left, a, left), _domain(join.right, b, right)) for a, b in keys])
    if join.condition is not None:
        pairs *= selectivity(join.condition)
    match join.kind:
        case "left":
            return max(pairs, left)
        case "right":
            return max(pairs, right)
        case "full":
            return max(pairs, left, right)
    return pairs


class Domain(NamedTuple):
    """What a key may be: at most how many values, of a table of how many rows, and which table that is."""

    values: float
    rows: float
    table: int


def distinct_keys(keys: Sequence[tuple[Domain, Domain]]) -> float:
    """About how many different keys two sides have in common: a row of one has `rows of the other / keys` partners.

    The values of one side are taken to be among those of the other, as those of a foreign key are. Several columns of one
    table have no more different values together than the table has rows.
    """
    values = math.prod([min(a.values, b.values) for a, b in keys])
    sides = list(zip(*keys, strict=True))
    rows = [max([domain.rows for domain in side]) for side in sides]
    alone = all([len({domain.table for domain in side}) == 1 for side in sides])
    return max(min(values, min(rows) if alone else max(rows)), 1.0)


def domain(plan: Plan, key: Scalar) -> Domain | None:
    """What a key over a plan may be, before anything was filtered; None where it is computed, or nothing is known."""
    while isinstance(key, Cast):
        key = key.arg
    if not isinstance(key, Column):
        return None
    name, current = key.name, plan
    for _ in range(_FAR):
        match current:
            case Scan():
                return _domain_of(current, name)
            case Project():
                value = current.bindings[name]
                if not isinstance(value, Column):
                    return None
                name, current = value.name, current.input
            case Aggregate(keys=keys):
                key_value = dict(keys).get(name)
                if not isinstance(key_value, Column):
                    return None
                name, current = key_value.name, current.input
            case _:
                below = [child for child in current.children() if name in child.schema]
                if len(below) != 1:
                    return None
                (current,) = below
    return None


def _domain(plan: Plan, key: Scalar, rows: float) -> Domain:
    return domain(plan, key) or Domain(rows, rows, id(plan))


def _domain_of(scan: Scan, name: str) -> Domain | None:
    statistics = scan.source.statistics()
    if statistics.rows is None:
        return None
    rows = float(statistics.rows)
    column = statistics.columns.get(name)
    if column is None:
        return Domain(rows, rows, id(scan.source))
    values = rows if column.distinct is None else min(rows, float(column.distinct))
    match column.minimum, column.maximum:
        case int(low), int(high):
            values = min(values, high - low + 1.0)
        case dt.date(), dt.date() if not isinstance(column.minimum, dt.datetime):
            values = min(values, (column.maximum - column.minimum).days + 1.0)
    return Domain(values, rows, id(scan.source))


_UNKNOWN = Statistics()


def selectivity(predicate: Scalar, statistics: Statistics = _UNKNOWN) -> float:
    """About which share of rows a predicate keeps."""
    kept = 1.0
    for part in conjuncts(predicate):
        kept *= _share(part, statistics)
    return kept


def _share(part: Scalar, statistics: Statistics) -> float:
    match part:
        case Literal(value=value):
            return 1.0 if value.as_py() is True else 0.0
        case Call(function="not", args=(Call() as inner,)) if inner.function not in ("and", "or", "not"):
            return 1.0 - _share(inner, statistics)
        case Call(function="or", args=args):
            # Nothing is known of how far the two overlap; a long chain of them leans to one side.
            shares = [
                0.5 if isinstance(a, Call) and a.function in ("and", "or") else _share(a, statistics) for a in args
            ]
            return min(1.0, sum(shares))
        case Call(function="is_null", args=(Column(name=name),)):
            return _null_share(name, statistics)
        case Call(function="is_not_null", args=(Column(name=name),)):
            return 1.0 - _null_share(name, statistics)
        case Call(function="is_in", args=(arg,)):
            values = len(dict(part.options)["values"])
            return min(1.0, values * _share_of_equal(arg, statistics))
        case Call(function="equal" | "equal_missing", args=args):
            return _share_of_equal(args[0] if isinstance(args[1], Literal) else args[1], statistics)
        case Call(function="not_equal" | "not_equal_missing", args=args):
            return 1.0 - _share_of_equal(args[0] if isinstance(args[1], Literal) else args[1], statistics)
        case Call(function=function, args=(Column(name=name), Literal(value=value))) if function in _RANGES:
            return _share_of_range(function, statistics.columns.get(name), value.as_py())
        case Call(function=function, args=(Literal(value=value), Column(name=name))) if function in _RANGES:
            return _share_of_range(_MIRROR[function], statistics.columns.get(name), value.as_py())
        case Call(function=function) if function in _RANGES:
            return RANGE
    return OTHER


def _null_share(name: str, statistics: Statistics) -> float:
    column = statistics.columns.get(name)
    if column is None or column.nulls is None or not statistics.rows:
        return EQUALITY
    return min(1.0, column.nulls / statistics.rows)


def _share_of_equal(arg: Scalar, statistics: Statistics) -> float:
    column = statistics.columns.get(arg.name) if isinstance(arg, Column) else None
    return 1.0 / column.distinct if column is not None and column.distinct else EQUALITY


def _share_of_range(function: str, column: ColumnStatistics | None, value: Any) -> float:
    """Where the value lies between the least and the greatest, as if all between were equally frequent."""
    if column is None:
        return RANGE
    low, high, at = _position(column.minimum), _position(column.maximum), _position(value)
    if low is None or high is None or at is None:
        return RANGE
    if high <= low:
        below = 0.0 if at < low or (at == low and function in ("less", "greater_equal")) else 1.0
    else:
        below = min(max((at - low) / (high - low), 0.0), 1.0)
    return below if function in ("less", "less_equal") else 1.0 - below


def _position(value: object) -> float | None:
    """A number or an instant as a point on a line."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float, decimal.Decimal)):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, dt.datetime):
        return (value.replace(tzinfo=None) - dt.datetime(1970, 1, 1)).total_seconds()  # noqa: DTZ001
    if isinstance(value, dt.date):
        return float(value.toordinal() - dt.date(1970, 1, 1).toordinal()) * 86_400
    return None


__all__ = [
    "EQUALITY",
    "GROUPS",
    "ITEMS",
    "OTHER",
    "RANGE",
    "Domain",
    "distinct_keys",
    "domain",
    "estimate",
    "selectivity",
]
