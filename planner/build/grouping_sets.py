"""Grouping by several sets of keys at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from lazyframe.planner import arrow
from lazyframe.planner.errors import InvalidArgumentError
from lazyframe.planner.relations import Aggregate, Plan, Project, Shared, Union
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import AggregateCall, Call, Column, Literal, Scalar, null_of
from lazyframe.planner.schema import fresh_name
from lazyframe.planner.types import INT64, is_float

Named = tuple[str, Scalar]

MOST_ARGUMENTS = 63
"""So many bits has the value of GROUPING()."""

MOST_SETS = 4096


def rollup_sets(count: int) -> list[tuple[int, ...]]:
    """All keys, then all but the last, down to none."""
    return [tuple(range(n)) for n in range(count, -1, -1)]


def cube_sets(count: int) -> list[tuple[int, ...]]:
    """Every subset of the keys, larger ones first."""
    if 1 << count > MOST_SETS:
        raise InvalidArgumentError(
            f"a cube of {count} keys has {1 << count:,} sets of keys, and {MOST_SETS:,} are allowed",
            hint="name the sets that are wanted",
        )
    return [subset for size in range(count, -1, -1) for subset in combinations(range(count), size)]


def grouping_sets(
    plan: Plan,
    keys: Sequence[Named],
    aggregates: Sequence[Named],
    sets: Sequence[Sequence[int]],
    groupings: Mapping[str, Sequence[int]] | None = None,
) -> Plan:
    """The groups by each of some sets of keys, one set after the other.

    The columns are the keys, null in the groups of sets without them, the aggregates, and the groupings.

    Args:
        plan: the rows.
        keys: what is grouped by, with names.
        aggregates: aggregate calls, with names.
        sets: numbers of keys. A set that occurs twice gives its groups twice; the empty one gives one row, also over no rows.
        groupings: for the name of a column the numbers of keys: one bit each, the first the highest, which is 1 in the
            groups of sets without that key. This is SQL's GROUPING().

    Raises:
        InvalidArgumentError: where there are no sets, or a grouping of too many keys.
    """
    if not sets:
        raise InvalidArgumentError("grouping sets need at least one set of keys")
    groupings = groupings or {}
    for asked in groupings.values():
        if len(asked) > MOST_ARGUMENTS:
            raise InvalidArgumentError(f"GROUPING() takes at most {MOST_ARGUMENTS} keys, not {len(asked)}")
    if len(sets) > 1:
        plan, keys = _read_by_all(plan, keys)
    chosen = [frozenset(each) for each in sets]
    groups = _groups(plan, keys, aggregates, chosen)
    parts = [_as_columns(groups[each], keys, aggregates, each, groupings) for each in chosen]
    return parts[0] if len(parts) == 1 else Union(tuple(parts))


def _read_by_all(plan: Plan, keys: Sequence[Named]) -> tuple[Plan, list[Named]]:
    """The rows with the values of the keys, computed once for all sets."""
    columns: list[Named] = [(field.name, column(plan.schema, field.name)) for field in plan.schema]
    taken = set(plan.schema.names)
    known: list[Named] = []
    for name, scalar in keys:
        if isinstance(scalar, Column):
            known.append((name, scalar))
            continue
        computed = fresh_name(name, taken)
        taken.add(computed)
        columns.append((computed, scalar))
        known.append((name, Column(computed, scalar.dtype, scalar.nullable)))
    return Shared(plan if len(columns) == len(plan.schema) else Project(plan, tuple(columns))), known


def _groups(
    plan: Plan, keys: Sequence[Named], aggregates: Sequence[Named], sets: Sequence[frozenset[int]]
) -> dict[frozenset[int], Plan]:
    """For each set its groups: of the rows, or of the groups of a larger set where these say enough."""
    merged = all([_merging(call) is not None for _, call in aggregates])
    found: dict[frozenset[int], Plan] = {}
    for chosen in sorted(dict.fromkeys(sets), key=len, reverse=True):
        larger = [each for each in found if each > chosen] if merged else []
        if larger:
            found[chosen] = _merged(found[min(larger, key=len)], keys, aggregates, chosen)
        else:
            own = tuple([key for i, key in enumerate(keys) if i in chosen])
            found[chosen] = Aggregate(plan, own, tuple(aggregates))
    return found


_MERGING = {"sum": "sum", "count": "sum", "len": "sum", "min": "min", "max": "max"}


def _merging(call: Scalar) -> str | None:
    """The aggregate that makes the value for some groups together of their values.

    Not for sums of floats: in another order they would be rounded otherwise than those of a plain grouping.
    """
    assert isinstance(call, AggregateCall)
    name = _MERGING.get(call.function)
    if call.order or (call.distinct and name == "sum") or (name == "sum" and is_float(call.dtype)):
        return None
    return name


def _merged(plan: Plan, keys: Sequence[Named], aggregates: Sequence[Named], chosen: frozenset[int]) -> Plan:
    """The groups by fewer keys, of groups by more. They come in the same order as if they were made of the rows."""
    own = [(name, column(plan.schema, name)) for i, (name, _) in enumerate(keys) if i in chosen]
    calls: list[Named] = []
    for name, call in aggregates:
        function = _merging(call)
        assert function is not None
        calls.append((name, AggregateCall(function, (column(plan.schema, name),))))
    groups = Aggregate(plan, tuple(own), tuple(calls))
    if all([call.nullable for _, call in aggregates]):
        return groups
    # Without groups there is nothing to add up, and a count is 0.
    exprs: list[Named] = list(own)
    for name, call in aggregates:
        value = column(groups.schema, name)
        exprs.append(
            (name, value if call.nullable else Call("coalesce", (value, Literal(arrow.scalar(0, value.dtype)))))
        )
    return Project(groups, tuple(exprs))


def _as_columns(
    part: Plan,
    keys: Sequence[Named],
    aggregates: Sequence[Named],
    chosen: frozenset[int],
    groupings: Mapping[str, Sequence[int]],
) -> Plan:
    exprs: list[Named] = [
        (name, column(part.schema, name) if i in chosen else null_of(scalar.dtype))
        for i, (name, scalar) in enumerate(keys)
    ]
    exprs += [(name, column(part.schema, name)) for name, _ in aggregates]
    exprs += [(name, grouping_of(asked, chosen)) for name, asked in groupings.items()]
    return Project(part, tuple(exprs))


def grouping_of(asked: Sequence[int], chosen: frozenset[int]) -> Literal:
    """A bit for each of some keys, the first the highest: 1 where it is not among the chosen ones."""
    bits = 0
    for key in asked:
        bits = bits << 1 | (key not in chosen)
    return Literal(arrow.scalar(bits, INT64))
