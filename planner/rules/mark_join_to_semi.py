"""Rows that have a partner, or have none."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.relations import Filter, Join, Plan, Project
from lazyframe.planner.relations.project import column
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import FALSE, TRUE, Call, Column, Scalar, conjunction, conjuncts, is_volatile


@rule(Filter, over=Join)
def mark_join_to_semi(plan: Filter) -> Plan | None:
    """Filter (m & p) (Join mark as m a b)  =>  Filter p (Project (a, true as m) (Join semi a b)), and with `not m` anti.

    Sound: the mark tells for each left row whether it has a partner, and the semi join keeps just the rows that have one.
    Not for a mark under an OR: `m or x > 1` keeps rows without a partner too. Not beside what is volatile, which would be
    asked for fewer rows.
    """
    join = plan.input
    assert isinstance(join, Join)
    if join.kind != "mark" or is_volatile(plan.predicate):
        return None
    parts = conjuncts(plan.predicate)
    for part in parts:
        found = _is_marked(part, join.mark)
        if found is None:
            continue
        kept = replace(join, kind="semi" if found else "anti", mark="")
        exprs: list[tuple[str, Scalar]] = [(name, column(kept.schema, name)) for name in kept.schema.names]
        below = Project(kept, (*exprs, (join.mark, TRUE if found else FALSE)))
        above = conjunction([other for other in parts if other is not part])
        return below if above is None else Filter(below, above)
    return None


def _is_marked(part: Scalar, mark: str) -> bool | None:
    """True for the mark, False for its negation, None for another condition."""
    match part:
        case Column(name=name) if name == mark:
            return True
        case Call(function="not", args=(Column(name=name),)) if name == mark:
            return False
    return None
