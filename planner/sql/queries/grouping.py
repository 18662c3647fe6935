"""GROUP BY: keys, grouping sets, and what expressions mean over groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from sqlglot import exp

from lazyframe.planner.build.grouping_sets import MOST_SETS, cube_sets, grouping_sets, rollup_sets
from lazyframe.planner.errors import InvalidArgumentError, UnsupportedError
from lazyframe.planner.graph import postorder, rewrite_top_down
from lazyframe.planner.relations import Aggregate, Plan
from lazyframe.planner.relations.project import column
from lazyframe.planner.scalars import AggregateCall, Column, GroupingCall, Scalar, structure
from lazyframe.planner.schema import Fresh
from lazyframe.planner.sql.expressions.binder import Expressions, Handler
from lazyframe.planner.sql.outer import has_subquery
from lazyframe.planner.sql.unnesting import placed


class Keys(NamedTuple):
    """What a GROUP BY groups by: expressions, and sets of them by number where it has grouping sets."""

    scalars: list[Scalar]
    sets: list[tuple[int, ...]] | None


def grouping_call(e: Expressions, tree: exp.Expr) -> Scalar:
    if not e.aggregates:
        raise InvalidArgumentError(f"GROUPING() cannot stand in {e.clause}")
    inner = Expressions(e.statement, e.scope, "GROUPING()", aliases=e.aliases)
    args = tree.expressions or ([tree.this] if tree.this is not None else [])
    if not args:
        raise InvalidArgumentError("GROUPING() wants keys of GROUP BY")
    return GroupingCall(tuple([inner.bind(arg) for arg in args]))


def bound_keys(group: exp.Group, bind: Callable[[exp.Expr], Scalar], automatic: Sequence[Scalar]) -> Keys:
    """The keys of a GROUP BY.

    Args:
        group: the clause.
        bind: binds one key.
        automatic: what GROUP BY ALL groups by.
    """
    if group.args.get("all"):
        return Keys(list(automatic), None)
    keys = _Collected(bind)
    # Each part gives a list of sets; the clause means every combination of one of each.
    parts: list[list[tuple[int, ...]]] = []
    has_sets = False
    for each in group.expressions:
        found = keys.sets_of(each)
        has_sets = has_sets or isinstance(each, (exp.GroupingSets, exp.Rollup, exp.Cube))
        parts.append(found)
    for key, kind in (("rollup", exp.Rollup), ("cube", exp.Cube), ("grouping_sets", exp.GroupingSets)):
        for each in group.args.get(key) or []:
            if not isinstance(each, exp.Expr) or not each.expressions:
                # GROUP BY a, b WITH ROLLUP
                flat = [index for part in parts for each_set in part for index in each_set]
                parts = [keys.rolled([(i,) for i in flat]) if kind is exp.Rollup else keys.cubed([(i,) for i in flat])]
            else:
                parts.append(keys.sets_of(each))
            has_sets = True
    if group.args.get("totals"):
        raise UnsupportedError("WITH TOTALS is not supported", hint="write GROUP BY ROLLUP (...)")
    if not has_sets:
        return Keys(keys.scalars, None)
    count = math.prod([len(part) for part in parts])
    if count > MOST_SETS:
        raise InvalidArgumentError(f"GROUP BY means {count:,} sets of keys, and {MOST_SETS:,} are allowed")
    sets = [tuple(dict.fromkeys(index for each in combined for index in each)) for combined in product(*parts)]
    return Keys(keys.scalars, sets)


class _Collected:
    """The different keys of a GROUP BY, by number."""

    def __init__(self, bind: Callable[[exp.Expr], Scalar]) -> None:
        self.bind = bind
        self.scalars: list[Scalar] = []
        self.numbers: dict[object, int] = {}

    def number(self, tree: exp.Expr) -> int:
        scalar = self.bind(tree)
        found = structure(scalar)
        if found not in self.numbers:
            self.numbers[found] = len(self.scalars)
            self.scalars.append(scalar)
        return self.numbers[found]

    def sets_of(self, tree: exp.Expr) -> list[tuple[int, ...]]:
        if isinstance(tree, exp.GroupingSets):
            return [found for each in tree.expressions for found in self.sets_of(each)]
        if isinstance(tree, exp.Rollup):
            return self.rolled([self.group(each) for each in tree.expressions])
        if isinstance(tree, exp.Cube):
            return self.cubed([self.group(each) for each in tree.expressions])
        return [self.group(tree)]

    def group(self, tree: exp.Expr) -> tuple[int, ...]:
        """Keys that come and go together: one, or several in parentheses."""
        tree = tree.unnest()
        if isinstance(tree, exp.Tuple):
            return tuple([self.number(each) for each in tree.expressions])
        return (self.number(tree),)

    def rolled(self, groups: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        return _flat(groups, rollup_sets(len(groups)))

    def cubed(self, groups: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        return _flat(groups, cube_sets(len(groups)))


def _flat(groups: list[tuple[int, ...]], sets: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Sets of groups of keys as sets of keys."""
    return [tuple([key for place in each for key in groups[place]]) for each in sets]


def grouped(plan: Plan, keys: Keys, scalars: Sequence[Scalar], fresh: Fresh) -> tuple[Plan, list[Scalar]]:
    """The groups, and expressions over rows as expressions over groups.

    Raises:
        InvalidArgumentError: where an expression uses a column that is neither a key nor inside an aggregate.
    """
    calls: dict[Hashable, tuple[str, Scalar]] = {}
    groupings: dict[GroupingCall, str] = {}
    known = {structure(scalar): index for index, scalar in enumerate(keys.scalars)}
    for scalar in scalars:
        if scalar.holds_aggregate:
            _collect(scalar, calls, groupings, fresh)
    # Subqueries in keys and in what is aggregated are computed for the rows.
    below = [*keys.scalars, *[call for _, call in calls.values()]]
    if any([has_subquery(scalar) for scalar in below]):
        plan, below = placed(plan, below, fresh)
    key_names = [s.name if isinstance(s, Column) else fresh("key") for s in below[: len(keys.scalars)]]
    named_keys = tuple(zip(key_names, below[: len(keys.scalars)], strict=True))
    named_calls = tuple(zip([name for name, _ in calls.values()], below[len(keys.scalars) :], strict=True))
    if keys.sets is None and not groupings:
        table: Plan = Aggregate(plan, named_keys, named_calls)
    else:
        # GROUP BY alone is one set of all keys, none of which GROUPING() finds left out.
        sets = [tuple(range(len(keys.scalars)))] if keys.sets is None else keys.sets
        asked = {name: _numbers(call, known) for call, name in groupings.items()}
        table = grouping_sets(plan, named_keys, named_calls, sets, asked)
    return table, [_over_groups(scalar, table, known, key_names, calls, groupings) for scalar in scalars]


def _collect(
    scalar: Scalar,
    calls: dict[Hashable, tuple[str, Scalar]],
    groupings: dict[GroupingCall, str],
    fresh: Fresh,
) -> None:
    for part in postorder(scalar):
        if isinstance(part, AggregateCall):
            if (known := structure(part)) not in calls:
                calls[known] = (fresh(part.function), part)
        elif isinstance(part, GroupingCall) and part not in groupings:
            groupings[part] = fresh("grouping")


def _numbers(call: GroupingCall, known: Mapping[Hashable, int]) -> tuple[int, ...]:
    found = []
    for arg in call.args:
        index = known.get(structure(arg))
        if index is None:
            raise InvalidArgumentError("the arguments of GROUPING() must be keys of GROUP BY", site=arg.site)
        found.append(index)
    return tuple(found)


def _over_groups(
    scalar: Scalar,
    table: Plan,
    known: Mapping[Hashable, int],
    key_names: Sequence[str],
    calls: Mapping[Hashable, tuple[str, Scalar]],
    groupings: Mapping[GroupingCall, str],
) -> Scalar:
    schema = table.schema
    # Columns are known by their names: what else is no key need not be compared with any.
    columns_alone = all([isinstance(key, str) for key in known])

    def step(current: Scalar) -> Scalar | None:
        if isinstance(current, AggregateCall):
            return column(schema, calls[structure(current)][0])
        if isinstance(current, GroupingCall):
            return column(schema, groupings[current])
        index = None if columns_alone and not isinstance(current, Column) else known.get(structure(current))
        if index is not None:
            return column(schema, key_names[index])
        if isinstance(current, Column):
            raise InvalidArgumentError(
                f"the column {_shown(current)!r} is neither in GROUP BY nor inside an aggregate",
                hint="add it to GROUP BY, or say which value of the group is meant: any_value(...), max(...)",
                site=current.site,
            )
        return None

    return step(scalar) or rewrite_top_down(scalar, step)


def _shown(current: Column) -> str:
    """The column as the user wrote it: within a statement its name may have got a number."""
    return current.name.partition(":")[0]


FORMS: dict[type | str, Handler] = {exp.Grouping: grouping_call, exp.GroupingId: grouping_call}

__all__ = ["FORMS", "Keys", "bound_keys", "grouped"]
