"""Window functions over window functions."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.relations import Plan, Window
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_volatile


@rule(Window, over=Window)
def merge_windows(plan: Window) -> Plan | None:
    """Window w (Window v x)  =>  Window (v, w) x, where w uses no column of v.

    Sound: a window function keeps all rows and their order, so that w sees in x what it saw above v. Together they share
    the sorts of equal partitions and orders. Not where w uses a value of v: `sum(lag(x))` needs the lag first. Nor where one
    is volatile: equal expressions of one relation are computed once.
    """
    inner = plan.input
    assert isinstance(inner, Window)
    made = {name for name, _ in inner.calls}
    if any(not made.isdisjoint(call.columns) for _, call in plan.calls):
        return None
    if any(is_volatile(call) for _, call in (*plan.calls, *inner.calls)):
        return None
    return replace(plan, input=inner.input, calls=(*inner.calls, *plan.calls))
