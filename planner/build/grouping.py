"""Grouping by several sets of keys at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from lazyframe.planner.build.projection import aggregated, check_distinct
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.relations import Plan, Project, Union
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import Scalar, null_of

Named = tuple[str, Scalar]


def rollup_sets(count: int) -> list[tuple[int, ...]]:
    """All keys, then all but the last, down to none."""
    return [tuple(range(n)) for n in range(count, -1, -1)]


def cube_sets(count: int) -> list[tuple[int, ...]]:
    """Every subset of the keys, larger ones first."""
    return [subset for size in range(count, -1, -1) for subset in combinations(range(count), size)]


def grouping_sets(plan: Plan, keys: Sequence[Named], sets: Sequence[Sequence[int]], named: Sequence[Named]) -> Plan:
    """The union of groupings by some of the keys; keys that are left out are null."""
    if not sets:
        raise InvalidArgumentError("grouping sets need at least one set of keys")
    check_distinct([name for name, _ in (*keys, *named)], ())
    parts = []
    for chosen in sets:
        part = aggregated(plan, tuple([keys[i] for i in chosen]), named)
        exprs: list[Named] = []
        for index, (name, scalar) in enumerate(keys):
            exprs.append((name, column(part.schema, name) if index in chosen else null_of(scalar.dtype)))
        exprs += [(name, column(part.schema, name)) for name, _ in named]
        parts.append(Project(part, tuple(exprs)))
    return parts[0] if len(parts) == 1 else Union(tuple(parts))
