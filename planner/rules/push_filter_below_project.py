"""Filters over projections."""

from __future__ import annotations

from lazyframe.planner.predicates import substituted
from lazyframe.planner.relations import Filter, Plan, Project
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_volatile


@rule(Filter, over=Project)
def push_filter_below_project(plan: Filter) -> Plan | None:
    """Filter p (Project e x)  =>  Project e (Filter p[e] x).

    Sound: each row is computed by itself, so that p over the computed columns is p[e], e put in for their names, over the
    row. What e computes is then computed for fewer rows. Not where p or e is volatile: `r < 0.5` over `random() as r` must
    see the same r that comes out, and other rows below would draw other numbers. Nor where `substituted` declines.
    """
    project = plan.input
    assert isinstance(project, Project)
    if is_volatile(plan.predicate) or any(is_volatile(scalar) for _, scalar in project.exprs):
        return None
    predicate = substituted(plan.predicate, project.bindings)
    return None if predicate is None else project.with_children([Filter(project.input, predicate)])
