"""Filters over scans."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.predicates import both, split
from lazyframe.planner.relations import Filter, Plan, Scan
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import is_total, is_volatile


@rule(Filter, over=Scan)
def push_filter_into_scan(plan: Filter) -> Plan | None:
    """Filter p (Scan where q)  =>  Scan where (q & p).

    Sound: a scan gives the rows for which its predicate is true, and leaves out files and row groups that hold none. Where
    there is a q already, only the parts of p that cannot raise: q may guard the others. Not below a limit: `head(3)` and
    then a filter are fewer rows than a filter and then `head(3)`.
    """
    scan = plan.input
    assert isinstance(scan, Scan)
    if scan.limit is not None or is_volatile(plan.predicate):
        return None
    if scan.predicate is None:
        return replace(scan, predicate=plan.predicate)
    if is_volatile(scan.predicate):
        return None
    pushed, kept = split(plan.predicate, is_total)
    if pushed is None:
        return None
    below = replace(scan, predicate=both(scan.predicate, pushed))
    return below if kept is None else Filter(below, kept)
