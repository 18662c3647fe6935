"""Limits over numbered rows."""

from __future__ import annotations

from lazyframe.planner.relations import Limit, Plan, RowIndex
from lazyframe.planner.rules.rule import rule


@rule(Limit, over=RowIndex)
def push_limit_below_row_index(plan: Limit) -> Plan | None:
    """Limit c after o (RowIndex n from s x)  =>  RowIndex n from s + o (Limit c after o x).

    Sound: a row's number is its place, and the first row that is left had the number s + o. Not for the last rows, `tail(3)`:
    what their numbers are depends on how many rows there are.
    """
    numbered = plan.input
    assert isinstance(numbered, RowIndex)
    return RowIndex(Limit(numbered.input, plan.count, plan.offset), numbered.name, numbered.start + plan.offset)
