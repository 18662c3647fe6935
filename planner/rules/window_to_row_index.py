"""Row numbers that need no window."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.relations import Plan, Project, RowIndex, Window
from lazyframe.planner.relations.project import column
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Scalar, WindowCall


@rule(Window)
def window_to_row_index(plan: Window) -> Plan | None:
    """Window (row_number() over () as n, w) x  =>  Project (x, n, w) (Window w (RowIndex n from 1 x)).

    Sound: without a partition and an order a row's number is its place in the input. Rows can be numbered as they pass, while a
    window function waits for all of them. Not with an order, whose places are known at the end only, nor in partitions; nor
    for `rank() over ()`, which is 1 for all rows.
    """
    if all([isinstance(call, WindowCall) and call.function != "row_number" for _, call in plan.calls]):
        return None
    numbers = [name for name, call in plan.calls if _is_row_number(call)]
    if not numbers:
        return None
    first = numbers[0]
    below: Plan = RowIndex(plan.input, first, 1)
    rest = tuple([each for each in plan.calls if each[0] not in numbers])
    if rest:
        below = replace(plan, input=below, calls=rest)
    same = dict.fromkeys(numbers, first)
    return Project(below, tuple([(name, column(below.schema, same.get(name, name))) for name in plan.schema.names]))


def _is_row_number(call: Scalar) -> bool:
    assert isinstance(call, WindowCall)
    return call.function == "row_number" and not call.partition and not call.order
