"""Duplicates of what has none."""

from __future__ import annotations

from lazyframe.planner.relations import Distinct, Plan
from lazyframe.planner.rules.rule import rule


@rule(Distinct, over=Distinct)
def merge_distincts(plan: Distinct) -> Plan | None:
    """Distinct on t (Distinct on s x)  =>  Distinct on s x, where s is among t.

    Sound: no two rows are equal in s any more, so none are in t. Not where t is less: rows that differ in s may be equal in
    t. It holds for every `keep`, as there is one row of each.
    """
    inner = plan.input
    assert isinstance(inner, Distinct)
    return inner if set(inner.subset) <= set(plan.subset) else None
