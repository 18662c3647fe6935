"""Conditions of which only the truth counts."""

from __future__ import annotations

from lazyframe.planner.algebra.conditions import guarded, shorter_chain, simpler_condition
from lazyframe.planner.algebra.law import new_mark
from lazyframe.planner.algebra.truth import under_truth
from lazyframe.planner.graph import replace
from lazyframe.planner.relations import Filter, Join, Plan, Scan
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import CASE, Scalar, conjunction, conjuncts

_SIMPLE = new_mark()


@rule(Filter, Scan, Join)
def simplify_predicates(plan: Filter | Scan | Join) -> Plan | None:
    """Filter (p & (p | q)) x  =>  Filter p x;  coalesce(p, false)  =>  p;  x == x  =>  x is not null;  p & not p  =>  false;
    x in (1, null)  =>  x in (1);  case when p then v > 1 else false end  =>  p & v > 1;  and so below ANDs and ORs.

    Sound: a filter keeps the rows for which its condition is true, so that false may stand for null, and does below AND and
    OR. A value goes only if it can raise nothing. A value behind a condition that may guard it becomes a part of its own only
    where parts are evaluated one after the other: in a filter or a scan, but not below an OR, nor in a join.

    Not below `not`: `not coalesce(p, false)` is true where p is null. Not in a projection, where null and false differ.
    """
    changed = under_truth(plan, _SIMPLE, simpler_condition, shorter_chain)
    if not isinstance(plan, Join):
        behind = _guarded(plan if changed is None else changed)
        return changed if behind is None else behind
    return changed


def _guarded(plan: Plan) -> Plan | None:
    assert isinstance(plan, (Filter, Scan))
    predicate: Scalar | None = plan.predicate
    if predicate is None or not predicate.holds & CASE:
        return None
    parts = conjuncts(predicate)
    found = [each for part in parts for each in guarded(part)]
    if len(found) == len(parts):
        return None
    whole = conjunction(found)
    assert whole is not None
    return replace(plan, predicate=whole)
