"""Columns of queries around a subquery, as the subquery sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from lazyframe.planner.graph import Node, _set, node, postorder, remembered, rewrite_top_down
from lazyframe.planner.relations import Plan
from lazyframe.planner.scalars import OUTER, SUBQUERY, Scalar
from lazyframe.planner.site import ambient
from lazyframe.planner.types import DataType

_NO_COLUMNS: frozenset[str] = frozenset()


@node
class Outer(Scalar):
    """A value that a query around this one gives, known by a name: constant for each run of the subquery.

    It is no column of the relation it stands over. Unnesting replaces it; no plan that leaves the compiler has one.
    """

    name: str
    of_type: DataType
    may_be_null: bool
    placeholder: ClassVar[str] = "the value of a query around"

    def __post_init__(self) -> None:
        _set(self, "site", ambient.site)
        _set(self, "dtype", self.of_type)
        _set(self, "nullable", self.may_be_null)
        _set(self, "columns", _NO_COLUMNS)
        _set(self, "holds", OUTER)


@node
class Subquery(Scalar):
    """The value of a query for the values `args` of its outer columns: its only value (`scalar`), or whether it has rows
    (`exists`).

    The compiler puts a join in its place (`planner/sql/unnesting`).
    """

    kind: str
    plan: Plan
    column: str
    args: tuple[tuple[str, Scalar], ...]
    bit: ClassVar[int] = SUBQUERY
    placeholder: ClassVar[str] = "the subquery"

    def _derive(self) -> None:
        from lazyframe.planner.types import BOOL

        scalar = self.kind == "scalar"
        _set(self, "dtype", self.plan.schema[self.column] if scalar else BOOL)
        _set(self, "nullable", scalar)


def outers_of(scalar: Scalar) -> set[str]:
    """The names of the outer values in an expression, those that its subqueries are given among them."""
    if not scalar.holds & OUTER:
        return set()
    return {part.name for part in postorder(scalar) if isinstance(part, Outer)}


def has_subquery(scalar: Scalar) -> bool:
    return scalar.holds & SUBQUERY != 0


def free_names(plan: Plan) -> frozenset[str]:
    """The names of the outer values in a plan."""
    return remembered(plan, "_free", _free)


def _free(current: Plan, children: list[frozenset[str]]) -> frozenset[str]:
    own = [outers_of(scalar) for scalar in current.scalars() if scalar.holds & OUTER]
    return frozenset().union(*children, *own) if own or any(children) else _NO_COLUMNS


def given(scalar: Scalar, values: Mapping[str, Scalar]) -> Scalar:
    """An expression with values in the place of outer ones."""
    if not any([isinstance(part, Outer) and part.name in values for part in postorder(scalar)]):
        return scalar

    def step(current: Scalar) -> Scalar | None:
        return values.get(current.name, current) if isinstance(current, Outer) else None

    return rewrite_top_down(scalar, step)


def depends(nodes: Iterable[Node], names: Iterable[str]) -> bool:
    """Whether one of some expressions holds one of those outer values."""
    wanted = set(names)
    return any([not wanted.isdisjoint(outers_of(scalar)) for scalar in nodes])  # type: ignore[arg-type]


__all__ = ["Outer", "Subquery", "depends", "free_names", "given", "has_subquery", "outers_of"]
