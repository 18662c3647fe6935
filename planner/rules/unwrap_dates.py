"""Years and windows of time in comparisons with constants."""

from __future__ import annotations

from lazyframe.planner.algebra.calendar import without_calendar
from lazyframe.planner.algebra.law import EVALUATES, under_law
from lazyframe.planner.relations import Plan
from lazyframe.planner.rules.rule import rule


@rule(*EVALUATES)
def unwrap_dates(plan: Plan) -> Plan | None:
    """Op [year(d) == 1994] r  =>  Op [d >= '1994-01-01' & d < '1995-01-01'] r, and so with the other comparisons, with IN,
    and with `truncate` and `date`.

    Sound: these never fall as d grows, so that the dates of one year lie between two others. A constant that begins no window
    is equal to none: `truncate(d, '1mo') == '1994-01-02'` is false, and null for null. A scan can tell from its statistics
    where no date is between two others.

    Not `month(d) == 1`, which comes again each year; nor with a zone: a clock that is set back shows an earlier time later.
    Nor where d is computed and would have to be twice.
    """
    return under_law(plan, without_calendar)
