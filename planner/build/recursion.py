"""Recursions: a base, and a step over the rows of the last round."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.relations import Plan, Project, Recursion, RecursionInput
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import cast
from lazyframe.planner.types import DataType, common_type, type_name

_TRIES = 4


def recursion(base: Plan, step_over: Callable[[Plan], Plan], name: str, *, distinct: bool) -> Plan:
    """The rows of `base`, then what the step makes of the rows of the last round, until there are none.

    Columns correspond by position, and have the names of the base. Where the step gives wider types than the base, it is
    built again over those.

    Args:
        base: the first round.
        step_over: from the relation that holds the rows of the last round to the step. May be called more than once.
        name: a name that no recursion around this one or in it has.
        distinct: whether each different row is given once.

    Raises:
        InvalidArgumentError: where the step has another number of columns.
        TypeMismatchError: where types have nothing in common, or become wider whenever the step is built.
    """
    names = base.schema.names
    types = base.schema.types
    for _ in range(_TRIES):
        rows = RecursionInput(name, tuple(zip(names, types, strict=True)))
        step = step_over(rows)
        if len(step.schema) != len(names):
            raise InvalidArgumentError(
                f"the recursive part of {name!r} has {len(step.schema)} columns, its first part {len(names)}"
            )
        wider = [_wider(n, a, b) for n, a, b in zip(names, types, step.schema.types, strict=True)]
        if wider == types:
            return Recursion(_as(base, names, types), _as(step, names, types), name, distinct)
        growing = next(n for n, a, b in zip(names, types, wider, strict=True) if a != b)
        types = wider
    raise TypeMismatchError(
        f"the type of column {growing!r} of {name!r} becomes wider with each round",
        hint="cast it to one type in the recursive part",
    )


def _wider(name: str, first: DataType, step: DataType) -> DataType:
    wider = common_type(first, step)
    if wider is None:
        raise TypeMismatchError(
            f"column {name!r} is {type_name(first)} in the first part and {type_name(step)} in the recursive one, "
            "which have nothing in common",
            hint="cast one of them",
        )
    return wider


def _as(plan: Plan, names: Sequence[str], types: Sequence[DataType]) -> Plan:
    """The plan with columns of these names and types, by position."""
    schema = plan.schema
    if schema.names == list(names) and schema.types == list(types):
        return plan
    columns = zip(schema.names, names, types, strict=True)
    return Project(plan, tuple([(new, cast(column(schema, old), dtype)) for old, new, dtype in columns]))
