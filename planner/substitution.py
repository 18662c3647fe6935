"""Plans with values for their parameters.

What runs is a plan in which parameters have become literals, so that pruning and filters by keys see the values of this run. The plan
with its parameters stays as the optimizer left it, and is given other values another time. Floats in projections and
aggregates stay in the plan as *placeholders*: operators are told their values, and are used again with others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lazyframe.planner.graph import alike, postorder
from lazyframe.planner.parameters import (
    Literals,
    Parameters,
    has_parameters,
    is_placeholder,
    parameters_in,
    parameters_of,
)
from lazyframe.planner.relations import Aggregate, Plan, Project
from lazyframe.planner.scalars import PARAMETER, Call, Cast, Literal, Parameter, Scalar, null_of

_KEEPS_PLACEHOLDERS = (Project, Aggregate)


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
    parameters = set(parameters_of(plan))
    (found,) = substituted([plan], {each: null_of(each.dtype) for each in parameters})
    return found


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
            not isinstance(current, _KEEPS_PLACEHOLDERS) or not all(map(is_placeholder, parameters_in(current)))
            for current in postorder(plan)
            if current.holds & PARAMETER
        ]
    )


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
                if isinstance(current, _KEEPS_PLACEHOLDERS):
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


__all__ = ["bound", "needs_literals", "partly_bound", "stand_ins", "substituted", "with_placeholders"]
