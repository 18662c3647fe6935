"""Lineage of columns: a pullback that asks of each node which columns of its children it uses, for which outputs, and how.

A column of a source has the role in which it is first used on its way up: as part of a value as long as it is only computed
with, and a filter, a key or an order from there on where it decides about rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from lazyframe.planner.graph import postorder, pullback
from lazyframe.planner.lineage.feeds import ROLES, Trail, joined, seed
from lazyframe.planner.lineage.places import Place, unused, written
from lazyframe.planner.lineage.sources import SourceTable, identity_of, source_tables
from lazyframe.planner.lineage.walk import Walk, at_source
from lazyframe.planner.relations import Plan


class Origin(NamedTuple):
    """A column of a source in a role, or a field of one: `s.a`."""

    table: str
    column: str
    role: str


class Found(NamedTuple):
    """For each column of a plan where it comes from, and by which ways.

    Args:
        columns: the origins of each column, with the ways from there.
        tables: the tables that are read.
        used: for each of them what some column comes from.
        unused: for each of them the columns, and the fields of used columns, of which nothing is used.
    """

    columns: Mapping[str, Mapping[Origin, Trail]]
    tables: list[SourceTable]
    used: Mapping[str, list[str]]
    unused: Mapping[str, list[str]]


def lineage(plan: Plan, names: Mapping[Hashable, str] | None = None) -> Found:
    """Where each column of a plan comes from.

    Args:
        plan: as it was written. Rules of the optimizer use further columns to the same end.
        names: names of tables, by the identities of their sources.
    """
    nodes = postorder(plan)
    tables = source_tables(plan, names or {})
    walk = Walk(nodes)
    values = pullback(plan, seed(plan.schema), walk.asks, joined)
    outputs = plan.schema.names
    found: dict[str, dict[Origin, Trail]] = {name: {} for name in outputs}
    used: dict[Hashable, set[Place]] = {identity: set() for identity in tables}
    for node in nodes:
        identity = identity_of(node)
        fed = values.get(id(node))
        if identity is None or fed is None:
            continue
        table = tables[identity]
        for place, uses in at_source(node, fed).columns.items():
            used[identity].add(place)
            for (output, role), trail in uses.items():
                origin = Origin(table.name, written(place, table.schema), role)
                own = found[outputs[output]]
                held = own.get(origin)
                own[origin] = trail if held is None else Trail(None, (held, trail))
    inside: dict[str, list[str]] = {}
    outside: dict[str, list[str]] = {}
    for identity, table in tables.items():
        at = {name: number for number, name in enumerate(table.schema.names)}
        placed = sorted(used[identity], key=lambda place, at=at: (at[place[0]], place))  # type: ignore[misc]
        inside[table.name] = [written(place, table.schema) for place in placed]
        outside[table.name] = [written(place, table.schema) for place in unused(table.schema, placed)]
    order = {each: number for number, each in enumerate([(t, name) for t, names in inside.items() for name in names])}
    for name, origins in found.items():
        in_order = sorted(origins, key=lambda o: (ROLES.index(o.role), order[o.table, o.column]))
        found[name] = {origin: origins[origin] for origin in in_order}
    return Found(found, list(tables.values()), inside, outside)


__all__ = ["Found", "Origin", "lineage"]
