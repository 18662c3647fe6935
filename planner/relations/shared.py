"""Rows that several readers share."""

from __future__ import annotations

from lazyframe.planner.graph import fold, node
from lazyframe.planner.relations.plan import Plan
from lazyframe.planner.scalars import is_volatile
from lazyframe.planner.schema import Schema


@node
class Shared(Plan):
    """The rows of the input, computed once for all who read them.

    What stands above stays above, so that it remains one relation for all its readers, and random numbers below are drawn
    once. Only columns that none of the readers uses are left out.

    Where they are not `kept`, it is the other way: they are computed again for each reader, and nothing of them stays in memory.
    The optimizer gives each reader rows of its own, which have its number as `reader`.
    """

    input: Plan
    kept: bool = True
    reader: int = 0

    def derive_schema(self) -> Schema:
        return self.input.schema


def holds_volatile(plan: Plan) -> bool:
    """Whether computing the rows twice may give others."""

    def step(current: Plan, below: list[bool]) -> bool:
        return any(below) or any([is_volatile(scalar) for scalar in current.scalars()])

    return fold(plan, step)
