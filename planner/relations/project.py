"""Computing columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lazyframe.planner.graph import _set, node
from lazyframe.planner.relations.plan import Plan, check_columns
from lazyframe.planner.scalars import Column, Scalar
from lazyframe.planner.schema import Field, Schema


@node
class Project(Plan):
    """For each row the values of named expressions."""

    input: Plan
    exprs: tuple[tuple[str, Scalar], ...]

    def derive_schema(self) -> Schema:
        schema = self.input.schema
        for _, scalar in self.exprs:
            check_columns(scalar, schema)
        return Schema([Field(name, scalar.dtype, scalar.nullable) for name, scalar in self.exprs])

    @property
    def bindings(self) -> Mapping[str, Scalar]:
        return dict(self.exprs)


def column(schema: Schema, name: str) -> Column:
    """The column of that name in `schema`."""
    made = schema.columns
    found = made.get(name)
    if found is None:
        field = schema.field(name)
        found = Column(name, field.dtype, field.nullable)
        # It stands in many places, and is written at none of them.
        _set(found, "site", None)
        made[name] = found
    return found


def columns(plan: Plan) -> tuple[tuple[str, Column], ...]:
    """All columns of a plan with their names, as a projection has them that keeps them."""
    schema = plan.schema
    return tuple([(name, column(schema, name)) for name in schema.names])


def choose(plan: Plan, names: Iterable[str]) -> Plan:
    """The columns of those names in that order; `plan` itself where it has just them."""
    wanted = list(names)
    if wanted == plan.schema.names:
        return plan
    return Project(plan, tuple([(name, column(plan.schema, name)) for name in wanted]))


def renamed(plan: Plan, names: Mapping[str, str]) -> Plan:
    """All columns, some under other names."""
    if not any(old != new for old, new in names.items()):
        return plan
    return Project(plan, tuple([(names.get(f.name, f.name), column(plan.schema, f.name)) for f in plan.schema]))


def widened(plan: Plan) -> Plan:
    """The same columns, of which each may be null as far as the schema says; `plan` itself where that is so."""
    fields = list(plan.schema)
    if all([field.nullable for field in fields]):
        return plan
    return Project(plan, tuple([(f.name, Column(f.name, f.dtype, True)) for f in fields]))
