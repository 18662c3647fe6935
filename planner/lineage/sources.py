"""The tables that a plan reads, under names that tell them apart."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from lazyframe.planner.graph import postorder
from lazyframe.planner.relations import Plan, Scan, Values
from lazyframe.planner.schema import Schema
from lazyframe.planner.site import AnySite
from lazyframe.planner.source_names import Names, table_names
from lazyframe.planner.sources import TableSource, learned


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A table that a query reads.

    Args:
        name: what it is called in answers.
        schema: its columns.
        site: where the user's code first reads it.
    """

    name: str
    schema: Schema
    site: AnySite | None


def identity_of(leaf: Plan) -> Hashable | None:
    """What two reads of one table share; None for a node that is none."""
    match leaf:
        case Scan(source=source):
            return source.identity()
        case Values(columns=columns) if columns:
            return leaf.digest
    return None


def source_tables(plan: Plan, names: Mapping[Hashable, str]) -> dict[Hashable, SourceTable]:
    """The tables that a plan reads, by identity, in their order.

    Args:
        plan: what reads them.
        names: names that the user gave to some of them; the others are called as in SQL that is written for the plan.
    """
    found: dict[Hashable, SourceTable] = {}
    free = Names(names.values())
    derived: dict[Hashable, str] = {identity: name for identity, (name, _) in table_names(plan, free, names).items()}
    for node in postorder(plan):
        identity = identity_of(node)
        if identity is None or identity in found:
            continue
        name = names.get(identity) or derived.get(identity) or free.take("values")
        schema = _of_the_user(node.source) if isinstance(node, Scan) else node.schema
        found[identity] = SourceTable(name, schema, node.site)
    return found


def _of_the_user(source: TableSource) -> Schema:
    """The columns of a table that the user knows of: not the numbers of rows of one that is learned."""
    known = learned(source)
    return source.schema if known is None else Schema([each for each in source.schema if each.name != known.row])


__all__ = ["SourceTable", "identity_of", "source_tables"]
