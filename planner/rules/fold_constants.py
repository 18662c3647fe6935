"""Expressions that are constant, in part or in whole."""

from __future__ import annotations

from lazyframe.planner.folding import folded, is_folded
from lazyframe.planner.graph import replace
from lazyframe.planner.relations import Aggregate, AsofJoin, Filter, Join, Plan, Project, Scan, Sort, TopK, Window
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import TRUE, Scalar


@rule(Filter, Project, Aggregate, Join, AsofJoin, Sort, TopK, Scan, Window)
def fold_constants(plan: Plan) -> Plan | None:
    """Op e x  =>  Op e' x, where e' is e with what is constant in it computed (see `planner/folding.py`).

    Sound: e' has the value of e. `p & null` is not null: it is false where p is. An overflow of literals stays, to be an
    error when it is run and a row is asked for. A column that was nullable must stay so: where e' can no longer be null
    and is a column of the result, e stays.
    """
    scalars = plan.scalars()
    changed = plan
    if not all(map(is_folded, scalars)):
        known: dict[int, Scalar] = {}
        folds = [_folded(plan, scalar, known) for scalar in scalars]
        if any([new is not old for new, old in zip(folds, scalars, strict=True)]):
            supply = iter(folds)
            changed = plan.map_scalars(lambda _: next(supply))
    match changed:
        case Join(condition=condition) if condition == TRUE:
            changed = replace(changed, condition=None)
        case Scan(predicate=predicate) if predicate == TRUE:
            changed = replace(changed, predicate=None)
    return None if changed is plan else changed


def _folded(plan: Plan, scalar: Scalar, known: dict[int, Scalar]) -> Scalar:
    new = folded(scalar, known)
    is_output = isinstance(plan, (Project, Aggregate, Window))
    return scalar if is_output and new.nullable != scalar.nullable else new
