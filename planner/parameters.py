"""The parameters of a plan, and the values that they are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from lazyframe.planner.cells import as_literal
from lazyframe.planner.errors import InvalidArgumentError, did_you_mean
from lazyframe.planner.graph import postorder, remembered
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Plan, Scan
from lazyframe.planner.scalars import PARAMETER, Literal, Parameter
from lazyframe.planner.sources import Learned, learned
from lazyframe.planner.types import is_float

NO_VALUES: Mapping[str, Any] = MappingProxyType({})

Literals = Mapping[Parameter, Literal]
"""What becomes of each parameter."""

NO_LITERALS: Literals = MappingProxyType({})


class Parameters:
    """The parameters of some plans.

    Args:
        plans: as the user wrote them, or as the optimizer left them.

    Attributes:
        by_name: the parameters of each name: several where it is used with several types, or is an array.

    Raises:
        InvalidArgumentError: where two are called the same.
    """

    def __init__(self, plans: Iterable[Plan]) -> None:
        self.by_name: dict[str, list[Parameter]] = {}
        seen: set[Parameter] = set()
        for plan in plans:
            for found in parameters_of(plan):
                if found not in seen:
                    seen.add(found)
                    self.by_name.setdefault(found.name, []).append(found)
        for name, (first, *others) in self.by_name.items():
            for other in others:
                if other.cell.identity() != first.cell.identity():
                    raise InvalidArgumentError(
                        f"two parameters of the query are called {name!r}",
                        hint="give one of them another name, or use the same lf.param(...) in both places",
                        site=other.cell.site,
                    )

    def literals(self, given: Mapping[str, Any], *, partly: bool = False) -> dict[Parameter, Literal]:
        """What becomes of each parameter.

        Args:
            given: values by name; the others have the value of their own.
            partly: whether only those become literals that are given.

        Raises:
            InvalidArgumentError: for a name that no parameter has, a parameter without a value, a value of another type.
        """
        for name in given:
            if name not in self.by_name:
                raise self._unknown(name)
        found: dict[Parameter, Literal] = {}
        for name, parameters in self.by_name.items():
            cell = parameters[0].cell
            if name in given:
                value = cell.checked(given[name]) if cell.shape else given[name]
            elif partly:
                continue
            else:
                value = cell.value
            if value is None:
                raise self._without_value(name, is_given=name in given)
            for parameter in parameters:
                if cell.shape:
                    found[parameter] = literal(value[parameter.index], parameter.dtype)
                else:
                    found[parameter] = as_literal(name, value, parameter.dtype)
        return found

    def _unknown(self, name: str) -> InvalidArgumentError:
        if not self.by_name:
            return InvalidArgumentError(
                f"the query has no parameter {name!r}, nor any other",
                hint=f"write lf.param({name!r}) where its value belongs",
            )
        return InvalidArgumentError(f"the query has no parameter {name!r}", hint=did_you_mean(name, self.by_name))

    def _without_value(self, name: str, *, is_given: bool) -> InvalidArgumentError:
        if is_given:
            return InvalidArgumentError(
                f"the parameter {name!r} is never null", hint="write a null into the query itself where one is meant"
            )
        return InvalidArgumentError(
            f"the parameter {name!r} has no value",
            hint=f"give it where the query runs: collect({name}=...); before another action: frame.bind({name}=...)",
        )


def has_parameters(plan: Plan) -> bool:
    """Whether a plan or one below it uses a parameter, or a table that is one."""
    known: bool | None = getattr(plan, "_parametric", None)
    return remembered(plan, "_parametric", _is_parametric) if known is None else known


def _is_parametric(plan: Plan, children: list[bool]) -> bool:
    return (
        plan.holds & PARAMETER != 0 or True in children or (isinstance(plan, Scan) and learned(plan.source) is not None)
    )


def learned_tables(plan: Plan) -> list[Learned]:
    """The tables of a plan of which columns are a parameter."""
    scans = [each for each in postorder(plan) if isinstance(each, Scan)]
    return [known for each in scans if (known := learned(each.source)) is not None]


def parameters_of(plan: Plan) -> list[Parameter]:
    """The parameters of a plan in the order of its nodes; one may occur more than once."""
    if not has_parameters(plan):
        return []
    return [part for current in postorder(plan) if current.holds & PARAMETER for part in parameters_in(current)]


def parameters_in(plan: Plan) -> list[Parameter]:
    """The parameters in the expressions of a node, which may share much: each part is visited once."""
    found: list[Parameter] = []
    visited: set[int] = set()
    scalars = list(plan.scalars())
    stack = scalars[::-1]
    while stack:
        current = stack.pop()
        if id(current) in visited or not current.holds & PARAMETER:
            continue
        visited.add(id(current))
        if isinstance(current, Parameter):
            found.append(current)
        stack.extend(current.children()[::-1])
    return found


def is_placeholder(parameter: Parameter) -> bool:
    """Whether its value may be told to operators, rather than to the plan: a float decides nothing of how they work."""
    return is_float(parameter.dtype)


__all__ = [
    "NO_LITERALS",
    "NO_VALUES",
    "Literals",
    "Parameters",
    "has_parameters",
    "is_placeholder",
    "learned_tables",
    "parameters_in",
    "parameters_of",
]
