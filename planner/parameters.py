"""Values for the parameters of a plan.

What runs is a plan in which parameters have become literals, so that pruning and filters by keys see the values of this run. The plan
with its parameters stays as the optimizer left it, and is given other values another time. Floats in projections and
aggregates stay in the plan as *placeholders*: operators are told their values, and are used again with others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lazyframe.planner.cells import as_literal
from lazyframe.planner.errors import InvalidArgumentError, did_you_mean
from lazyframe.planner.graph import alike, postorder, remembered
from lazyframe.planner.literals import literal
from lazyframe.planner.relations import Aggregate, Plan, Project, Scan
from lazyframe.planner.scalars import PARAMETER, Call, Cast, Literal, Parameter, Scalar, null_of
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
            for found in _parameters_of(plan):
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


def bound(plans: Sequence[Plan], given: Mapping[str, Any], written: Sequence[Plan] | None = None) -> list[Plan]:
    """Plans in which parameters have become literals; themselves where there are none.

    Args:
        plans: what is about to run.
        given: values by name.
        written: what the plans were made from, where the optimizer may have left out some that use parameters.
    """
    written = plans if written is None else written
    if not given and not any(map(has_parameters, written)):
        return list(plans)
    return substituted(plans, Parameters(written).literals(given))


def partly_bound(plan: Plan, given: Mapping[str, Any]) -> Plan:
    """A plan in which the parameters that are given have become literals, and the others stay.

    Raises:
        InvalidArgumentError: as `Parameters.literals`.
    """
    (found,) = substituted([plan], Parameters([plan]).literals(given, partly=True))
    return found


def stand_ins(plan: Plan) -> Plan:
    """The plan with nulls for its parameters, for what asks how it runs and not what it gives."""
    if not has_parameters(plan):
        return plan
    parameters = set(_parameters_of(plan))
    (found,) = substituted([plan], {each: null_of(each.dtype) for each in parameters})
    return found


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


def _parameters_of(plan: Plan) -> list[Parameter]:
    """The parameters of a plan in the order of its nodes; one may occur more than once."""
    if not has_parameters(plan):
        return []
    return [part for current in postorder(plan) if current.holds & PARAMETER for part in _parameters_in(current)]


def _parameters_in(plan: Plan) -> list[Parameter]:
    """The parameters in the expressions of a node."""
    return [
        part
        for scalar in plan.scalars()
        if scalar.holds & PARAMETER
        for part in postorder(scalar)
        if isinstance(part, Parameter)
    ]


def is_placeholder(parameter: Parameter) -> bool:
    """Whether its value may be told to operators, rather than to the plan: a float decides nothing of how they work."""
    return is_float(parameter.dtype)


def with_placeholders(plan: Plan, literals: Literals) -> Plan:
    """A plan whose projections and aggregates keep the parameters that are placeholders; all others are literals.

    Args:
        plan: where `needs_literals`; another one stays as it is.
        literals: what becomes of each parameter.
    """
    (found,) = _substituted(
        [plan], literals, {each: made for each, made in literals.items() if not is_placeholder(each)}
    )
    return found


def needs_literals(plan: Plan) -> bool:
    """Whether a plan has parameters that are no placeholders."""
    return any(
        [
            not isinstance(current, KEEPS_PLACEHOLDERS) or not all(map(is_placeholder, _parameters_in(current)))
            for current in postorder(plan)
            if current.holds & PARAMETER
        ]
    )


KEEPS_PLACEHOLDERS = (Project, Aggregate)


def substituted(plans: Sequence[Plan], literals: Literals) -> list[Plan]:
    """Plans with literals in the place of parameters; what has none of these is not built anew."""
    if not literals:
        return list(plans)
    return _substituted(plans, literals, literals)


def _substituted(plans: Sequence[Plan], literals: Literals, in_columns: Literals) -> list[Plan]:
    """The same, with others in projections and aggregates."""
    from lazyframe.planner.statistics import estimate

    made: dict[int, Plan] = {}
    in_column: dict[int, Scalar] = {}
    scalars: dict[int, Scalar] = {}
    for plan in plans:
        # Known once for all values: a sample looked through for each would take longer than many a query.
        estimate(plan)
        stack = [plan]
        while stack:
            current = stack[-1]
            key = id(current)
            if key in made:
                stack.pop()
            elif not has_parameters(current):
                made[key] = current
                stack.pop()
            elif pending := [child for child in current.children() if id(child) not in made]:
                stack.extend(pending)
            else:
                held: list[Plan | Scalar] = [made[id(child)] for child in current.children()]
                if isinstance(current, KEEPS_PLACEHOLDERS):
                    held += [_with_literals(scalar, in_columns, in_column) for scalar in current.scalars()]
                else:
                    held += [_with_literals(scalar, literals, scalars) for scalar in current.scalars()]
                made[key] = alike(current, held, **_derived(current))
                stack.pop()
    return [made[id(plan)] for plan in plans]


def _derived(plan: Plan) -> dict[str, Any]:
    """What is known of a plan with parameters and holds for one with literals: these have the same types, and none is null."""
    found = {"schema": plan.schema}
    for name in ("_rows", "_keys", "_varying", "_rounds"):
        if hasattr(plan, name):
            found[name] = getattr(plan, name)
    return found


def _with_literals(root: Scalar, literals: Literals, made: dict[int, Scalar]) -> Scalar:
    """An expression with literals in the place of parameters; what is computed from nothing else is folded.

    Args:
        root: the expression.
        literals: what becomes of each parameter.
        made: what has become of expressions, by their `id`; gets those that are new.
    """
    if not root.holds & PARAMETER:
        return root
    stack = [root]
    while stack:
        current = stack[-1]
        key = id(current)
        if key in made:
            stack.pop()
            continue
        if isinstance(current, Parameter):
            made[key] = literals.get(current, current)
            stack.pop()
            continue
        children = current.children()
        pending = [child for child in children if child.holds & PARAMETER and id(child) not in made]
        if pending:
            stack.extend(pending)
            continue
        stack.pop()
        parts = [made[id(child)] if child.holds & PARAMETER else child for child in children]
        holds = current.holds & ~PARAMETER
        for part in parts:
            holds |= part.holds & PARAMETER
        derived = {"dtype": current.dtype, "nullable": current.nullable, "columns": current.columns, "holds": holds}
        if getattr(current, "_total", False):
            # Whatever the values, that is.
            derived["_total"] = True
        rebuilt = alike(current, parts, **derived)
        # What is constant now may be what a scan is pruned by.
        if isinstance(current, (Call, Cast)) and all([isinstance(part, Literal) for part in parts]):
            rebuilt = _computed(rebuilt)
        made[key] = rebuilt
    return made[id(root)]


def _computed(rebuilt: Scalar) -> Scalar:
    """The value of a constant expression, if the planner can tell; it must be as nullable as it was for the schema to stay."""
    from lazyframe.planner.folding import folded

    simpler = folded(rebuilt)
    return simpler if simpler.nullable == rebuilt.nullable and simpler.dtype == rebuilt.dtype else rebuilt


__all__ = [
    "NO_VALUES",
    "Parameters",
    "bound",
    "has_parameters",
    "learned_tables",
    "partly_bound",
    "stand_ins",
    "substituted",
]
