"""Comparisons with constants, each by itself."""

from __future__ import annotations

from lazyframe.planner.algebra.comparisons import simpler_comparison
from lazyframe.planner.algebra.law import EVALUATES, under_law
from lazyframe.planner.relations import Plan
from lazyframe.planner.rules.rule import rule


@rule(*EVALUATES)
def simplify_comparisons(plan: Plan) -> Plan | None:
    """Op [5 < x] r  =>  Op [x > 5] r;  x in (1)  =>  x == 1;  p == true  =>  p;  x == x  =>  true where x is never null;
    case when p then 1 else 0 end == 1  =>  case when p then true else false end.

    Sound: each has the value of the other, and is null where it is. NaN is equal to itself, so that `x == x` of floats is
    true too. Constants stand on the right then, where other rules look for them.

    Not `x == x` of what may be null, which is null there; nor of `random()`, which draws twice; nor `x in (null)`.
    """
    return under_law(plan, simpler_comparison)
