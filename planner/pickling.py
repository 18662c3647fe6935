"""How graphs travel: as a flat list, so that neither writing nor reading one goes deeper than a node.

What follows from the fields (schemas, types, digests) is derived again, and the place where a node was written is the text
of it.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lazyframe.planner.graph import Node, repeated
from lazyframe.planner.site import AnySite, DescribedSite, ambient


class _Held:
    """Stands for a node that a field holds: its number in the list."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class _One:
    """Stands for an Arrow scalar, of which some have Python values that do not travel."""

    __slots__ = ("array",)

    def __init__(self, value: pa.Scalar) -> None:
        self.array = repeated(value)


Entry = tuple[type[Node], tuple[Any, ...], DescribedSite | None]


def flattened(root: Node) -> list[Entry]:
    """The nodes of a graph, each after those that it holds: its class, its fields, and where it was written."""
    sites: dict[AnySite, DescribedSite] = {}
    numbers: dict[int, _Held] = {}
    entries: list[Entry] = []
    for current in _all_below(root):
        site = current.site
        if site is not None and site not in sites:
            sites[site] = site if isinstance(site, DescribedSite) else DescribedSite(site.describe())
        values = tuple([_packed(getattr(current, name), numbers) for name in current.field_names])
        entries.append((type(current), values, None if site is None else sites[site]))
        numbers[id(current)] = _Held(len(entries) - 1)
    return entries


def restored(entries: list[Entry]) -> Node:
    """The graph of such a list."""
    made: list[Node] = []
    outer = ambient.site
    try:
        for kind, values, site in entries:
            ambient.site = site
            made.append(kind(*[_unpacked(value, made) for value in values]))
    finally:
        ambient.site = outer
    return made[-1]


def _packed(value: Any, numbers: dict[int, _Held]) -> Any:
    if isinstance(value, Node):
        return numbers.get(id(value), value)
    if isinstance(value, pa.Scalar):
        return _One(value)
    if isinstance(value, tuple):
        return _same_kind(value, [_packed(item, numbers) for item in value])
    return value


def _unpacked(value: Any, made: list[Node]) -> Any:
    if isinstance(value, _Held):
        return made[value.number]
    if isinstance(value, _One):
        return value.array[0]
    if isinstance(value, tuple):
        return _same_kind(value, [_unpacked(item, made) for item in value])
    return value


def _same_kind(value: tuple[Any, ...], items: list[Any]) -> tuple[Any, ...]:
    """A tuple of `items`, whose items have names where those of `value` have."""
    return tuple(items) if type(value) is tuple else type(value)(*items)


def _all_below(root: Node) -> list[Node]:
    """All nodes that `root` holds, however deep, and itself: each once, after those that it holds."""
    done: set[int] = set()
    order: list[Node] = []
    stack = [root]
    while stack:
        current = stack[-1]
        pending = [node for node in current.nodes() if id(node) not in done]
        if pending:
            stack.extend(reversed(pending))
            continue
        stack.pop()
        if id(current) not in done:
            done.add(id(current))
            order.append(current)
    return order
