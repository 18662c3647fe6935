"""Sorts over sorts."""

from __future__ import annotations

from lazyframe.planner.relations import Plan, Sort
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Scalar, SortKey, is_volatile


@rule(Sort, over=Sort)
def merge_sorts(plan: Sort) -> Plan | None:
    """Sort b (Sort a x)  =>  Sort (b, a) x.

    Sound: sorts are stable, so that rows equal in b stay in the order of a. A key of a that b has too, in either direction,
    decides nothing any more. The inner sort is never just dropped: it orders the ties.
    """
    inner = plan.input
    assert isinstance(inner, Sort)
    if any(is_volatile(key) for key in (*plan.keys, *inner.keys)):
        return None
    keys: dict[Scalar, Scalar] = {}
    for key in (*plan.keys, *inner.keys):
        assert isinstance(key, SortKey)
        keys.setdefault(key.arg, key)
    return Sort(inner.input, tuple(keys.values()))
