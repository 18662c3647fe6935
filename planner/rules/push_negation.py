"""Negations of whole conditions."""

from __future__ import annotations

from lazyframe.planner.algebra.law import EVALUATES, under_law
from lazyframe.planner.algebra.negation import without_outer_negation
from lazyframe.planner.relations import Plan
from lazyframe.planner.rules.rule import rule


@rule(*EVALUATES)
def push_negation(plan: Plan) -> Plan | None:
    """Op [not (a | b)] r  =>  Op [not a & not b] r;  Op [not (a < 1 & b < 2)] r  =>  Op [a >= 1 | b >= 2] r.

    Sound: De Morgan's laws hold in three-valued logic; what is not less is greater or equal, for the order is total and NaN
    the greatest. Parts of an AND can then be pushed down one by one, and compared with statistics.

    Not `not (like(a, 'x%') & b)`: two negations instead of one, and nothing to push.
    """
    return under_law(plan, without_outer_negation)
