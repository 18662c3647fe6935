"""Which side of a join becomes the table that the rows of the other side are looked up in."""

from __future__ import annotations

from lazyframe.planner.relations import Join, Plan
from lazyframe.planner.statistics import estimate

_WORTH_SWAPPING = 100_000
"""Build sides with fewer rows are not worth a thought."""


def build_side(join: Join) -> str:
    """`"left"` or `"right"`, by what kind of join it is and by the estimates.

    The right side, unless the left one is smaller. Where the left rows are to come in their order, or to be kept, it must be
    much smaller: the result of an inner join must then be sorted, and the left rows of other joins are all kept in memory.
    """
    left, right = join.left, join.right
    match join.kind:
        case "right":
            return "left"
        case "inner" | "cross" if not join.ordered and _is_smaller(left, right):
            return "left"
        case "inner" if join.validate == "m:m" and _is_much_smaller(left, right, 8):
            return "left"
        case "semi" | "anti" | "mark" if join.left_keys and _is_much_smaller(left, right, 2):
            return "left"
        case "left" if (
            join.left_keys and join.validate == "m:m" and not join.ordered and _is_much_smaller(left, right, 2)
        ):
            return "left"
    return "right"


def _is_smaller(left: Plan, right: Plan) -> bool:
    rows, other = estimate(left), estimate(right)
    return rows is not None and (other is None or rows < other)


def _is_much_smaller(left: Plan, right: Plan, times: int) -> bool:
    rows, other = estimate(left), estimate(right)
    return rows is not None and other is not None and other > _WORTH_SWAPPING and rows * times < other
