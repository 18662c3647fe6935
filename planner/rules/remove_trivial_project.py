"""Projections that change nothing."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.relations import Plan, Project, Scan
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Column


@rule(Project)
def remove_trivial_project(plan: Project) -> Plan | None:
    """Project (a, b) x  =>  x, where x has just the columns a and b in this order.

    Sound: the rows and columns are the same. Over a scan also where it has others, or in another order: the scan can give
    just those. Not where a column is renamed, which a scan cannot do; nor where one is said to be nullable that is not below.
    """
    if not all(isinstance(scalar, Column) and scalar.name == name for name, scalar in plan.exprs):
        return None
    below = plan.input
    if any([scalar.nullable and not below.schema.field(name).nullable for name, scalar in plan.exprs]):
        return None
    names = [name for name, _ in plan.exprs]
    if below.schema.names == names:
        return below
    return replace(below, columns=tuple(names)) if isinstance(below, Scan) else None
