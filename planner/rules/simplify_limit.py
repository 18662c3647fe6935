"""Limits of all rows or none."""

from __future__ import annotations

from lazyframe.planner.relations import Limit, Plan, Tail, TopK
from lazyframe.planner.rules.rule import rule


@rule(Limit, Tail, TopK)
def simplify_limit(plan: Limit | Tail | TopK) -> Plan | None:
    """Limit all x  =>  x;  Limit 0 after o x  =>  Limit 0 x;  Tail 0 x  =>  Limit 0 x;  TopK 0 x  =>  Limit 0 x;
    Tail m (Tail n x)  =>  Tail min(m, n) x.

    Sound: the rows are the same. A limit of no rows stays, and need not run what is below. `Tail m (Limit n x)` stays too:
    how many rows x has is not known.
    """
    match plan:
        case Limit(count=None, offset=0):
            return plan.input
        case Limit(count=0, offset=offset) if offset:
            return Limit(plan.input, 0)
        case Tail(count=0) | TopK(count=0):
            return Limit(plan.input, 0)
        case Tail(input=Tail(input=below, count=inner), count=outer):
            return Tail(below, min(inner, outer))
    return None
