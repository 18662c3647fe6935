"""Filters over rows made of rows."""

from __future__ import annotations

from lazyframe.planner.predicates import split
from lazyframe.planner.relations import Explode, Filter, Plan, Unpivot
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_total, is_volatile


@rule(Filter, over=(Explode, Unpivot))
def push_filter_below_explode(plan: Filter) -> Plan | None:
    """Filter (p & q) (Explode c x)  =>  Filter q (Explode c (Filter p x)), where p uses no column of c.

    And so with the index columns of an Unpivot.

    Sound: each row gives rows with the same values in the other columns, so that p is asked of the same values. Not for the
    columns that are made: `x > 1` of the list [1, 2] is the question about each item. Where a row may give none, as of an
    empty list, not a p that may raise: it would be asked of rows that nobody sees. Nor where a q that stays may guard it.
    """
    reshaped = plan.input
    if is_volatile(plan.predicate):
        return None
    match reshaped:
        case Explode(columns=exploded, keep_empty=keeps):
            same = frozenset(reshaped.input.schema.names).difference(exploded)
        case Unpivot(index=index, keep_nulls=keeps):
            same = frozenset(index)
        case _:
            return None
    keeps = keeps and plan.predicate.columns <= same
    pushed, kept = split(plan.predicate, lambda p: p.columns <= same and (keeps or is_total(p)))
    if pushed is None:
        return None
    below = reshaped.with_children([Filter(reshaped.input, pushed)])
    return below if kept is None else Filter(below, kept)
