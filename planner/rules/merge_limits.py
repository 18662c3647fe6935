"""Limits over limits."""

from __future__ import annotations

from lazyframe.planner.relations import Limit, Plan
from lazyframe.planner.rules.rule import rule


@rule(Limit, over=Limit)
def merge_limits(plan: Limit) -> Plan | None:
    """Limit c after o (Limit d after q x)  =>  Limit min(c, d - o) after q + o x.

    Sound: of the rows q .. q + d those from o on are left, at most c. Where o is d or more none is left: the count is 0, and
    never negative.
    """
    inner = plan.input
    assert isinstance(inner, Limit)
    return Limit(inner.input, remaining(inner.count, plan), inner.offset + plan.offset)


def remaining(count: int | None, limit: Limit) -> int | None:
    """How many of `count` rows a limit leaves."""
    if count is None:
        return limit.count
    left = max(count - limit.offset, 0)
    return left if limit.count is None else min(left, limit.count)
