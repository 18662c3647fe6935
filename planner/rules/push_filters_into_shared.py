"""What all readers of shared rows leave out."""

from __future__ import annotations

from collections.abc import Sequence

from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Filter, Plan, Shared
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Call, Scalar, conjunction, conjuncts, is_total, is_volatile
from lazyframe.planner.site import ambient

_MOST_READERS = 16

Names = frozenset[str]


@rule(Shared)
def push_filters_into_shared(plan: Plan) -> Plan | None:
    """Filter p s and Filter q s, the readers of s = Shared x  =>  Filter p s and Filter q s with s = Shared (Filter (p or q) x).

    Of p and q those parts that are about the same columns: of `y == 1 & t > 0` and `y == 2` it is `y == 1 | y == 2`, a
    predicate that may be pushed further down.

    Sound: a row for which p is true for one reader has p or q true, and each reader still has its own filter. Not where a
    reader has no filter, such as a limit: it gets all rows. Not a part that may raise, which something may guard, nor a
    volatile one.
    """
    order = postorder(plan)
    readers: dict[int, list[Plan]] = {id(current): [] for current in order if isinstance(current, Shared)}
    if not readers:
        return None
    for current in order:
        for child in current.children():
            if id(child) in readers:
                readers[id(child)].append(current)
    built: dict[int, Plan] = {}
    for current in order:
        children = [built[id(child)] for child in current.children()]
        if id(current) in readers and current is not plan:
            predicate = _asked_by_all(readers[id(current)])
            if predicate is not None:
                ambient.site = current.site
                children = [Filter(children[0], predicate)]
        built[id(current)] = current.with_children(children) if children else current
    result = built[id(plan)]
    return None if result is plan else result


def _asked_by_all(readers: Sequence[Plan]) -> Scalar | None:
    """What is true for every row that one of the readers keeps; None where nothing is known."""
    if len(readers) > _MOST_READERS:
        return None
    asked = []
    for reader in readers:
        if not isinstance(reader, Filter):
            return None
        asked.append(_by_columns(reader.predicate))
    first, *others = asked
    found = []
    for columns in first:
        if all([columns in other for other in others]):
            parts = {part.digest: part for each in asked if (part := conjunction(each[columns])) is not None}
            found.append(_disjunction(list(parts.values())))
    return conjunction(found)


def _by_columns(predicate: Scalar) -> dict[Names, list[Scalar]]:
    found: dict[Names, list[Scalar]] = {}
    for part in conjuncts(predicate):
        if part.columns and is_total(part) and not is_volatile(part):
            found.setdefault(part.columns, []).append(part)
    return found


def _disjunction(parts: list[Scalar]) -> Scalar:
    while len(parts) > 1:
        paired: list[Scalar] = [Call("or", (parts[i], parts[i + 1])) for i in range(0, len(parts) - 1, 2)]
        parts = [*paired, parts[-1]] if len(parts) % 2 else paired
    return parts[0]
