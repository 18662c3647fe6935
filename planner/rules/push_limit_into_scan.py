"""Limits over scans."""

from __future__ import annotations

from lazyframe.planner.graph import replace
from lazyframe.planner.relations import Limit, Plan, Scan
from lazyframe.planner.rules.rule import rule


@rule(Limit, over=Scan)
def push_limit_into_scan(plan: Limit) -> Plan | None:
    """Limit c after o (Scan)  =>  Limit c after o (Scan limit c + o).

    Sound: the scan is told that no more rows will be asked for, and the limit stays to cut them. Not where the scan has a
    predicate: its first c + o rows may hold no row for which it is true.
    """
    scan = plan.input
    assert isinstance(scan, Scan)
    if plan.count is None or scan.predicate is not None:
        return None
    most = plan.count + plan.offset
    if scan.limit is not None and scan.limit <= most:
        return None
    return plan.with_children([replace(scan, limit=most)])
