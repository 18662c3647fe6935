"""Scans that know what a row must be to come among the first rows of a sort."""

from __future__ import annotations

from collections import Counter
from itertools import count

from lazyframe.planner.graph import postorder, replace
from lazyframe.planner.key_flow import Origin, streamed_origins
from lazyframe.planner.relations import Plan, Recursion, Scan, TopK
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Column, Scalar, SortKey, is_total, is_volatile
from lazyframe.planner.site import ambient

FEWEST_ROWS = 20_000
"""Scans of fewer rows are read before it is known what they could leave out."""

_MOST_KEPT = 10_000
"""The last row of so many is looked for each time when some have come."""


@rule(Plan)
def push_threshold_into_scan(plan: Plan) -> Plan | None:
    """TopK n by x (... Scan s)  =>  the same, with the n-th x so far known to the scan of s.

    Sound: a row behind n rows comes behind them whatever else comes, and so does all that is made of it on the way, as that
    has the same x. Rows with the n-th x itself stay: by the other keys they may come before it. Which rows go depends on how
    far the sort is, so that nothing on the way may be seen to lack them: no limit, no random draw, no group or window, and
    nothing that may raise an error, as `1 // y` of a row that is sometimes left out would be raised sometimes. Not where x is
    computed, or nobody sees it before all rows are there.
    """
    order = postorder(plan)
    inside = {id(below) for current in order if isinstance(current, Recursion) for below in postorder(current)}
    users = Counter([id(child) for current in order for child in current.children()])
    numbers = count(1)
    names: dict[int, str] = {}
    scans: dict[tuple[int, int], tuple[str, Scalar]] = {}
    for current in order:
        if not isinstance(current, TopK) or id(current) in inside:
            continue
        if current.gives:
            return None
        found = [] if not _is_suitable(current) else _origins(current, users)
        if found:
            names[id(current)] = name = f"top {next(numbers)}"
            scans.update({(id(origin.parent), origin.child): (name, origin.value) for origin in found})
    return _rebuilt(order, names, scans) if names else None


def _is_suitable(top: TopK) -> bool:
    first = top.keys[0]
    return (
        isinstance(first, SortKey)
        and isinstance(first.arg, Column)
        and top.count + top.offset <= _MOST_KEPT
        and all([is_total(key) and not is_volatile(key) for key in top.keys])
    )


def _origins(top: TopK, users: Counter[int]) -> list[Origin]:
    first = top.keys[0]
    assert isinstance(first, SortKey)
    found = streamed_origins(top, first.arg, lambda node: users[id(node)] > 1)
    return [origin for origin in found if isinstance(origin.value, Column) and _is_large(origin.scan)]


def _is_large(scan: Scan) -> bool:
    rows = scan.source.statistics().rows
    return rows is None or rows >= FEWEST_ROWS


def _rebuilt(order: list[Plan], names: dict[int, str], scans: dict[tuple[int, int], tuple[str, Scalar]]) -> Plan:
    built: dict[int, Plan] = {}
    for current in order:
        children = []
        for index, child in enumerate(current.children()):
            told = scans.get((id(current), index))
            known = built[id(child)]
            if told is not None:
                assert isinstance(known, Scan)
                known = replace(known, thresholds=(told,))
            children.append(known)
        ambient.site = current.site
        made = current.with_children(children) if children else current
        built[id(current)] = replace(made, gives=names[id(current)]) if id(current) in names else made
    return built[id(order[-1])]
