"""Orders of rows that nobody sees."""

from __future__ import annotations

from lazyframe.planner.graph import fold, postorder, pullback, replace
from lazyframe.planner.predicates import has_floats
from lazyframe.planner.properties import is_unique
from lazyframe.planner.relations import (
    Aggregate,
    AsofJoin,
    Distinct,
    Explode,
    Filter,
    Join,
    Limit,
    Plan,
    Project,
    Reverse,
    SetOperation,
    Shared,
    Sort,
    TopK,
    Union,
    Unpivot,
)
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import AggregateCall, Column, Scalar, SortKey, is_volatile

_ORDERS = (Sort, Reverse)

_EXACT = frozenset(
    ["len", "count", "n_unique", "approx_n_unique", "sum", "mean", "product", "min", "max", "any", "all", "median",
     "quantile", "bit_and", "bit_or", "bit_xor"]
)  # fmt: skip
"""Aggregates of which it does not matter in which order they get values other than floats."""


@rule(Plan)
def forget_order(plan: Plan) -> Plan | None:
    """Sort x  =>  x, and Join a b in order  =>  Join a b in any order, where nothing above tells one order from another.

    Sound: whoever reads the rows gets the same from any order of them: counts, and sums of integers and decimals; groups that
    are sorted by all their keys afterwards; a side of a join in any order. A join in any order can be put in a better place.

    Not below the result itself, a limit, a window or a row number. Not where ties of a sort above come in the order of the
    rows: only by a unique key there are none. Not below sums of floats, whose last bits depend on the order, nor below `first`
    or a `list`. Groups come in the order of their first rows, so that for them it matters where it matters for the groups.
    """
    if not any([(isinstance(each, Join) and each.ordered) or isinstance(each, _ORDERS) for each in postorder(plan)]):
        return None
    asked = pullback(plan, True, _asks, bool.__or__)

    def over(current: Plan, children: list[Plan]) -> Plan:
        match current:
            case Sort() | Reverse() if not asked[id(current)]:
                return children[0]
            case Join(ordered=True) if not asked[id(current)]:
                left, right = children
                return replace(current, left=left, right=right, ordered=False)
        return current.with_children(children)

    result = fold(plan, over)
    return None if result is plan else result


def _asks(plan: Plan, asked: bool) -> list[bool]:
    """For each child whether something could tell in which order its rows come."""
    if any(map(is_volatile, plan.scalars())):
        return [True] * len(plan.children())
    match plan:
        case Aggregate(keys=keys, aggregates=aggregates):
            by_order = any([depends_on_order(call) for _, call in aggregates])
            return [by_order or any([has_floats(key.dtype) for _, key in keys]) or (asked and bool(keys))]
        case Sort(keys=keys) | TopK(keys=keys):
            return [(asked or isinstance(plan, TopK)) and not _has_no_ties(plan.input, keys)]
        case Limit(count=0):
            return [False]
        case Join(ordered=ordered, kind=kind):
            either = asked and ordered
            return [either, either and kind not in ("semi", "anti", "mark")]
        case AsofJoin():
            return [asked, True]
        case Distinct(subset=subset, keep=keep):
            alike = len(subset) == len(plan.schema) and not any(map(has_floats, plan.schema.types))
            return [asked or not (alike or keep == "none")]
        case SetOperation():
            return [asked or any(map(has_floats, plan.schema.types)), False]
        case Filter() | Project() | Explode() | Unpivot() | Shared() | Reverse() | Union():
            return [asked] * len(plan.children())
    return [True] * len(plan.children())


def _has_no_ties(plan: Plan, keys: tuple[Scalar, ...]) -> bool:
    return is_unique(plan, {key.arg.name for key in keys if isinstance(key, SortKey) and isinstance(key.arg, Column)})


def depends_on_order(scalar: Scalar) -> bool:
    """Whether the order of the rows can change the value of an aggregate, if only in the last bits of a sum of floats."""
    return not (
        isinstance(scalar, AggregateCall)
        and scalar.function in _EXACT
        and (scalar.function == "count" or not any([has_floats(argument.dtype) for argument in scalar.args]))
    )


__all__ = ["depends_on_order", "forget_order"]
