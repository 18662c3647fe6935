"""Limits over projections."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.relations import Limit, Plan, Project, Tail
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_volatile


@rule(Limit, Tail, over=Project)
def push_limit_below_project(plan: Limit | Tail) -> Plan | None:
    """Limit c after o (Project e x)  =>  Project e (Limit c after o x), and so with Tail.

    Sound: a projection gives one row for each, in order. It also keeps errors out of rows that nobody asked for: `head(1)`
    over a cast that fails in row 5 succeeds. Not where e is volatile: with a seed, the third row has the third number.
    """
    project = plan.input
    assert isinstance(project, Project)
    if any(is_volatile(scalar) for _, scalar in project.exprs):
        return None
    return project.with_children([replace(plan, input=project.input)])
