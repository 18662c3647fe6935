"""The base of all relational nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from lazyframe.planner.graph import Node, _set, setter
from lazyframe.planner.scalars import Column, Scalar
from lazyframe.planner.schema import Schema
from lazyframe.planner.types import BOOL


class Plan(Node):
    """A relation: its schema is derived when it is made, so that a mistake is found at the verb that made it."""

    __slots__ = (
        "_forms",
        "_free",
        "_holds",
        "_keys",
        "_optimized",
        "_parametric",
        "_rounds",
        "_rows",
        "_varying",
        "schema",
    )
    sort: ClassVar[str] = "plan"

    schema: Schema
    _forms: int

    def _derive(self) -> None:
        _set_schema(self, self.derive_schema())

    def derive_schema(self) -> Schema:
        raise AssertionError("every relation derives its schema")

    def outline(self) -> tuple[object, ...]:
        return (type(self), *self.schema.names)

    def scalars(self) -> tuple[Scalar, ...]:
        """The expressions this node evaluates, over the columns of its children."""
        raise AssertionError("the decorator `node` gives each class its own")

    def map_scalars(self, step: Callable[[Scalar], Scalar]) -> Plan:
        """The same node with each of its expressions put through `step`."""
        return self._with(self.scalar_fields, [step(s) for s in self.scalars()])

    @property
    def holds(self) -> int:
        """What sorts of node are in its expressions, as bits (see `Scalar.holds`)."""
        try:
            return self._forms
        except AttributeError:
            found = 0
            for scalar in self.scalars():
                found |= scalar.holds
            _set(self, "_forms", found)
            return found

    @property
    def bindings(self) -> Mapping[str, Scalar]:
        """What each output column is, over the columns of the children. By default they pass through."""
        return {
            field.name: Column(field.name, field.dtype, field.nullable)
            for child in self.children()
            for field in child.schema
        }

    @property
    def optimized(self) -> tuple[tuple[str, ...], Plan] | None:
        """What `keep_optimized` was given: the names of rules that were switched off, and the plan without them."""
        kept: tuple[tuple[str, ...], Plan | None] | None = getattr(self, "_optimized", None)
        if kept is None:
            return None
        return kept[0], self if kept[1] is None else kept[1]

    def keep_optimized(self, disabled: tuple[str, ...], plan: Plan) -> None:
        """Keep what the optimizer made of this plan, as long as this plan lives."""
        from lazyframe.planner.graph import postorder

        if plan is self:
            _set(self, "_optimized", (disabled, None))
        elif all([below is not self for below in postorder(plan)]):
            # In a circle of references, tables in memory would outlive the last frame over them.
            _set(self, "_optimized", (disabled, plan))

    def __repr__(self) -> str:
        from lazyframe.planner.formatting import format_plan

        return format_plan(self)


_set_schema = setter(Plan, "schema")


def check_columns(scalar: Scalar, schema: Schema) -> None:
    """Assert that every column of `scalar` is one of `schema`."""
    assert schema.covers(scalar.columns), (
        f"{sorted(scalar.columns.difference(schema.names))} are not among {schema.names}"
    )


def check_predicate(scalar: Scalar, schema: Schema) -> None:
    assert scalar.dtype == BOOL, f"a predicate of type {scalar.dtype}"
    check_columns(scalar, schema)
