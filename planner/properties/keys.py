"""Unique keys: sets of columns in which no two rows of a plan are equal.

Equal as groups are: NULL is equal to NULL, NaN to NaN, -0.0 to 0.0. The empty set is a key of at most one row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from lazyframe.planner.graph import remembered
from lazyframe.planner.relations import (
    Aggregate,
    AsofJoin,
    Cache,
    Distinct,
    Filter,
    Interpolate,
    Join,
    Limit,
    PartitionTopK,
    Plan,
    Project,
    Recursion,
    Reverse,
    RowIndex,
    Sample,
    SetOperation,
    Shared,
    Sort,
    Tail,
    TopK,
    Union,
    Values,
    Window,
)
from lazyframe.planner.scalars import Call, Column, Literal, Scalar, conjuncts

Key = frozenset[str]
Keys = tuple[Key, ...]

_MOST = 6
"""So many keys of a plan are kept: the smallest."""

_ONE_ROW: Keys = (frozenset(),)


def unique_keys(plan: Plan) -> Keys:
    """Sets of columns in which no two rows are equal; none of them holds another. There may be more."""
    return remembered(plan, "_keys", _keys)


def is_unique(plan: Plan, names: Collection[str]) -> bool:
    """Whether no two rows are equal in all these columns."""
    return any([key.issubset(names) for key in unique_keys(plan)])


def is_unique_on(plan: Plan, keys: Iterable[Scalar]) -> bool:
    """Whether no two rows are equal in the values of these expressions, which a join takes for its keys."""
    return bool(unique_keys(plan)) and is_unique(plan, {key.name for key in keys if isinstance(key, Column)})


def has_at_most_one_row(plan: Plan) -> bool:
    return frozenset() in unique_keys(plan)


def _keys(plan: Plan, below: Sequence[Keys]) -> Keys:
    match plan:
        case Values(count=count):
            return _ONE_ROW if count <= 1 else ()
        case Aggregate(keys=keys):
            return _of_groups(keys, below[0])
        case Distinct(subset=subset):
            return _least([*below[0], frozenset(subset)])
        case Limit(count=count) | TopK(count=count) | Tail(count=count):
            return _ONE_ROW if count is not None and count <= 1 else below[0]
        case Project(exprs=exprs):
            return _renamed(below[0], exprs)
        case Filter(predicate=predicate):
            return _of_filter(below[0], predicate)
        case RowIndex(name=name):
            return _least([*below[0], frozenset((name,))])
        case Join():
            return _of_join(plan, *below)
        case AsofJoin() | Sort() | Reverse() | Shared() | Cache() | Window() | PartitionTopK():
            return below[0]
        case Sample(with_replacement=replaces):
            return () if replaces else below[0]
        case Interpolate(columns=columns):
            return tuple([key for key in below[0] if key.isdisjoint(columns)])
        case SetOperation(keep_duplicates=duplicates):
            return below[0] if duplicates else _least([*below[0], frozenset(plan.schema.names)])
        case Recursion(distinct=True):
            return (frozenset(plan.schema.names),)
        case Union(inputs=(_,)):
            return below[0]
    return ()


def _least(found: Collection[Key]) -> Keys:
    """The smallest of some keys, without those that hold another."""
    kept: list[Key] = []
    for key in sorted(found, key=len):
        if not any([other <= key for other in kept]):
            kept.append(key)
    return tuple(kept[:_MOST])


def _of_groups(keys: Sequence[tuple[str, Scalar]], below: Keys) -> Keys:
    """All keys of the groups together; or some of them, where those were a key before."""
    passed = _renamed(below, keys) if below else ()
    return _least([*passed, frozenset([name for name, _ in keys])])


def _renamed(below: Keys, exprs: Sequence[tuple[str, Scalar]]) -> Keys:
    """The keys whose columns come out, by their new names."""
    if not below:
        return ()
    names: dict[str, str] = {}
    for name, scalar in exprs:
        if isinstance(scalar, Column):
            names.setdefault(scalar.name, name)
    return tuple([frozenset([names[name] for name in key]) for key in below if names.keys() >= key])


def _of_filter(below: Keys, predicate: Scalar) -> Keys:
    """A column that has one value in all rows tells none of them apart."""
    if not below:
        return ()
    fixed = set()
    for part in conjuncts(predicate):
        match part:
            # A float is equal to all the decimals that are nearest to it.
            case Call(function="equal", args=(Column(name=name) as a, Literal() as b)) if a.dtype == b.dtype:
                fixed.add(name)
            case Call(function="equal", args=(Literal() as a, Column(name=name) as b)) if a.dtype == b.dtype:
                fixed.add(name)
            case Call(function="is_null", args=(Column(name=name),)):
                fixed.add(name)
    return _least([key - fixed for key in below]) if fixed else below


def _of_join(join: Join, left: Keys, right: Keys) -> Keys:
    if join.kind in ("semi", "anti", "mark", "single"):
        return left
    if join.kind == "full" or not (left or right):
        return ()
    # Where a row has one partner at most, it comes once at most. What an outer join fills with nulls is no row of that side.
    found: list[Key] = []
    if join.kind != "right" and right and is_unique_on(join.right, join.right_keys):
        found.extend(left)
    if join.kind != "left" and left and is_unique_on(join.left, join.left_keys):
        found.extend(right)
    return _least([*found, *[a | b for a in left for b in right]])


__all__ = ["Key", "Keys", "has_at_most_one_row", "is_unique", "is_unique_on", "unique_keys"]
