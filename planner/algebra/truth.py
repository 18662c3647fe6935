"""Conditions of which only the truth counts: where false and null are one, as in a filter.

A condition is walked down through ANDs and ORs, below which the same holds: `p & q` is true where both are, and which of
false and null it is otherwise depends on which of them p and q are, but for nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from lazyframe.planner.algebra.law import is_marked, mark
from lazyframe.planner.graph import remembered, replace
from lazyframe.planner.predicates import links
from lazyframe.planner.relations import Filter, Join, Plan, Scan
from lazyframe.planner.scalars import Call, Scalar, conjunction
from lazyframe.planner.site import ambient

Chain = Callable[[str, list[Scalar]], list[Scalar]]
"""From `and` or `or` and the parts of a chain of it to fewer or simpler parts; the list itself where nothing changes."""

_LONG = 400


def under_truth(plan: Plan, bit: int, leaf: Callable[[Scalar], Scalar | None] | None, chain: Chain) -> Plan | None:
    """The plan with its condition made simpler where only truth counts; None where nothing is simpler.

    Args:
        plan: a filter, a scan or a join.
        bit: marks conditions for which nothing is left to do.
        leaf: makes a part simpler that is no AND or OR, where there is something to do for one.
        chain: makes a chain of ANDs or ORs shorter.
    """
    match plan:
        case Filter(predicate=predicate):
            field, condition = "predicate", predicate
        case Scan(predicate=Scalar() as predicate):
            field, condition = "predicate", predicate
        case Join(condition=Scalar() as found):
            field, condition = "condition", found
        case _:
            return None
    if is_marked(condition, bit) or _grows(condition, bit):
        return None
    if leaf is None and not (isinstance(condition, Call) and condition.function in ("and", "or")):
        return None
    new = _walked(condition, bit, leaf, chain)
    mark(new, bit)
    if new is condition or new == condition:
        mark(condition, bit)
        return None
    return replace(plan, **{field: new})


def _grows(condition: Scalar, bit: int) -> bool:
    """Whether it is a long chain that was walked, and a part: a chain of thousands of filters is not walked at each."""
    return (
        isinstance(condition, Call)
        and condition.function == "and"
        and is_marked(condition.args[0], bit)
        and remembered(condition, "_weight", _weight) > _LONG
    )


def _weight(current: Scalar, children: list[int]) -> int:
    return min(1 + sum(children), _LONG + 1)


def _walked(root: Scalar, bit: int, leaf: Callable[[Scalar], Scalar | None] | None, chain: Chain) -> Scalar:
    values: dict[int, Scalar] = {}
    parts_of: dict[int, list[Scalar]] = {}
    stack = [root]
    previous = ambient.site
    try:
        while stack:
            current = stack[-1]
            key = id(current)
            if key in values:
                stack.pop()
                continue
            if current is not root and is_marked(current, bit):
                values[key] = current
                continue
            if not isinstance(current, Call) or current.function not in ("and", "or"):
                if leaf is None or is_marked(current, bit):
                    values[key] = current
                    continue
                ambient.site = current.site
                new = leaf(current)
                # What became an AND or OR may have parts that are simpler still.
                values[key] = current if new is None or new == current else _walked(new, bit, leaf, chain)
                mark(values[key], bit)
                continue
            ambient.site = current.site
            parts = parts_of.get(key)
            if parts is None:
                parts = parts_of[key] = links(current)
                pending = [part for part in parts if id(part) not in values]
                if pending:
                    stack.extend(pending)
                    continue
            found = flat(current.function, [values[id(part)] for part in parts])
            shorter = chain(current.function, found)
            same = len(shorter) == len(parts) and all([a is b for a, b in zip(shorter, parts, strict=True)])
            values[key] = current if same else joined(current.function, shorter)
            if current is not root:
                # The parts of a chain that grows by a filter at a time are walked once.
                mark(values[key], bit)
        return values[id(root)]
    finally:
        ambient.site = previous


def flat(function: str, parts: Sequence[Scalar]) -> list[Scalar]:
    """The parts, those that are chains of the same function taken apart."""
    found: list[Scalar] = []
    for part in parts:
        if isinstance(part, Call) and part.function == function:
            found += links(part)
        else:
            found.append(part)
    return found


def joined(function: str, parts: Sequence[Scalar]) -> Scalar:
    """The chain of some parts, of which there is one at least."""
    if function == "and":
        whole = conjunction(parts)
        assert whole is not None
        return whole
    return reduce(lambda a, b: Call("or", (a, b)), parts)


__all__ = ["Chain", "flat", "joined", "under_truth"]
