"""What a node of a plan feeds: the value that lineage carries backwards through the graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

from lazyframe.planner.lineage.places import Place
from lazyframe.planner.scalars import Scalar
from lazyframe.planner.schema import Schema
from lazyframe.planner.site import AnySite

K = TypeVar("K")

VALUE, FILTER, KEY, ORDER = ROLES = ("value", "filter", "key", "order")
"""How a column of a source is used: in a value, to decide which rows there are, to find rows that belong together, to order."""


class Trail:
    """The places in the user's code on the way back from an output: one place, and the ways that led to it.

    Ways that meet share what they have in common, so that a step costs the same however long the way is.
    """

    __slots__ = ("before", "site")

    def __init__(self, site: AnySite | None, before: tuple[Trail, ...]) -> None:
        self.site = site
        self.before = before

    def sites(self) -> list[AnySite]:
        """All places, those next to the sources first."""
        found: list[AnySite] = []
        seen: set[int] = set()
        level: list[Trail] = [self]
        while level:
            following: list[Trail] = []
            for trail in level:
                if id(trail) in seen:
                    continue
                seen.add(id(trail))
                if trail.site is not None:
                    found.append(trail.site)
                following.extend(trail.before)
            level = following
        return found


START = Trail(None, ())

Outputs = Mapping[int, Trail]
"""Columns of the root, by their place, and the way to each."""

Uses = Mapping[tuple[int, str], Trail]
"""Columns of the root with the role in which each uses something, and the way to each."""


class Feeds(NamedTuple):
    """Which columns of the root use a node: its columns or fields of them, which rows it has, and the order of its rows.

    Whatever uses a column or the order uses the rows.
    """

    columns: Mapping[Place, Uses]
    rows: Outputs
    order: Outputs

    def by_column(self) -> dict[str, Uses]:
        """What uses each column, or some field of it."""
        found: dict[str, Uses] = {}
        for place, uses in self.columns.items():
            held = found.get(place[0])
            found[place[0]] = uses if held is None else _both(held, uses)
        return found

    def outputs_of(self, names: Iterable[str]) -> Outputs:
        """The outputs that use some columns."""
        names = set(names)
        return outputs_of([uses for place, uses in self.columns.items() if place[0] in names])


def joined(a: Feeds, b: Feeds) -> Feeds:
    """What is fed by either way."""
    columns = dict(a.columns)
    for name, uses in b.columns.items():
        held = columns.get(name)
        columns[name] = uses if held is None else _both(held, uses)
    return Feeds(columns, _both(a.rows, b.rows), _both(a.order, b.order))


def _both(a: Mapping[K, Trail], b: Mapping[K, Trail]) -> Mapping[K, Trail]:
    if a is b or not b:
        return a
    if not a:
        return b
    found = dict(a)
    for key, trail in b.items():
        held = found.get(key)
        found[key] = trail if held is None or held is trail else Trail(None, (held, trail))
    return found


def either(*parts: Outputs) -> Outputs:
    """The outputs that are in any of `parts`."""
    found: Outputs = {}
    for part in parts:
        found = _both(found, part)
    return found


def outputs_of(uses: Iterable[Uses], site: AnySite | None = None) -> Outputs:
    """The outputs of some uses, one step further at `site`."""
    found: dict[int, Trail] = {}
    for each in uses:
        for (output, _), trail in each.items():
            held = found.get(output)
            found[output] = trail if held is None or held is trail else Trail(None, (held, trail))
    return {output: Trail(site, (trail,)) for output, trail in found.items()} if site is not None else found


class Collector:
    """Gathers what a child feeds, as its parent goes through its expressions."""

    def __init__(self) -> None:
        self._columns: dict[Place, dict[tuple[int, str], Trail]] = {}
        self.rows: Outputs = {}
        self.order: Outputs = {}

    def passing(self, feeds: Feeds, names: Iterable[str]) -> None:
        """Columns that keep their names and values."""
        names = set(names)
        for place, uses in feeds.columns.items():
            if place[0] in names:
                self.put(place, uses)

    def value(self, places: Iterable[Place], uses: Uses | None, site: AnySite | None) -> None:
        """Places that are part of what `uses` uses: they are used in the roles in which it is."""
        if uses:
            stepped = {key: Trail(site, (trail,)) for key, trail in uses.items()}
            for place in places:
                self.put(place, stepped)

    def use(self, places: Iterable[Place], outputs: Outputs, role: str, site: AnySite | None) -> None:
        """Places that have a role for some outputs."""
        places = list(places)
        if places:
            stepped = {(output, role): Trail(site, (trail,)) for output, trail in outputs.items()}
            for place in places:
                self.put(place, stepped)

    def put(self, place: Place, uses: Uses) -> None:
        """A place that is used as `uses` says."""
        held = self._columns.get(place)
        if held is None:
            self._columns[place] = dict(uses)
            return
        for key, trail in uses.items():
            old = held.get(key)
            held[key] = trail if old is None or old is trail else Trail(None, (old, trail))

    def collected(self) -> Feeds:
        used = outputs_of(self._columns.values())
        missing = {output: trail for output, trail in either(used, self.order).items() if output not in self.rows}
        return Feeds(self._columns, {**self.rows, **missing}, self.order)


def site_of(scalar: Scalar, otherwise: AnySite | None) -> AnySite | None:
    """Where an expression was written; columns that every reader shares were written where they are used."""
    return otherwise if scalar.site is None else scalar.site


def seed(schema: Schema) -> Feeds:
    """What the root feeds: each of its columns itself, with the rows in their order."""
    places = dict.fromkeys(range(len(schema)), START)
    return Feeds({(name,): {(place, VALUE): START} for place, name in enumerate(schema.names)}, places, places)


__all__ = [
    "FILTER", "KEY", "ORDER", "ROLES", "START", "VALUE", "Collector", "Feeds", "Outputs", "Trail", "Uses", "either",
    "joined", "outputs_of", "seed", "site_of",
]  # fmt: skip
