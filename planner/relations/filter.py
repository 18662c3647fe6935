"""Keeping rows."""

from __future__ import annotations

from collections.abc import Iterable

from lazyframe.planner.graph import node
from lazyframe.planner.relations.plan import Plan, check_predicate
from lazyframe.planner.scalars import Scalar, conjunction
from lazyframe.planner.schema import Schema


@node
class Filter(Plan):
    """The rows for which the predicate is true: not those where it is false or null."""

    input: Plan
    predicate: Scalar

    def derive_schema(self) -> Schema:
        check_predicate(self.predicate, self.input.schema)
        return self.input.schema


def filtered(plan: Plan, parts: Iterable[Scalar]) -> Plan:
    """The rows for which all of `parts` are true; `plan` itself where there are none."""
    predicate = conjunction(parts)
    return plan if predicate is None else Filter(plan, predicate)
