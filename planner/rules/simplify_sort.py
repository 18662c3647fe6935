"""Sort keys that decide nothing."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.relations import Limit, Plan, Sort, TopK
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Literal, Scalar, SortKey


@rule(Sort, TopK)
def simplify_sort(plan: Sort | TopK) -> Plan | None:
    """Sort (a, 1, a desc) x  =>  Sort a x;  Sort 1 x  =>  x;  TopK c by 1 x  =>  Limit c x.

    Sound: rows that are compared by a key that an earlier one has are equal in it, in whatever direction, and all rows are
    equal in a constant. Sorts are stable: without a key all rows stay where they are.

    Not two draws, `random(), random()`, which are two keys. Not `b, b + 0.0`: only what is the same expression is known to be
    equal where the other is.
    """
    kept: dict[Scalar, Scalar] = {}
    for key in plan.keys:
        assert isinstance(key, SortKey)
        if not isinstance(key.arg, Literal):
            kept.setdefault(key.arg, key)
    if len(kept) == len(plan.keys):
        return None
    if kept:
        return replace(plan, keys=tuple(kept.values()))
    return plan.input if isinstance(plan, Sort) else Limit(plan.input, plan.count, plan.offset)
