"""Branches that make no difference."""

from __future__ import annotations

from lazyframe.planner.algebra.comparisons import simpler_case
from lazyframe.planner.algebra.law import EVALUATES, under_law
from lazyframe.planner.relations import Plan
from lazyframe.planner.rules.rule import rule


@rule(*EVALUATES)
def simplify_cases(plan: Plan) -> Plan | None:
    """Case when p then x else x  =>  x;  case when p then x when q then x ...  =>  case when p | q then x ...;
    case ... when p then x when p then y ...  =>  case ... when p then x ...;  a CASE in the last place  =>  further branches;
    case when p then true else false  =>  p where p is never null.

    Sound: a branch is taken where its condition is true and none before it was; null is not true. A condition goes, or is
    joined to the one before it, only where it can raise nothing, for it would be evaluated on other rows.

    Not `case when p then true else false` where p may be null: that is false there, and p is null. Not `case when p then
    x // y else x // y`, which goes only with a p that cannot raise; what is drawn at random stays.
    """
    return under_law(plan, simpler_case)
