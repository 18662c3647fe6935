"""Lineage of columns: a pullback that asks of each node which columns of its children it uses, for which outputs, and how.

A column of a source has the role in which it is first used on its way up: as part of a value as long as it is only computed
with, and a filter, a key or an order from there on where it decides about rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

from lazyframe.planner.graph import postorder, pullback
from lazyframe.planner.lineage.feeds import ROLES, Trail, joined, seed
from lazyframe.planner.lineage.sources import SourceTable, identity_of, source_tables
from lazyframe.planner.lineage.walk import Walk, at_source
from lazyframe.planner.relations import Plan


class Origin(NamedTuple):
    """A column of a source, in a role."""

    table: str
    column: str
    role: str


class Found(NamedTuple):
    """For each column of a plan where it comes from, and by which ways; and the tables that are read."""

    columns: Mapping[str, Mapping[Origin, Trail]]
    tables: list[SourceTable]


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
    for node in nodes:
        identity = identity_of(node)
        fed = values.get(id(node))
        if identity is None or fed is None:
            continue
        for column, uses in at_source(node, fed).columns.items():
            for (place, role), trail in uses.items():
                origin = Origin(tables[identity].name, column, role)
                own = found[outputs[place]]
                held = own.get(origin)
                own[origin] = trail if held is None else Trail(None, (held, trail))
    order = {(table.name, name): number for number, (table, name) in enumerate(_all_columns(tables.values()))}
    for name, origins in found.items():
        placed = sorted(origins, key=lambda o: (ROLES.index(o.role), order[o.table, o.column]))
        found[name] = {origin: origins[origin] for origin in placed}
    return Found(found, list(tables.values()))


def _all_columns(tables: Iterable[SourceTable]) -> list[tuple[SourceTable, str]]:
    return [(table, name) for table in tables for name in table.schema.names]


__all__ = ["Found", "Origin", "lineage"]
