"""Joins and sets of no rows."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.relations import (
    Aggregate,
    Distinct,
    Explode,
    Filter,
    Join,
    Limit,
    Plan,
    Project,
    Reverse,
    RowIndex,
    SetOperation,
    Sort,
    Tail,
    TopK,
    Union,
    Unpivot,
    Values,
    Window,
)
from lazyframe.planner.relations.project import columns
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import FALSE, Scalar, null_of

_DEPTH = 32
_KEEPS_NONE = (Filter, Project, Sort, Reverse, Distinct, Window, Explode, Unpivot, RowIndex)
_OF_BOTH = ("inner", "cross", "semi")
_OF_LEFT = ("left", "anti", "mark", "single")


@rule(Join, SetOperation, Union)
def prune_empty_inputs(plan: Join | SetOperation | Union) -> Plan | None:
    """Join inner a 0  =>  Join inner (Limit 0 a) 0, where 0 gives no rows;  Join left a 0  =>  Project (a, nulls) a;
    Join anti a 0  =>  a;  a except 0  =>  Distinct a;  Union a 0  =>  a.

    Sound: of no rows on one side an inner join makes none, whatever is on the other, which then need not be computed; a
    join that keeps the other side keeps it with nulls. What gives no rows is known by its form: a limit of 0, and what is
    made of it row by row.

    Not of a sum over no rows, which is one row. Not where the join validates how many partners there are, which may be an
    error of the other side alone. A union keeps an input without rows where it is what makes a column nullable, and so
    does a full join.
    """
    match plan:
        case Join():
            return _of_join(plan)
        case Union():
            kept = tuple([child for child in plan.inputs if not gives_no_rows(child)])
            if not kept or len(kept) == len(plan.inputs):
                return None
            new = kept[0] if len(kept) == 1 else Union(kept)
            return new if new.schema == plan.schema else None
    left, right = gives_no_rows(plan.left), gives_no_rows(plan.right)
    if left == right:
        return None
    if plan.kind == "except" and right:
        return plan.left if plan.keep_duplicates else Distinct(plan.left, tuple(plan.schema.names), "first")
    return _without_rows(plan, "right" if left else "left")


def _of_join(plan: Join) -> Plan | None:
    left, right = gives_no_rows(plan.left), gives_no_rows(plan.right)
    if left == right or plan.validate != "m:m":
        return None
    kind = plan.kind
    if kind in _OF_BOTH or (kind in _OF_LEFT and left) or (kind == "right" and right):
        return _without_rows(plan, "right" if left else "left")
    if kind == "anti":
        return plan.left
    if kind == "mark":
        return Project(plan.left, (*columns(plan.left), (plan.mark, FALSE)))
    exprs = (*_nulls(plan.left), *columns(plan.right)) if left else (*columns(plan.left), *_nulls(plan.right))
    new = Project(plan.right if left else plan.left, exprs)
    return new if new.schema == plan.schema else None


def _without_rows(plan: Plan, side: str) -> Plan:
    return replace(plan, **{side: Limit(getattr(plan, side), 0)})


def _nulls(plan: Plan) -> list[tuple[str, Scalar]]:
    return [(field.name, null_of(field.dtype)) for field in plan.schema]


def gives_no_rows(plan: Plan) -> bool:
    """Whether it is known to give no rows, by its form."""
    for _ in range(_DEPTH):
        if isinstance(plan, (Limit, TopK, Tail)):
            if plan.count == 0:
                return True
            plan = plan.input
        elif isinstance(plan, _KEEPS_NONE) or (isinstance(plan, Aggregate) and plan.keys):
            plan = plan.input
        elif isinstance(plan, Join) and (plan.kind in _OF_BOTH or plan.kind in _OF_LEFT):
            plan = plan.left
        else:
            return isinstance(plan, Values) and plan.count == 0
    return False
