"""select, with_columns and filter, also over expressions that hold aggregates."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

from lazyframe.planner.bind import bind, bind_predicate, has_aggregate
from lazyframe.planner.build.grouping_sets import grouping_of, grouping_sets
from lazyframe.planner.build.windows import with_windows
from lazyframe.planner.errors import DuplicateColumnError, InvalidArgumentError
from lazyframe.planner.graph import fold, rewrite_top_down
from lazyframe.planner.relations import Aggregate, Filter, Join, Plan, Project
from lazyframe.planner.relations.project import choose, column
from lazyframe.planner.scalars import AggregateCall, Column, GroupingCall, Scalar, WindowCall, conjunction, structure
from lazyframe.planner.schema import Schema, fresh_name
from lazyframe.planner.unbound import Unbound, expand, output_name

Named = tuple[str, Scalar]


def bound(plan: Plan, expressions: Iterable[Unbound], hidden: Collection[str] = ()) -> list[Named]:
    """The expressions bound to the columns of `plan`, with their names; selections are expanded, to what is not `hidden`."""
    schema = plan.schema
    return [
        (output_name(single), bind(single, schema))
        for written in expressions
        for single in _single(written, schema, hidden)
    ]


def _single(expression: Unbound, schema: Schema, hidden: Collection[str] = ()) -> list[Unbound]:
    """The expression for each of the columns that it selects."""
    if not expression.holds_many:
        return [expression]
    return expand(expression, schema.names, {field.name: field.dtype for field in schema}, hidden)


def select(plan: Plan, expressions: Sequence[Unbound]) -> Plan:
    """Just these columns. Where all are aggregates there is one row; an aggregate beside others holds for every row."""
    named = bound(plan, expressions)
    check_distinct([name for name, _ in named], expressions)
    if not any([has_aggregate(scalar) or scalar.holds_window for _, scalar in named]):
        return Project(plan, tuple(named))
    plan, scalars = with_windows(plan, [scalar for _, scalar in named])
    named = [(name, scalar) for (name, _), scalar in zip(named, scalars, strict=True)]
    if any([has_aggregate(s) for s in scalars]) and not any([_columns_outside(s) for s in scalars]):
        return aggregated(plan, (), named)
    source, exprs = _for_each_row(plan, scalars)
    return Project(source, tuple([(name, scalar) for (name, _), scalar in zip(named, exprs, strict=True)]))


def with_columns(plan: Plan, expressions: Sequence[Unbound]) -> Plan:
    """All columns, with some replaced and others added."""
    named = bound(plan, expressions)
    check_distinct([name for name, _ in named], expressions)
    source, exprs = _for_each_row(plan, [scalar for _, scalar in named])
    if source is not plan:
        named = [(name, scalar) for (name, _), scalar in zip(named, exprs, strict=True)]
    new = dict(named)
    kept = [(f.name, new.pop(f.name) if f.name in new else column(plan.schema, f.name)) for f in plan.schema]
    return Project(source, (*kept, *new.items()))


def filtered(plan: Plan, predicates: Sequence[Unbound]) -> Plan:
    """The rows for which all predicates are true."""
    schema = plan.schema
    parts = [bind_predicate(single, schema) for written in predicates for single in _single(written, schema)]
    predicate = conjunction(parts)
    if predicate is None:
        return plan
    source, (for_each,) = _for_each_row(plan, [predicate])
    return choose(Filter(source, for_each), plan.schema.names)


def _for_each_row(plan: Plan, scalars: Sequence[Scalar]) -> tuple[Plan, Sequence[Scalar]]:
    """`plan` with the values of aggregates over all its rows and of window functions beside every row, and `scalars` in
    terms of those columns. What stands inside another is computed first.
    """
    while any([has_aggregate(scalar) or scalar.holds_window for scalar in scalars]):
        plan, scalars = with_windows(plan, scalars)
        if any([has_aggregate(scalar) for scalar in scalars]):
            plan, scalars = with_aggregates_joined(plan, scalars)
    return plan, scalars


def aggregated(
    plan: Plan, keys: tuple[Named, ...], named: Sequence[Named], sets: Sequence[Sequence[int]] | None = None
) -> Plan:
    """One row a group. What stands around aggregates is computed from their values and the keys; window functions go over
    the groups.

    Args:
        plan: the rows.
        keys: what is grouped by.
        named: the values of a group.
        sets: numbers of keys, where there are groups by several sets of them: see `grouping_sets`.

    Raises:
        InvalidArgumentError: where an expression uses a column that is neither a key nor inside an aggregate.
    """
    groupings: dict[str, tuple[int, ...]] = {}
    numbers = {structure(scalar): number for number, (_, scalar) in enumerate(keys)}
    names: dict[Hashable, str] = {}
    calls: list[Named] = []
    taken = {name for name, _ in keys}
    by_structure = {structure(scalar): name for name, scalar in keys}

    def name_of(aggregate: Scalar, wanted: str | None) -> Column:
        name = names.get(structure(aggregate))
        if name is None:
            name = fresh_name(wanted or "agg", taken)
            taken.add(name)
            names[structure(aggregate)] = name
            calls.append((name, aggregate))
        return Column(name, aggregate.dtype, aggregate.nullable)

    def name_of_grouping(call: GroupingCall, wanted: str | None) -> Scalar:
        asked = tuple([_number_of_key(arg, numbers) for arg in call.args])
        if sets is None:
            return grouping_of(asked, frozenset(numbers.values()))
        name = next((name for name, known in groupings.items() if known == asked), None)
        if name is None:
            name = fresh_name(wanted or "grouping", taken)
            taken.add(name)
            groupings[name] = asked
        return Column(name, call.dtype, False)

    outputs: list[Named] = []
    for name, scalar in named:
        whole = _gathered(scalar, keys)

        def step(current: Scalar, name: str = name, whole: Scalar = whole) -> Scalar | None:
            # What is inside an aggregate stays; outside, keys are known by their names.
            if isinstance(current, AggregateCall):
                return name_of(current, name if current is whole else None)
            if isinstance(current, GroupingCall):
                return name_of_grouping(current, name if current is whole else None)
            key = by_structure.get(structure(current))
            if key is not None:
                return Column(key, current.dtype, current.nullable or sets is not None)
            if isinstance(current, Column):
                raise InvalidArgumentError(
                    f"{current.name!r} is neither a key nor inside an aggregate", site=current.site
                )
            return None

        outputs.append((name, step(whole) or rewrite_top_down(whole, step)))
    table: Plan = (
        Aggregate(plan, keys, tuple(calls)) if sets is None else grouping_sets(plan, keys, calls, sets, groupings)
    )
    if any([scalar.holds_window for _, scalar in outputs]):
        table, scalars = with_windows(table, [scalar for _, scalar in outputs])
        outputs = [(name, scalar) for (name, _), scalar in zip(outputs, scalars, strict=True)]
    wanted = [name for name, _ in (*keys, *outputs)]
    check_distinct(wanted, ())
    if wanted == table.schema.names and all([isinstance(s, Column) and s.name == name for name, s in outputs]):
        return table
    return Project(table, (*[(name, column(table.schema, name)) for name, _ in keys], *outputs))


def _number_of_key(arg: Scalar, numbers: Mapping[Hashable, int]) -> int:
    number = numbers.get(structure(arg))
    if number is None:
        raise InvalidArgumentError(f"grouping() takes keys, and {arg!r} is none", site=arg.site)
    return number


def _gathered(scalar: Scalar, keys: tuple[Named, ...]) -> Scalar:
    """An expression with no aggregate in it gives the values of the group as a list, as Polars has it, unless it is made of
    keys and constants alone.
    """
    if has_aggregate(scalar):
        return scalar
    key_columns = {s.name for _, s in keys if isinstance(s, Column)}
    if scalar.columns <= key_columns or any(scalar == s for _, s in keys):
        return scalar
    return AggregateCall("list", (scalar,))


def _columns_outside(scalar: Scalar) -> bool:
    """Whether a column is used outside all aggregates."""

    def step(current: Scalar, below: list[bool]) -> bool:
        if isinstance(current, AggregateCall | GroupingCall):
            return False
        return isinstance(current, Column | WindowCall) or any(below)

    return fold(scalar, step)


def with_aggregates_joined(plan: Plan, exprs: Sequence[Scalar]) -> tuple[Plan, list[Scalar]]:
    """`plan` with the values of the aggregates over all its rows beside every row, and `exprs` in terms of those columns."""
    calls: dict[Scalar, str] = {}
    taken = set(plan.schema.names)

    def step(current: Scalar) -> Scalar | None:
        if isinstance(current, GroupingCall):
            raise InvalidArgumentError(
                "grouping() has a value for groups only",
                hint="use it in agg() after rollup(), cube() or grouping_sets()",
                site=current.site,
            )
        if not isinstance(current, AggregateCall) or current.holds_window:
            return None
        if current not in calls:
            calls[current] = fresh_name("agg", taken, len(calls) or 1)
            taken.add(calls[current])
        return Column(calls[current], current.dtype, current.nullable)

    rewritten = [rewrite_top_down(scalar, step) for scalar in exprs]
    totals = Aggregate(plan, (), tuple([(name, aggregate) for aggregate, name in calls.items()]))
    return Join(plan, totals, "cross"), rewritten


def check_distinct(names: Sequence[str], expressions: Sequence[Unbound], hint: str | None = None) -> None:
    """Raise DuplicateColumnError where a name occurs twice, at the second expression that has it."""
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            site = expressions[index].site if len(expressions) == len(names) else None
            raise DuplicateColumnError(
                f"two columns would be named {name!r}",
                hint=hint or f"give one another name: .alias('{name}_2')",
                site=site,
            )
        seen.add(name)


def refuse_aggregates(scalar: Scalar, where: str) -> None:
    """Raise where an aggregate or a window function stands in a key, which is computed from one row."""
    if has_aggregate(scalar) or scalar.holds_window:
        raise InvalidArgumentError(
            f"{'an aggregate' if has_aggregate(scalar) else 'a window function'} cannot stand in what to {where}: {scalar!r}",
            hint="compute it before, in with_columns",
            site=scalar.site,
        )


__all__ = ["aggregated", "bound", "check_distinct", "filtered", "refuse_aggregates", "select", "with_columns"]
