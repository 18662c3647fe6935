"""How many rows a plan gives at most, and which joins give each row of their left side."""

from __future__ import annotations

from lazyframe.planner.properties.keys import is_unique_on
from lazyframe.planner.relations import (
    Aggregate,
    AsofJoin,
    Distinct,
    Filter,
    Join,
    Limit,
    PartitionTopK,
    Plan,
    Project,
    Reverse,
    RowIndex,
    Sort,
    Tail,
    TopK,
    Values,
    Window,
)
from lazyframe.planner.scalars import is_volatile

_KEEPS_OR_CHOOSES = (
    Filter, Project, Sort, Reverse, Distinct, Limit, TopK, Tail, Aggregate, RowIndex, Window, PartitionTopK,
)  # fmt: skip


def has_at_most(plan: Plan, rows: int) -> bool:
    """Whether it is seen that a plan gives no more than so many rows.

    It looks through whatever a limit may pass on its way down: a rule that puts a limit somewhere would else do so again once
    that limit has moved on.
    """
    while True:
        match plan:
            case Limit(count=int(count)) | TopK(count=count) | Tail(count=count) if count <= rows:
                return True
            case Aggregate(keys=()):
                return rows >= 1
            case Values(count=count):
                return count <= rows
            case Join() if plan.kind in ("semi", "anti") or (keeps_left_rows(plan) and gives_left_rows_once(plan)):
                plan = plan.left
            case AsofJoin():
                plan = plan.left
            case _ if isinstance(plan, _KEEPS_OR_CHOOSES):
                plan = plan.input
            case _:
                return False


def keeps_left_rows(join: Join | AsofJoin) -> bool:
    """Whether each left row comes at least once, and does not depend on which others there are."""
    if any(map(is_volatile, join.scalars())):
        return False
    if isinstance(join, AsofJoin):
        return join.kind == "left"
    return join.kind in ("left", "mark", "single") and join.validate == "m:m"


def gives_left_rows_once(join: Join | AsofJoin) -> bool:
    """Whether a join that keeps left rows gives each of them once."""
    return isinstance(join, AsofJoin) or join.kind != "left" or is_unique_on(join.right, join.right_keys)
