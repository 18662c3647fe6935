"""Scans that know which keys a join above them can find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from lazyframe.planner.build_side import build_side
from lazyframe.planner.graph import postorder, replace
from lazyframe.planner.key_flow import Origin, is_plain, most_values, origins
from lazyframe.planner.relations import Join, Plan, Recursion, Scan
from lazyframe.planner.relations.join import DROPS_LEFT, DROPS_RIGHT
from lazyframe.planner.rules.rule import rule
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.site import ambient
from lazyframe.planner.statistics import domain, estimate, seen_values

FEWEST_ROWS = 20_000
"""Scans of fewer rows are read before it is known what they could leave out."""

_KEPT = 0.5
"""Where more of the keys are expected to be found, looking them up early does not pay."""

_MOST_KEPT_ROWS = 500_000
"""So many rows of the side that is looked up may be kept in memory, to know their keys before the table is made."""

_WEIGHTS = (0.1, 0.5, 1.0)
"""What it is worth to leave a row out where it is read, by `Origin.early`."""

_DROPS = {"left": DROPS_LEFT, "right": DROPS_RIGHT}


class _Gift(NamedTuple):
    """The keys of a side that is computed first, by their number, and the scans that can use them."""

    first: str
    origins: dict[int, list[Origin]]
    worth: float


@rule(Plan)
def push_join_filters(plan: Plan) -> Plan | None:
    """Join (... Scan s) b on s.k == b.k  =>  the same, with b computed first and its keys known to the scan of s.

    Sound: a row of s whose key no row of b has does not show in an inner or semi join, nor does anything that comes of it on
    the way up, nor is anything else changed by its absence: filters, projections and joins look at each row alone, and
    groups, windows and distinct rows go as a whole where k is among their keys. Which of these rows the scan leaves out, or
    whole row groups by their bounds, is its own affair; but where a group, or a row that has lost its partner, would become
    another one that may be an error on the way, as in `10 // max(x)`, it leaves out all of them. Not the left side of
    `left`, `anti` or `mark` joins, whose rows show without a partner too; not below a limit, of which the first 10 rows
    would be others; not below random draws, which would be others; not below what several nodes read.

    Where it pays, which is told by the estimates: where more than half of the keys are thought to be found, it does not.
    """
    order = postorder(plan)
    users: Counter[int] = Counter()
    inside: set[int] = set()
    most: dict[int, float] = {}
    for current in order:
        children = [id(child) for child in current.children()]
        users.update(children)
        most[id(current)] = (
            scan_size(current) if isinstance(current, Scan) else max([most[key] for key in children], default=0)
        )
        if isinstance(current, Recursion):
            inside.update([id(below) for below in postorder(current)])
    numbers = count(1)
    joins: dict[int, dict[str, object]] = {}
    scans: dict[tuple[int, int], list[tuple[str, Scalar]]] = {}
    whole: dict[tuple[int, int], list[str]] = {}
    for current in reversed(order):
        if not isinstance(current, Join) or not current.left_keys or id(current) in inside:
            continue
        if current.first:
            return None
        sides = [
            each for each, child in (("left", current.left), ("right", current.right)) if most[id(child)] >= FEWEST_ROWS
        ]
        gift = _best(current, sides, lambda node: users[id(node)] > 1)
        if gift is None:
            continue
        gives = [""] * len(current.left_keys)
        for position, found in gift.origins.items():
            gives[position] = f"keys {next(numbers)}"
            for origin in found:
                place = id(origin.parent), origin.child
                scans.setdefault(place, []).append((gives[position], origin.value))
                if origin.whole:
                    whole.setdefault(place, []).append(gives[position])
        joins[id(current)] = {"first": gift.first, "gives": tuple(gives)}
    return _rebuilt(order, joins, scans, whole) if joins else None


def _best(join: Join, sides: list[str], is_shared: Callable[[Plan], bool]) -> _Gift | None:
    """What pays most of what scans below one of these sides can be told."""
    sides = [side for side in sides if join.kind in _DROPS[side]]
    if not sides or join.validate != "m:m":
        return None
    built = build_side(join)
    found = [gift for side in sides if (gift := _gift(join, side, built, is_shared)) is not None]
    # Of two that are worth as much, the one that changes nothing in the order in which the sides are computed.
    return max(found, key=lambda gift: (gift.worth, gift.first == built), default=None)


def _gift(join: Join, side: str, built: str, is_shared: Callable[[Plan], bool]) -> _Gift | None:
    """What scans below a side can be told of the keys of the other one, where it is worth anything."""
    index = 0 if side == "left" else 1
    first, side_first = join.children()[1 - index], "right" if side == "left" else "left"
    rows = estimate(first)
    if rows is None or (side_first != built and rows > _MOST_KEPT_ROWS):
        return None
    own, others = (join.left_keys, join.right_keys) if index == 0 else (join.right_keys, join.left_keys)
    chosen: dict[int, list[Origin]] = {}
    worth = 0.0
    for position, (key, other) in enumerate(zip(own, others, strict=True)):
        if not is_plain(key):
            continue
        for origin in origins(join, index, key, is_shared):
            size = scan_size(origin.scan)
            if size < FEWEST_ROWS:
                continue
            kept = share_kept(origin, first, other)
            if kept <= _KEPT:
                chosen.setdefault(position, []).append(origin)
                worth += size * (1 - kept) * _WEIGHTS[origin.early]
    if side_first != built:
        # The rows are kept in memory, and no longer flow through to what stands above.
        worth -= rows
    return _Gift(side_first, chosen, worth) if chosen and worth > 0 else None


def scan_size(scan: Scan) -> float:
    """How many rows a scan reads, before its predicate."""
    rows = scan.source.statistics().rows
    return 1e6 if rows is None else rows


def share_kept(origin: Origin, first: Plan, key: Scalar) -> float:
    """About which share of the values at a scan will be among the keys of the side that is computed first."""
    most = most_values(first, key) if is_plain(key) else estimate(first)
    there, here = domain(first, key), domain(origin.scan, origin.value)
    known = [found for found in (there, here) if found is not None]
    if most is None or not known:
        return 1.0
    # Of what refers to a key, a share is left as of the keys; of what has more values than that, less.
    counted = [found.values for found in known if found.is_key or (found is here and found.known)]
    values = max(counted) if counted else min([found.values for found in known])
    return seen_values(values, most) / values if most < values else 1.0


def _rebuilt(
    order: list[Plan],
    joins: dict[int, dict[str, object]],
    scans: dict[tuple[int, int], list[tuple[str, Scalar]]],
    whole: dict[tuple[int, int], list[str]],
) -> Plan:
    built: dict[int, Plan] = {}
    for current in order:
        children = []
        for index, child in enumerate(current.children()):
            told = scans.get((id(current), index))
            if told is None:
                children.append(built[id(child)])
            else:
                assert isinstance(child, Scan)
                names = tuple(whole.get((id(current), index), ()))
                children.append(replace(child, filters=(*child.filters, *told), whole=(*child.whole, *names)))
        ambient.site = current.site
        made = current.with_children(children) if children else current
        changes = joins.get(id(current))
        built[id(current)] = made if changes is None else replace(made, **changes)
    return built[id(order[-1])]
