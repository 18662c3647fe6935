"""Projections over projections."""

from __future__ import annotations

from lazyframe.planner.predicates import nests_guards
from lazyframe.planner.relations import Plan, Project
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Column, Literal, is_volatile, substitute


@rule(Project, over=Project)
def merge_projects(plan: Project) -> Plan | None:
    """Project f (Project e x)  =>  Project f[e] x.

    Sound: a row of the outer is computed from the row of the inner, and that from the row of x. A value that f uses twice
    stays one node and is computed once. Not where e is volatile: `r, r` over `random() as r` are two equal numbers. Not
    where f uses what e computes inside a guarded CASE (see `nests_guards`); nor where f says that a value of e may be null
    which never is.
    """
    inner = plan.input
    assert isinstance(inner, Project)
    bindings = inner.bindings
    if any(is_volatile(scalar) for _, scalar in inner.exprs):
        return None
    computed = {name for name, scalar in inner.exprs if not isinstance(scalar, (Column, Literal))}
    if computed and any(nests_guards(scalar, computed) for _, scalar in plan.exprs):
        return None
    exprs = []
    for name, scalar in plan.exprs:
        merged = bindings[scalar.name] if isinstance(scalar, Column) else substitute(scalar, bindings)
        if scalar.nullable and not merged.nullable:
            if not isinstance(merged, Column):
                return None
            merged = Column(merged.name, merged.dtype, True)
        exprs.append((name, merged))
    return Project(inner.input, tuple(exprs))
