"""Shared rows of which each reader wants few."""

from __future__ import annotations

from collections import Counter
from itertools import count

from lazyframe.planner.graph import postorder, replace
from lazyframe.planner.key_flow import is_plain, origins
from lazyframe.planner.relations import Join, Plan, Recursion, Scan, Shared
from lazyframe.planner.relations.join import DROPS_LEFT, DROPS_RIGHT
from lazyframe.planner.relations.shared import holds_volatile
from lazyframe.planner.rules.push_join_filters import FEWEST_ROWS, scan_size, share_kept
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.site import ambient

_MOST_READERS = 3

_FEW = 0.1
"""Of a larger share of the rows the table of each reader costs as much as keeping them does."""

_LARGEST = 0.5
"""Such a part of all rows that are read must stand in the scan that leaves rows out: the others are read for each reader."""


@rule(Shared)
def part_shared(plan: Plan) -> Plan | None:
    """Two readers of Shared x, both joined by a key of few values  =>  the same with an x for each.

    So too where x is not to be kept, as `lf.checkpoint` asks: then for any readers.

    Sound: x gives the same rows each time; not where it is volatile, nor in a recursion. It pays where each reader can tell the
    largest scan below x which keys it wants (`push_join_filters`), which what is kept for all of them cannot be told.
    """
    order = postorder(plan)
    shared = [node for node in order if isinstance(node, Shared)]
    if not shared or any([isinstance(node, Recursion) for node in order]):
        return None
    users = Counter([id(child) for node in order for child in node.children()])
    parted = {id(node) for node in shared if _is_parted(node, order, users)}
    if not parted:
        return None
    built: dict[int, Plan] = {}
    readers = count(1)

    def of_reader(child: Plan) -> Plan:
        if id(child) not in parted:
            return built[id(child)]
        rows = built[id(child.children()[0])]
        if isinstance(child, Shared) and not child.kept:
            reader = next(readers)
            return Shared(_copy(rows, reader), kept=False, reader=reader)
        return _copy(rows)

    for node in order:
        children = [of_reader(child) for child in node.children()]
        built[id(node)] = node.with_children(children) if children else node
    return built[id(plan)]


def _is_parted(shared: Shared, order: list[Plan], users: Counter[int]) -> bool:
    """Whether each reader leaves out most rows of the largest scan, or the rows are not to be kept."""
    if not shared.kept:
        return users[id(shared)] > 1 and not holds_volatile(shared)
    below = postorder(shared)
    sizes = {id(node): scan_size(node) for node in below if isinstance(node, Scan)}
    largest = max(sizes, key=lambda key: sizes[key], default=None)
    if largest is None or sizes[largest] < max(FEWEST_ROWS, _LARGEST * sum(sizes.values())):
        return False
    # What stands below and is shared again would have to be kept for more readers.
    inner = [node for node in below if node is not shared and users[id(node)] > 1]
    if users[id(shared)] > _MOST_READERS or inner or holds_volatile(shared):
        return False
    readers = {(id(node), n) for node in order for n, child in enumerate(node.children()) if child is shared}
    served: set[tuple[int, int]] = set()
    for join in order:
        if not isinstance(join, Join) or join.validate != "m:m":
            continue
        sides = ((0, join.left_keys, join.right_keys, DROPS_LEFT), (1, join.right_keys, join.left_keys, DROPS_RIGHT))
        for index, own, others, drops in sides:
            inside = {id(node) for node in postorder(join.children()[index])}
            here = {reader for reader in readers if reader[0] in inside or reader == (id(join), index)}
            if join.kind not in drops or len(here) != 1 or here <= served:
                continue
            keys = zip(own, others, strict=True)
            if any([_wants_few(join, index, key, other, shared, largest, users) for key, other in keys]):
                served |= here
    return served == readers


def _wants_few(
    join: Join, index: int, key: Scalar, other: Scalar, shared: Shared, scan: int, users: Counter[int]
) -> bool:
    """Whether the other side of a join leaves few rows of a scan, by one of its keys."""
    if not is_plain(key):
        return False
    found = origins(join, index, key, lambda node: node is not shared and users[id(node)] > 1)
    first = join.children()[1 - index]
    return any([id(origin.scan) == scan and share_kept(origin, first, other) <= _FEW for origin in found])


def _copy(plan: Plan, reader: int = 0) -> Plan:
    """The same relation as nodes of its own; of one reader alone where it has a number, so that none is equal to another's."""
    built: dict[int, Plan] = {}
    for node in postorder(plan):
        children = [built[id(child)] for child in node.children()]
        ambient.site = node.site
        copy = node.with_children(children) if children else replace(node)
        built[id(node)] = copy if children or not reader else Shared(copy, kept=False, reader=reader)
    return built[id(plan)]
