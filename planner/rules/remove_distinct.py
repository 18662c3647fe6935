"""Duplicates dropped where there are none."""

from __future__ import annotations

from lazyframe.planner.properties import is_unique, unique_keys
from lazyframe.planner.relations import Aggregate, Distinct, Plan, Project
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Column


@rule(Distinct, Aggregate)
def remove_distinct(plan: Distinct | Aggregate) -> Plan | None:
    """Distinct on s x  =>  x, where no two rows of x are equal in s;  Aggregate by s x  =>  Project s x.

    Sound: each row is the first, the last and the only one of its kind. The columns of a grouping, of a distinct or of a row
    number are such s, and so they are above filters, sorts and joins that give no row twice. Nulls are equal here, as NaN and
    zeros are: so they are in groups.

    Not where s is only a part of what is unique: groups by a and b may have a twice. Not above a join whose other side may
    have several partners. Not a grouping with aggregates, which are computed even of one row.
    """
    below = plan.input
    if not unique_keys(below):
        return None
    match plan:
        case Distinct(subset=subset):
            return below if is_unique(below, subset) else None
        case Aggregate(keys=keys, aggregates=()) if keys:
            if is_unique(below, [key.name for _, key in keys if isinstance(key, Column)]):
                return Project(below, keys)
    return None
