"""Rows that are computed from rows of the same relation, round by round."""

from __future__ import annotations

from lazyframe.planner.graph import Node, node, remembered
from lazyframe.planner.relations.join import nullable
from lazyframe.planner.relations.plan import Plan
from lazyframe.planner.relations.shared import Shared
from lazyframe.planner.scalars import is_volatile
from lazyframe.planner.schema import Field, Schema
from lazyframe.planner.types import DataType


@node
class RecursionInput(Plan):
    """The rows of the last round, inside the step of the `Recursion` of that name. Any column may hold nulls."""

    name: str
    columns: tuple[tuple[str, DataType], ...]

    def derive_schema(self) -> Schema:
        return Schema([Field(name, dtype, True) for name, dtype in self.columns])


@node
class Recursion(Plan):
    """The rows of `base`, then those that `step` makes of the rows of the last round, until a round gives none.

    `base` and `step` have the same names and types. With `distinct` a row that came before is not given again, and no round
    sees it again. Recursions inside one another have different names.
    """

    base: Plan
    step: Plan
    name: str
    distinct: bool = False

    def derive_schema(self) -> Schema:
        base, step = self.base.schema, self.step.schema
        assert (base.names, base.types) == (step.names, step.types), f"{step} is not like {base}"
        return nullable(base)


def fixed_inputs(recursion: Recursion) -> list[Plan]:
    """The parts of the step that are the same in each round, topmost ones, each once.

    Those that read no rows of a round, neither of this recursion nor of one inside it. What draws random numbers draws them
    anew in each round, unless it is shared.
    """
    outside = recursion_names(recursion)
    found: list[Plan] = []
    seen: set[int] = set()
    stack = [recursion.step]
    while stack:
        current = stack.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        if recursion_names(current) <= outside and not _varies(current):
            found.append(current)
        else:
            stack.extend(reversed(current.children()))
    return found


def recursion_names(plan: Plan) -> frozenset[str]:
    """The names of the recursions whose rounds the plan reads and that stand outside of it."""
    return remembered(plan, "_rounds", _names)


def _names(current: Node, children: list[frozenset[str]]) -> frozenset[str]:
    match current:
        case RecursionInput(name=name):
            return frozenset((name,))
        case Recursion(name=name):
            base, step = children
            return base | (step - {name})
    return frozenset().union(*children)


def _varies(plan: Plan) -> bool:
    return remembered(plan, "_varying", _varying)


def _varying(current: Plan, children: list[bool]) -> bool:
    if isinstance(current, Shared):
        return False
    return any(children) or any([is_volatile(scalar) for scalar in current.scalars()])
