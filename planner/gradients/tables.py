"""Tables that are learned: what reaches a row of one, from all rows that it became part of, is its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lazyframe.planner.gradients.accumulation import accumulated
from lazyframe.planner.gradients.segments import Builder, Cotangent, Inlet, Pulled, Segment
from lazyframe.planner.relations import Plan, Scan
from lazyframe.planner.relations.filter import filtered
from lazyframe.planner.relations.project import column, columns
from lazyframe.planner.scalars import Call
from lazyframe.planner.sources import Learned, learned


@dataclass
class Table:
    """A scan of a table that is learned.

    Args:
        plan: the scan.
        learned: which of its columns are.
    """

    plan: Scan
    learned: Learned

    @property
    def moving(self) -> frozenset[str]:
        return frozenset(self.learned.columns)

    @property
    def below(self) -> Segment:
        return Segment(self.plan, dict(columns(self.plan)))

    def pulled(self, cotangents: Sequence[Cotangent], builder: Builder) -> list[Pulled]:
        """Nothing lies below."""
        return []


def table(builder: Builder, current: Scan) -> Segment:
    """The segment of a table that is learned."""
    known = learned(current.source)
    assert known is not None
    source = Table(current, known)
    builder.sources.append(source)
    names = {name: name for name in current.schema.names}
    return Segment(current, dict(columns(current)), (Inlet(source, names),))


def gradient(known: Learned, cotangents: Sequence[Cotangent]) -> Plan:
    """The gradient by a table: for the number of each row that anything reaches, what reaches its columns, by their names."""
    found = accumulated(cotangents, [(known.row, known.row)], [(name, name) for name in known.columns])
    number = column(found.schema, known.row)
    # Where an outer join found no row of the table there is none for the gradient.
    return filtered(found, [Call("is_not_null", (number,))]) if number.nullable else found
