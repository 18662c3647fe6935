"""Conditions that hold for every row of a plan, each about one column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lazyframe.planner.graph import remembered
from lazyframe.planner.predicates import is_small, respects_equality
from lazyframe.planner.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Limit,
    PartitionTopK,
    Plan,
    Project,
    Reverse,
    RowIndex,
    Sample,
    Scan,
    Shared,
    Sort,
    Tail,
    TopK,
    Window,
)
from lazyframe.planner.relations.join import DROPS_LEFT, DROPS_RIGHT
from lazyframe.planner.scalars import Call, Column, Scalar, conjuncts, is_total, is_volatile, substitute

Conditions = dict[bytes, Scalar]
"""By their digests."""

_MOST = 16
"""So many are kept of a plan: each of them is asked again for each key it may be about."""

_NONE: Conditions = {}

_KEEP_NEARLY_ALL = frozenset(["is_not_null", "not", "not_equal", "not_equal_missing"])
"""Conditions that are not worth asking twice."""

_OF_LEFT = frozenset(["inner", "cross", "left", "semi", "anti", "mark", "single"])
_OF_RIGHT = frozenset(["inner", "cross", "right"])


def conditions(plan: Plan) -> Conditions:
    """Conditions that are true in every row, each about one column of the plan; those that a value of an equal key meets too.

    There may be more: only what can be asked anywhere else is kept, that is what cannot raise and is not volatile.
    """
    return remembered(plan, "_holds", _holds)


def derived(join: Join, left: Conditions, right: Conditions) -> tuple[list[Scalar], list[Scalar]]:
    """Conditions on the left and on the right side of a join that follow from those on the other, and are not among them.

    Rows that do not meet them have no partner, and are not among those that the join gives for lack of one.
    """
    if not join.left_keys or join.validate != "m:m":
        return [], []
    pairs = list(zip(join.left_keys, join.right_keys, strict=True))
    known_left, known_right = dict(left), dict(right)
    to_left: list[Scalar] = []
    to_right: list[Scalar] = []
    turns = [
        (join.kind in DROPS_RIGHT, known_left, known_right, to_right, pairs),
        (join.kind in DROPS_LEFT, known_right, known_left, to_left, [(b, a) for a, b in pairs]),
    ]
    changed = True
    while changed:
        changed = False
        for allowed, source, target, found, keys in turns:
            for part in _carried(source.values(), keys) if allowed else ():
                if part.digest not in target and len(target) < _MOST:
                    target[part.digest] = part
                    found.append(part)
                    changed = True
    return to_left, to_right


def _carried(parts: Iterable[Scalar], keys: Sequence[tuple[Scalar, Scalar]]) -> Iterator[Scalar]:
    """The conditions as they are about the other value of each pair of equal keys."""
    carrying = [(key.name, other) for key, other in keys if isinstance(key, Column) and other.columns]
    carrying = [(name, other) for name, other in carrying if is_total(other) and not is_volatile(other)]
    for part in list(parts):
        for name, other in carrying:
            if name in part.columns:
                carried = substitute(part, {name: other})
                if isinstance(other, Column) or respects_equality(carried):
                    yield carried


def _holds(plan: Plan, below: Sequence[Conditions]) -> Conditions:
    match plan:
        case Scan(predicate=predicate):
            return _NONE if predicate is None else _parts(predicate, _NONE, plan)
        case Filter(predicate=predicate):
            return _parts(predicate, below[0], plan)
        case Project(exprs=exprs) | Aggregate(keys=exprs):
            return _renamed(below[0], exprs)
        case Join():
            return _of_join(plan, *below)
        case (
            Sort()
            | TopK()
            | Limit()
            | Tail()
            | Reverse()
            | Distinct()
            | Sample()
            | Shared()
            | Window()
            | PartitionTopK()
            | RowIndex()
        ):
            return below[0]
    return _NONE


def _parts(predicate: Scalar, below: Conditions, plan: Plan) -> Conditions:
    found = dict(below)
    for part in conjuncts(predicate):
        if len(found) >= _MOST:
            break
        if len(part.columns) == 1 and plan.schema.covers(part.columns) and _is_asked_anywhere(part):
            found[part.digest] = part
    return found


def _is_asked_anywhere(part: Scalar) -> bool:
    if isinstance(part, Call) and part.function in _KEEP_NEARLY_ALL:
        return False
    return is_total(part) and not is_volatile(part) and respects_equality(part) and is_small(part)


def _renamed(below: Conditions, exprs: Sequence[tuple[str, Scalar]]) -> Conditions:
    if not below:
        return _NONE
    names = {
        scalar.name: Column(name, scalar.dtype, scalar.nullable) for name, scalar in exprs if isinstance(scalar, Column)
    }
    same = {old for old, new in names.items() if new.name == old}
    found = {}
    for part in below.values():
        if part.columns <= names.keys():
            renamed = part if part.columns <= same else substitute(part, names)
            found[renamed.digest] = renamed
    return found


def _of_join(join: Join, left: Conditions, right: Conditions) -> Conditions:
    if not (left or right):
        return _NONE
    to_left, to_right = derived(join, left, right)
    found: Conditions = {}
    if join.kind in _OF_LEFT:
        found.update(left)
        found.update({part.digest: part for part in to_left})
    if join.kind in _OF_RIGHT:
        found.update(right)
        found.update({part.digest: part for part in to_right})
    return found


__all__ = ["Conditions", "conditions", "derived"]
