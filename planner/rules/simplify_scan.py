"""Scans that no row can pass."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.relations import Limit, Plan, Scan
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Literal


@rule(Scan)
def simplify_scan(plan: Scan) -> Plan | None:
    """Scan where false  =>  Limit 0 (Scan), and so with null.

    Sound: there is no row for which the predicate is true; a limit of no rows need not open the source.
    """
    if not isinstance(plan.predicate, Literal) or plan.predicate.value.as_py() is True:
        return None
    return Limit(replace(plan, predicate=None), 0)
