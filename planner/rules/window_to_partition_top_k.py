"""The first rows of each partition, found without ranking all rows."""

from __future__ import annotations

from typing import NamedTuple

from lazyframe.planner.algebra.points import MIRRORED
from lazyframe.planner.graph import replace
from lazyframe.planner.relations import Filter, PartitionTopK, Plan, Window
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.relations.window import RANKINGS
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import (
    Call,
    Case,
    Column,
    Literal,
    Scalar,
    WindowCall,
    conjuncts,
    is_literal_null,
    is_volatile,
)
from lazyframe.planner.statistics import estimate

_MOST = 100_000
"""More rows of a partition are not a few of many."""

_SHARE = 0.5
"""Where more than this of all rows would be left, by the estimate, they are ranked once."""


@rule(Filter, over=Window)
def window_to_partition_top_k(plan: Filter) -> Plan | None:
    """Filter (n <= k & p) (Window w as n x)  =>  Filter p (Window w as n (PartitionTopK w <= k x)), where w is row_number(), rank() or dense_rank().

    Sound: the place of a row depends on the rows before it alone, and of those none is removed: they have places that are no
    greater. Rows behind the k-th are not kept while the rows are read, and the filter is true of all that are left. With
    `n = k`, `n < k` or a list of places it keeps what it says.

    Not beside another function in the same Window, as a sum over the partition, which sees all rows; nor where w or p is
    volatile. Not `n >= k`, which is true of the rows behind. Not under an OR. Not where most rows would be left anyway.
    """
    window = plan.input
    assert isinstance(window, Window)
    if is_volatile(plan.predicate) or isinstance(window.input, PartitionTopK):
        return None
    first = window.calls[0][1]
    assert isinstance(first, WindowCall)
    if first.function not in RANKINGS or not all([_is_alike(call, first) for _, call in window.calls]):
        return None
    calls = dict(window.calls)
    parts = conjuncts(plan.predicate)
    for part in parts:
        found = _most(part, calls)
        if found is None:
            continue
        name, most, is_all = found
        kept = PartitionTopK(window.input, calls[name], most)
        rows, left = estimate(window.input), estimate(kept)
        if rows is not None and left is not None and left > _SHARE * rows:
            return None
        below = replace(window, input=kept)
        return filtered(below, [other for other in parts if not is_all or other is not part])
    return None


def _is_alike(call: Scalar, other: WindowCall) -> bool:
    """Whether a function ranks the rows of the same partitions in the same order."""
    return (
        isinstance(call, WindowCall)
        and call.function in RANKINGS
        and not is_volatile(call)
        and call.partition == other.partition
        and call.order == other.order
    )


class _Bound(NamedTuple):
    """The name of a ranking, the greatest place that a condition is true of, and whether it is true of all up to that."""

    name: str
    most: int
    is_all: bool


def _most(part: Scalar, calls: dict[str, Scalar]) -> _Bound | None:
    """How a condition bounds a ranking."""
    match part:
        case Call(function=function, args=(Column(name=name), Literal(value=value))) if name in calls:
            pass
        case Call(function=function, args=(Literal(value=value), Column(name=name))) if name in calls:
            function = MIRRORED.get(function, "")
        case Call(args=(Case(values=(absent,), otherwise=Column() as ranked), Literal() as bound)) if is_literal_null(
            absent
        ):
            # A rank of values, which nulls have none of.
            found = _most(replace(part, args=(ranked, bound)), calls)
            return found and found._replace(is_all=False)
        case Call(function="is_in", args=(Column(name=name),)) if name in calls:
            places = [each for each in dict(part.options)["values"].to_pylist() if isinstance(each, int)]
            return _bounded(name, max(places, default=0), is_all=False)
        case _:
            return None
    count = value.as_py()
    if type(count) is not int:
        return None
    match function:
        case "less_equal":
            return _bounded(name, count, is_all=True)
        case "less":
            return _bounded(name, count - 1, is_all=True)
        case "equal":
            return _bounded(name, count, is_all=count == 1)
    return None


def _bounded(name: str, count: int, *, is_all: bool) -> _Bound | None:
    return _Bound(name, count, is_all) if 1 <= count <= _MOST else None
