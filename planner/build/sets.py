"""Tables put together by name: concat and set operations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from lazyframe.planner.errors import DuplicateColumnError, InvalidArgumentError, TypeMismatchError, did_you_mean
from lazyframe.planner.relations import Distinct, HorizontalConcat, Plan, Project, SetOperation, Union
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Scalar, cast, null_of
from lazyframe.planner.types import DataType, common_type, type_name


def vertical(plans: Sequence[Plan], *, fill: bool = False) -> Plan:
    """All rows one table after the other. The tables have the same names, in any order; where `fill`, missing ones are null.

    Raises:
        InvalidArgumentError: where names differ.
        TypeMismatchError: where types have nothing in common.
    """
    if len(plans) == 1:
        return plans[0]
    names = list(dict.fromkeys(name for plan in plans for name in plan.schema.names)) if fill else plans[0].schema.names
    if not fill:
        for number, plan in enumerate(plans[1:], 2):
            check_names(plans[0], plan, f"table {number}")
    return Union(tuple(_aligned(plans, names)))


def check_names(first: Plan, other: Plan, what: str) -> None:
    missing = [name for name in first.schema.names if name not in other.schema]
    surplus = [name for name in other.schema.names if name not in first.schema]
    if missing or surplus:
        found = [f"has no column {missing[0]!r}"] if missing else []
        found += [f"has a column {surplus[0]!r} that the first does not have"] if surplus else []
        hint = did_you_mean(missing[0], surplus) if missing and surplus else None
        raise InvalidArgumentError(
            f"{what} {' and '.join(found)}", hint=hint or "concat with how='diagonal' fills missing columns with nulls"
        )


def _aligned(plans: Sequence[Plan], names: Sequence[str]) -> list[Plan]:
    """The plans with the same names in the same order, and types wide enough for all."""
    types: dict[str, DataType] = {}
    for name in names:
        found = [plan.schema[name] for plan in plans if name in plan.schema]
        wanted = reduce(lambda a, b: None if a is None else common_type(a, b), found[1:], found[0])
        if wanted is None:
            shown = " and ".join(dict.fromkeys(type_name(t) for t in found))
            raise TypeMismatchError(
                f"column {name!r} is {shown}, which have nothing in common", hint="cast one of them"
            )
        types[name] = wanted

    def align(plan: Plan) -> Plan:
        exprs: list[tuple[str, Scalar]] = []
        for name in names:
            value = column(plan.schema, name) if name in plan.schema else null_of(types[name])
            exprs.append((name, cast(value, types[name])))
        same = plan.schema.names == list(names) and all(plan.schema[n] == types[n] for n in names)
        return plan if same else Project(plan, tuple(exprs))

    return [align(plan) for plan in plans]


def horizontal(plans: Sequence[Plan]) -> Plan:
    """The tables side by side."""
    seen: set[str] = set()
    for plan in plans:
        for name in plan.schema.names:
            if name in seen:
                raise DuplicateColumnError(f"two columns would be named {name!r}", hint="rename one before concat")
            seen.add(name)
    return plans[0] if len(plans) == 1 else HorizontalConcat(tuple(plans))


def distinct(plan: Plan) -> Plan:
    """Each different row once."""
    return Distinct(plan, tuple(plan.schema.names))


def operation(left: Plan, right: Plan, kind: str, *, keep_duplicates: bool) -> Plan:
    """`union`, `intersect` or `except` of rows, by name."""
    check_names(left, right, "the other table")
    a, b = _aligned([left, right], left.schema.names)
    if kind == "union":
        both = Union((a, b))
        return both if keep_duplicates else distinct(both)
    return SetOperation(a, b, kind, keep_duplicates)
