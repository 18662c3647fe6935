"""Keys that put no rows apart."""

from __future__ import annotations

from lazyframe.planner.relations import Aggregate, Plan, Project
from lazyframe.planner.relations.project import columns
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Literal


@rule(Aggregate)
def remove_constant_keys(plan: Aggregate) -> Plan | None:
    """Aggregate by k, 1 x  =>  Project (k, 1) (Aggregate by k x).

    Sound: all rows are equal in a constant, so that the groups and their order are those of the other keys. Not where it is
    the only one: of no rows `group by 1` makes no group, and without a key there is one.
    """
    kept = tuple([key for key in plan.keys if not isinstance(key[1], Literal)])
    if len(kept) == len(plan.keys) or not kept:
        return None
    constants = {name: scalar for name, scalar in plan.keys if isinstance(scalar, Literal)}
    below = Aggregate(plan.input, kept, plan.aggregates)
    known = {**dict(columns(below)), **constants}
    return Project(below, tuple([(name, known[name]) for name in plan.schema.names]))
