"""Fields of structs that an expression makes."""

from __future__ import annotations

from lazyframe.planner.algebra.law import EVALUATES, under_law
from lazyframe.planner.algebra.structs import without_struct
from lazyframe.planner.relations import Plan
from lazyframe.planner.rules.rule import rule


@rule(*EVALUATES)
def unwrap_structs(plan: Plan) -> Plan | None:
    """Op [make_struct(a: x, b: y).a] r  =>  Op [x] r.

    Sound: a struct that is made is never null, so that its field is what it was made of.

    Not where y may raise or is volatile: it would no longer be evaluated.
    """
    return under_law(plan, without_struct)
