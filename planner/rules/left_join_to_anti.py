"""Left joins of which only rows without a partner are kept."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.properties import absent_in_no_pair
from lazyframe.planner.relations import Filter, Join, Plan, Project
from lazyframe.planner.relations.project import column
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Call, Column, Scalar, conjunction, conjuncts, is_volatile, null_of


@rule(Filter, over=Join)
def left_join_to_anti(plan: Filter) -> Plan | None:
    """Filter (b.y is null & p) (Join left a b)  =>  Filter p (Project (a, nulls as b) (Join anti a b)), where y is never null in a pair.

    Sound: y is null just in the rows without a partner, of which there is one for each such row of a; and where y is a key,
    or is compared in the condition, or has no nulls, no pair has a null in it. Not for another column of b: `y is null` then
    keeps pairs as well. Nor where null keys match, or how many partners there are is checked.
    """
    join = plan.input
    assert isinstance(join, Join)
    if join.kind != "left" or join.validate != "m:m" or is_volatile(plan.predicate):
        return None
    parts = conjuncts(plan.predicate)
    for part in parts:
        match part:
            case Call(function="is_null", args=(Column(name=name),)) if name in join.right.schema and absent_in_no_pair(
                join, name
            ):
                kept = replace(join, kind="anti")
                exprs: list[tuple[str, Scalar]] = [(each, column(kept.schema, each)) for each in kept.schema.names]
                exprs += [(field.name, null_of(field.dtype)) for field in join.right.schema]
                above = conjunction([other for other in parts if other is not part])
                below = Project(kept, tuple(exprs))
                return below if above is None else Filter(below, above)
    return None
